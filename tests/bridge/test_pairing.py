from __future__ import annotations

import html
import json
import re

import pytest

from skillbook.bridge import Pairing
from skillbook.bridge.pairing import make_page
from skillbook.errors import PairingFailed
from skillbook.protocol.envelopes import KernelInfo, Pair, Paired

KERNEL = KernelInfo(id="k1", name="tests")
TOKEN = "the-token"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def make_pairing() -> tuple[Pairing, Clock]:
    clock = Clock()
    return Pairing(TOKEN, KERNEL, clock=clock), clock


def test_a_code_has_256_bits_and_works_once() -> None:
    pairing, _ = make_pairing()
    code = pairing.new_code()
    assert len(code) == 43
    assert pairing.knows(code)
    assert pairing.redeem(code, "p1") == TOKEN
    assert not pairing.knows(code)
    with pytest.raises(PairingFailed):
        pairing.redeem(code, "p1")


def test_a_code_expires_after_ten_minutes() -> None:
    pairing, clock = make_pairing()
    code = pairing.new_code()
    clock.now = 599.9
    assert pairing.knows(code)
    clock.now = 600.0
    assert not pairing.knows(code)
    with pytest.raises(PairingFailed):
        pairing.redeem(code, "p1")


def test_codes_are_bounded_and_the_newest_work() -> None:
    pairing, _ = make_pairing()
    codes = [pairing.new_code() for _ in range(20)]
    assert [pairing.knows(code) for code in codes] == [False] * 4 + [True] * 16


def test_nothing_shows_a_code_or_the_token() -> None:
    pairing, _ = make_pairing()
    code = pairing.new_code()
    with pytest.raises(PairingFailed) as caught:
        pairing.redeem("wrong" + code, "p1")
    shown = repr((pairing, caught.value, caught.value.data, str(caught.value), list(vars(pairing)["_codes"])))
    shown += repr(Pair(protocol="1.0", code=code, profile="p")) + repr(Paired(token=TOKEN, kernel=KERNEL))
    assert code not in shown
    assert TOKEN not in shown


@pytest.mark.parametrize(
    "name", ["tests", "</title><script>alert(1)</script>", "\"'><img src=x onerror=y>", "{0}"]
)
def test_the_page_tells_the_extension_what_it_needs(name: str) -> None:
    page, headers = make_page(KernelInfo(id="k1", name=name), "the-code")
    [content] = re.findall(r'<meta name="skillbook-pair" content="([^"]*)">', page)
    assert json.loads(html.unescape(content)) == {
        "code": "the-code",
        "kernel": {"id": "k1", "name": name},
    }
    assert "<script" not in page
    assert "<img" not in page
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'nonce-")
    assert re.findall(r"(?:src|href|action)=", page.replace(html.escape(name), "")) == []


def test_the_page_of_a_dead_code_holds_nothing() -> None:
    page, _ = make_page(KERNEL, None)
    assert "no longer works" in page
    assert "skillbook-pair" not in page
    assert "4321" not in page


def test_each_page_has_its_own_style_nonce() -> None:
    found = [make_page(KERNEL, "c") for _ in range(2)]
    nonces = [re.findall(r'<style nonce="([^"]+)">', page)[0] for page, _ in found]
    assert nonces[0] != nonces[1]
    for nonce, (_, headers) in zip(nonces, found, strict=True):
        assert f"'nonce-{nonce}'" in headers["Content-Security-Policy"]
