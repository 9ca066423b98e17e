"""Pages shown as on other devices: what their scripts and servers see, in documents to come too, until it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import InvalidParams, SkillbookError
from skillbook.session.sync import Browser, Page

PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><title>Device</title>
<button onclick="this.textContent = `Pressed at ${innerWidth}`">Press</button><iframe id="f" hidden></iframe>"""
FACTS = """({width: innerWidth, scale: devicePixelRatio, touch: navigator.maxTouchPoints, agent: navigator.userAgent,
  model: navigator.userAgentData ? navigator.userAgentData.mobile : null, language: navigator.language,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone, dark: matchMedia("(prefers-color-scheme: dark)").matches,
  still: matchMedia("(prefers-reduced-motion: reduce)").matches, coarse: matchMedia("(pointer: coarse)").matches})"""


MAY_KNOW = "navigator.permissions.query({name: 'geolocation'}).then(({state}) => state)"
WHERE = """new Promise((done) => navigator.geolocation.getCurrentPosition(
  ({coords}) => done([coords.latitude, coords.longitude]), (error) => done(error.code)))"""
BUSY = """(() => { const began = performance.now(); let sum = 0;
  for (let at = 0; at < 2e7; at += 1) sum += at % 7; return performance.now() - began; })()"""
FETCH = (
    "(async () => { const began = performance.now(); await fetch('/'); return performance.now() - began; })()"
)


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


def test_a_slow_device_and_a_slow_line_are_slow_in_the_page(page: Page) -> None:
    fast, near = min(page.evaluate(BUSY) for _ in range(3)), min(page.evaluate(FETCH) for _ in range(2))
    with page.emulate(cpu=20, network={"latency_ms": 900}):
        assert min(page.evaluate(BUSY) for _ in range(2)) > 3 * fast
        assert page.evaluate(FETCH) > near + 500


def until(page: Page, expression: str, wanted: Any) -> None:
    """Wait until the page says so; it may be between two debuggers."""
    deadline, last = time.monotonic() + 20, None
    while time.monotonic() < deadline:
        try:
            last = page.evaluate(expression)
        except SkillbookError as error:
            last = error
        if last == wanted:
            return
        time.sleep(0.05)
    raise AssertionError(f"{expression} is {last!r}, not {wanted!r}")


def test_a_page_may_know_the_place_that_it_is_shown_at_and_nobody_else(
    page: Page, browser: Browser, server: Any
) -> None:
    assert page.evaluate(MAY_KNOW) == "prompt"
    page.emulate(geolocation=(52.5, 13.4))
    assert page.evaluate(WHERE) == [52.5, 13.4]
    other = browser.open(page.url)
    until(page, MAY_KNOW, "prompt")
    assert other.evaluate(MAY_KNOW) == "prompt", "another tab of the site would learn the real place"
    other.close()
    until(page, MAY_KNOW, "granted")
    here = page.url
    page.goto(f"http://localhost:{server.server_port}/")
    until(page, MAY_KNOW, "granted")
    assert page.evaluate(WHERE) == [52.5, 13.4]
    other = browser.open(here)
    until(other, MAY_KNOW, "prompt")
    other.close()
    page.emulate(None)
    until(page, MAY_KNOW, "prompt")
    page.goto(here)


def test_it_holds_after_the_debugger_was_driven_off(browser: Browser, server: Any) -> None:
    # In a tab of its own: the browser may ask in it whether to open a program, and keep its input until then.
    page = browser.open(f"http://127.0.0.1:{server.server_port}/")
    page.emulate("pixel 7")
    page.evaluate("window.widths = []; addEventListener('resize', () => widths.push(innerWidth))")
    page.evaluate("setTimeout(() => { f.src = 'customscheme://x'; }, 300); 0")
    until(page, "widths.length > 1 && widths.some((width) => width !== 412) && innerWidth === 412", True)
    assert "Pixel 7" in page.evaluate(FACTS)["agent"]
    page.close()


def test_a_skill_runs_as_on_the_device_that_it_was_recorded_on(page: Page, tmp_path: Path) -> None:
    page.emulate("pixel 7")
    page.reload()
    with sb.recording(page) as rec:
        page.click("button 'Press'")
    skill = rec.save_skill("press-on-a-phone", tmp_path, prove=False)
    page.emulate(None)
    assert "skillbook-device: pixel 7" in (tmp_path / "press-on-a-phone" / "SKILL.md").read_text()
    own = page.evaluate("innerWidth")
    result = sb.load_skill(str(tmp_path / "press-on-a-phone")).run(page, approve=skill.digest)
    assert result.ok, result.error
    assert page.get("text", "button") == "Pressed at 412"
    assert (page.evaluate("innerWidth"), page.driver.emulation.now.words) == (own, "")
    page.reload()


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
    assert page.driver.emulation.now.words == ""
