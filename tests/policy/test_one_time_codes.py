"""One-time codes: from a seed by name, typed like secrets, shown nowhere."""

from __future__ import annotations

import base64
import hmac
import time

import pytest

from skillbook.errors import NotAllowed
from skillbook.policy.secrets import MASK, CodeSeed, SecretStore

SEED = "JBSWY3DPEHPK3PXP"
SITE = "https://shop.test"


def is_code(text: str) -> bool:
    """Whether RFC 6238 gives this code now, or did in the last 30 s."""
    key, now = base64.b32decode(SEED), int(time.time() // 30)
    found = []
    for step in (now - 1, now):
        digest = hmac.new(key, step.to_bytes(8, "big"), "sha1").digest()
        at = digest[-1] & 15
        found.append(f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 10**6:06}")
    return text in found


@pytest.fixture
def store() -> SecretStore:
    return SecretStore({"SKILLBOOK_SECRET_GITHUB_TOTP": SEED, "SKILLBOOK_SECRET_GITHUB": "pass-w0rd"})


def test_a_code_is_typed_where_its_secret_belongs(store: SecretStore) -> None:
    secret = store.add("github", totp=True, origins=[SITE])
    assert secret == "${secret:github.totp}"
    typed = store.fill_in({"value": secret}, command="fill", origin=SITE)["value"]
    assert is_code(typed)
    with pytest.raises(NotAllowed, match="belongs to"):
        store.fill_in({"value": secret}, command="fill", origin="https://evil.test")


def test_neither_seed_nor_code_is_shown(store: SecretStore) -> None:
    secret = store.add("github", totp=True, origins=[SITE])
    typed = store.fill_in({"value": secret}, command="fill", origin=SITE)["value"]
    shown = store.redact(f"code {typed}, seed {SEED}")
    assert shown == f"code {MASK}, seed {MASK}"
    assert SEED not in repr(store)
    assert store.carried(f"/login?code={typed}") == ["github.totp"]


def test_the_name_says_that_it_is_a_seed_so_a_skill_never_types_it(store: SecretStore) -> None:
    secret = store.add("github.totp", origins=[SITE])
    typed = store.fill_in({"value": secret}, command="fill", origin=SITE)["value"]
    assert typed != SEED
    assert len(typed) == 6
    assert store.has("github.totp")
    assert store.add("github", origins=[SITE]) == "${secret:github}"


@pytest.mark.parametrize("given", ["not base32 !", "otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP", "otpauth://x"])
def test_what_is_no_seed_is_refused_without_quoting_it(given: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        CodeSeed(given)
    assert given not in str(refused.value)


def test_a_seed_may_be_an_address_or_have_blanks() -> None:
    assert is_code(CodeSeed(f"otpauth://totp/shop:ann?secret={SEED}&issuer=shop").code())
    assert len(CodeSeed(f"otpauth://totp/x?secret={SEED}&digits=8&algorithm=SHA256").code()) == 8
    assert is_code(CodeSeed("jbsw y3dp ehpk 3pxp").code())


def test_a_machine_without_a_keyring_has_no_secrets_there() -> None:
    keyring = pytest.importorskip("keyring")
    fail = pytest.importorskip("keyring.backends.fail")
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    try:
        assert not SecretStore({}).has("nothing")
    finally:
        keyring.set_keyring(before)
