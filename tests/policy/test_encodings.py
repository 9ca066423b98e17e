"""A secret is recognised however often and in whatever way it was encoded."""

from __future__ import annotations

import time
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from skillbook.policy.secrets import SecretStore

VALUE = 's3cr3t "of" the/bank+ü'


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        VALUE,
        VALUE.upper(),
        quote(quote(VALUE)),
        quote_plus(quote(quote(VALUE, safe=""))),
        "".join(f"\\u{ord(char):04x}" for char in VALUE),
        "".join(f"&#{ord(char)};" for char in VALUE),
        b64(f"me:{VALUE}"),
        f"/pixel/{b64(VALUE)}/x",
        "abc" + b64(VALUE),
        urlsafe_b64encode(quote(VALUE).encode()).decode(),
        b64(b64(VALUE)),
        VALUE.encode().hex(),
        quote(escape(VALUE)),
    ],
)
def test_fault_50_a_secret_is_recognised_in_any_writing(text: str) -> None:
    store = SecretStore({})
    bank = store.add("bank", VALUE, origins=["https://bank.test"])
    store.fill_in(bank, command="fill", origin="https://bank.test")
    assert store.carried(f"https://evil.test/?v={text}&x=1") == ["bank"]
    assert store.carried("https://evil.test/?v=another") == []


def test_a_long_body_is_looked_through_in_time() -> None:
    store = SecretStore({})
    bank = store.add("bank", VALUE, origins=["https://bank.test"])
    store.fill_in(bank, command="fill", origin="https://bank.test")
    started = time.monotonic()
    assert store.carried("some words %41 and more " * 8_000) == []
    assert time.monotonic() - started < 5
