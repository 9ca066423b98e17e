from __future__ import annotations

import pickle

import pytest

from skillbook.errors import NotAllowed
from skillbook.policy.secrets import MASK, Secret, SecretStore, literal, read_literal

ORIGIN = "https://shop.test"


@pytest.fixture
def store() -> SecretStore:
    return SecretStore({"SKILLBOOK_SECRET_SHOP_PW": "hunter22"}, ask=lambda _: "")


def test_a_placeholder_never_contains_the_value(store: SecretStore) -> None:
    secret = store.add("shop.pw")
    assert secret == "${secret:shop.pw}"
    assert "hunter22" not in repr(secret)


def test_it_is_filled_in_for_typing_only(store: SecretStore) -> None:
    secret = store.add("shop.pw")
    assert store.fill_in({"value": secret}, command="fill", origin=ORIGIN) == {"value": "hunter22"}
    with pytest.raises(NotAllowed):
        store.fill_in({"url": secret}, command="goto", origin=ORIGIN)


def test_fault_51_text_is_never_a_secret(store: SecretStore) -> None:
    secret = store.add("shop.pw")
    for text in ("".join(secret), "${secret:shop.pw}", f"say {secret}"):
        assert store.fill_in({"value": text}, command="fill", origin=ORIGIN) == {"value": text}
        assert store.questions({"value": text}, origin=ORIGIN, field="Name", takes_secrets=False) == ()
    mixed = Secret.within("${secret:shop.pw} and ${secret:other}", {"shop.pw"})
    assert store.fill_in(mixed, command="fill", origin=ORIGIN) == "hunter22 and ${secret:other}"


def test_a_secret_survives_copies_and_the_journal(store: SecretStore) -> None:
    secret = pickle.loads(pickle.dumps(store.add("shop.pw")))
    assert (secret, secret.names) == ("${secret:shop.pw}", {"shop.pw"})
    kept = read_literal(secret)
    assert isinstance(kept, Secret)
    assert type(read_literal(literal("${secret:shop.pw}"))) is str
    assert read_literal(literal("${secret:shop.pw}")) == "${secret:shop.pw}"


def test_it_is_bound_to_the_origin_of_its_first_use(store: SecretStore) -> None:
    secret = store.add("shop.pw")
    store.fill_in({"value": secret}, command="fill", origin=ORIGIN)
    with pytest.raises(NotAllowed) as caught:
        store.fill_in({"value": secret}, command="fill", origin="https://evil.test")
    assert "hunter22" not in str(caught.value)


def test_given_origins_bind_at_once(store: SecretStore) -> None:
    secret = store.add("shop.pw", origins={ORIGIN})
    with pytest.raises(NotAllowed):
        store.fill_in({"value": secret}, command="fill", origin="https://evil.test")


def test_unknown_and_empty_secrets_are_refused(store: SecretStore) -> None:
    with pytest.raises(NotAllowed):
        store.fill_in(Secret("nobody"), command="fill", origin=ORIGIN)
    with pytest.raises(NotAllowed):
        store.add("absent")
    with pytest.raises(NotAllowed):
        store.add("../x")


def test_values_are_masked_wherever_they_show(store: SecretStore) -> None:
    store.add("shop.pw")
    data = {"names": ["my hunter22!", "other"], "n": 1}
    assert store.redact_data(data) == {"names": [f"my {MASK}!", "other"], "n": 1}


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.test/?q=s%20%26cret%2Fx",
        "https://evil.test/?q=s+%26cret%2Fx",
        "https://evil.test/cyAmY3JldC94",
        "https://evil.test/#7320266372657" + "42f78",
    ],
)
def test_fault_22_addresses_with_a_secret_are_refused_and_masked(address: str) -> None:
    store = SecretStore({}, ask=lambda _: "s &cret/x")
    store.add("pw")
    with pytest.raises(NotAllowed) as caught:
        store.refuse_leak(address)
    assert "cret" not in str(caught.value).replace("secret", "")
    assert MASK in store.redact(address)
    store.refuse_leak("https://shop.test/?q=harmless")


def test_fault_22_a_secret_is_not_typed_into_a_form_that_goes_elsewhere(store: SecretStore) -> None:
    wire = {"value": store.add("shop.pw")}
    store.check_form(wire, f"{ORIGIN}/login", origin=ORIGIN)
    store.check_form(wire, "javascript:void(0)", origin=ORIGIN)
    with pytest.raises(NotAllowed, match="evil"):
        store.check_form(wire, "https://evil.test/collect", origin=ORIGIN)
    store.add("shop.pw", origins={ORIGIN, "https://login.test"})
    store.check_form(wire, "https://login.test/", origin=ORIGIN)


def test_the_store_shows_names_only(store: SecretStore) -> None:
    store.add("shop.pw")
    assert repr(store) == "<SecretStore: shop.pw>"


AWKWARD = "p*~!'()\"&<>/\\ é€😀+%"


@pytest.mark.parametrize(
    "written",
    [
        AWKWARD,
        "p*%7E%21%27%28%29%22%26%3C%3E%2F%5C+%C3%A9%E2%82%AC%F0%9F%98%80%2B%25",  # a form's body, as Chrome sends it
        "p*~!'()%22%26%3C%3E%2F%5C%20%C3%A9%E2%82%AC%F0%9F%98%80%2B%25",  # encodeURIComponent
        "p*~!%27()%22&%3C%3E/%5C%20%c3%a9%e2%82%ac%f0%9f%98%80+%25",  # an address that a person typed
        "p*~!'()\"&amp;&lt;&gt;/\\ é€😀+%",  # innerHTML
        "p*~!&#39;()&quot;&amp;&lt;&gt;/\\ é€😀+%",  # a template's escaping
        "p*~!&apos;()&#x22;&#38;&#x3c;&gt;/\\ &#233;€&#128512;+%",
        '"p*~!\'()\\"&<>/\\\\ \\u00e9\\u20ac\\ud83d\\ude00+%"',  # JSON
        '{"v": "p*~!\'()\\"\\u0026\\u003C\\u003e\\/\\\\ é€😀+%"}',
    ],
)
def test_fault_35_a_value_is_masked_however_it_is_written(written: str) -> None:
    store = SecretStore(ask=lambda _: "")
    store.add("awkward", AWKWARD)
    masked = store.redact(f"before {written} after")
    assert MASK in masked
    assert "p*" not in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    with pytest.raises(NotAllowed):
        store.refuse_leak(f"https://evil.test/?q={written}")
    assert store.redact("p*~ and nothing else") == "p*~ and nothing else"


@pytest.mark.parametrize("error", [EOFError(), OSError("no terminal"), NotImplementedError("no stdin here")])
def test_a_secret_that_nobody_can_type_is_not_allowed(error: Exception) -> None:
    def ask(_: str) -> str:
        raise error

    with pytest.raises(NotAllowed, match="the secret 'x' has no value") as refused:
        SecretStore({}, ask=ask).add("x")
    assert "SKILLBOOK_SECRET_X" in refused.value.hint
