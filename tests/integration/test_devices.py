"""Pages shown as on other devices: what their scripts and servers see, in documents to come too, until it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from skillbook.errors import InvalidParams
from skillbook.session.sync import Browser, Page

PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><title>Device</title>
<button onclick="this.textContent = 'Pressed'">Press</button>"""
FACTS = """({width: innerWidth, scale: devicePixelRatio, touch: navigator.maxTouchPoints, agent: navigator.userAgent,
  model: navigator.userAgentData ? navigator.userAgentData.mobile : null, language: navigator.language,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, dark: matchMedia("(prefers-color-scheme: dark)").matches,
  still: matchMedia("(prefers-reduced-motion: reduce)").matches, coarse: matchMedia("(pointer: coarse)").matches})"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def page(browser: Browser, server: Any) -> Iterator[Page]:
    page = browser.open(f"http://127.0.0.1:{server.server_port}/")
    yield page
    page.close()


def test_a_phone_is_seen_by_scripts_and_servers_also_after_a_reload(page: Page, server: Any) -> None:
    own = page.evaluate(FACTS)
    page.emulate("pixel 7", locale="de-DE", timezone="Asia/Tokyo", dark=True, reduced_motion=True)
    assert "as on pixel 7" in repr(page)
    for _ in range(2):
        facts = page.evaluate(FACTS)
        assert (facts["width"], facts["scale"], facts["touch"]) == (412, 2.625, 5)
        assert "Android 14; Pixel 7" in facts["agent"]
        assert "{chrome}" not in facts["agent"]
        assert (facts["language"], facts["zone"]) == ("de-DE", "Asia/Tokyo")
        assert facts["dark"]
        assert facts["still"]
        assert facts["coarse"]
        page.reload()
    sent = {name.lower(): value for name, value in server.seen[-1].items()}
    assert "Pixel 7" in sent["user-agent"]
    assert sent["accept-language"].startswith("de-DE")
    assert sent["sec-ch-ua-mobile"] == "?1"
    assert sent["sec-ch-ua-platform"] == '"Android"'
    assert page.click("button 'Press'").changed
    page.emulate(None)
    page.reload()
    assert page.evaluate(FACTS) == own
    assert "as on" not in repr(page)


def test_a_block_ends_with_what_was_before(page: Page) -> None:
    page.emulate(viewport=(800, 600))
    with page.emulate("iPhone 15") as emulation:
        facts = page.evaluate(FACTS)
        assert "iPhone OS 17_4" in facts["agent"]
        assert facts["model"] is None or facts["model"] is False
        assert repr(emulation) == "<Emulation iPhone 15>"
    facts = page.evaluate(FACTS)
    assert (facts["width"], facts["touch"]) == (800, 0)
    assert "iPhone" not in facts["agent"]
    page.emulate(None)


def test_a_slow_or_missing_network(page: Page) -> None:
    with page.emulate(network="offline"):
        online = page.evaluate("navigator.onLine")
        failed = page.evaluate("fetch('/').then(() => 'loaded', () => 'failed')")
        assert (online, failed) == (False, "failed")
    assert page.evaluate("fetch('/').then(() => 'loaded', () => 'failed')") == "loaded"


def test_it_holds_when_rules_end_and_in_another_site_s_process(page: Page, server: Any) -> None:
    page.emulate("iPhone SE")
    page.network.mock("/none", text="")
    page.network.clear()
    assert page.evaluate(FACTS)["width"] == 375
    page.goto(f"http://localhost:{server.server_port}/")
    facts = page.evaluate(FACTS)
    assert (facts["width"], facts["touch"] > 0) == (375, True)
    assert "iPhone" in facts["agent"]
    page.emulate(None)
    page.goto(f"http://127.0.0.1:{server.server_port}/")


def test_what_nobody_knows_is_refused(page: Page) -> None:
    with pytest.raises(InvalidParams, match="no device is called 'iPhone 99'") as caught:
        page.emulate("iPhone 99")
    assert "iPhone" in caught.value.hint
    with pytest.raises(InvalidParams, match="no connection is called"):
        page.emulate(network="6g")
    with pytest.raises(InvalidParams, match="emulate\\(None\\) ends"):
        page.emulate(None, dark=True)
    assert page.driver.emulation.words == ""
