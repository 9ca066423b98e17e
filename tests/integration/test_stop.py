"""The popup's stop button: what is under way ends at once, and nothing of it happens later."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from playwright.async_api import BrowserContext

import skillbook as sb
from skillbook.errors import Stopped
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.protocol.envelopes import Event
from skillbook.session.aio import Browser
from skillbook.testing.site import serve_folder
from tests.integration.test_connect import links, own_browser
from tests.integration.users_browser import answer, until

__all__ = ["links", "own_browser"]
PAGE = """<!doctype html><title>Slow</title>
<button id=off disabled onclick="window.hit = 1">Off</button>
<input id=field aria-label=Field>"""
# Far below the deadlines of what is stopped; how fast a stop is depends on what else the machine does.
LONGEST = 5


@pytest.fixture
async def paired(own_browser: BrowserContext, links: list[str]) -> Any:
    """A browser of the user's, paired, and the popup's stop button as a function."""
    connecting = asyncio.ensure_future(sb.aio.connect(name="slow.ipynb", allow_evaluate=True, timeout=30))
    await until(lambda: bool(links), "no pairing link was shown")
    async with own_browser.expect_page(lambda page: "confirm" in page.url) as asked:
        await (await own_browser.new_page()).goto(links[0])
    await answer(await asked.value, "Pair")
    browser = await connecting
    popup = await own_browser.new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    button = popup.get_by_role("button", name="Stop", exact=True)
    await button.wait_for()
    yield browser, button
    await browser.close()


@pytest.mark.parametrize("kind", ["click", "type", "wait_for"])
async def test_stop_ends_what_is_under_way(paired: tuple[Browser, Any], tmp_path: Any, kind: str) -> None:
    browser, button = paired
    (tmp_path / "index.html").write_text(PAGE)
    events: list[Event] = []
    browser.driver.server.on_event(events.append)
    with serve_folder(tmp_path) as site:
        page = await browser.open(site.url)
        doing = {
            "click": lambda: page.click("button 'Off'", timeout=20),
            "type": lambda: page.type("textbox 'Field'", "x" * 400, delay_ms=50, timeout=30),
            "wait_for": lambda: page.wait_for(text="Never", timeout=20),
        }[kind]
        task = asyncio.ensure_future(doing())
        if kind == "type":
            field = (await page.snapshot()).find("textbox 'Field'")
            while not await page.get("value", field):
                pass
        else:
            await until(lambda: under_way(browser, kind), f"no {kind} is under way")
        press = "button => { const at = Date.now(); button.click(); return at / 1000 }"
        pressing = asyncio.ensure_future(button.evaluate(press))
        with pytest.raises(Stopped):
            await task
        ended = time.time()
        took = ended - await pressing
        assert took < LONGEST, f"it took {took * 1000:.0f} ms"
        stops = lambda: [event.data for event in events if event.event == "stop"]  # noqa: E731
        await until(lambda: bool(stops()), "the kernel heard nothing of it")
        assert stops() == [{"cancelled": 1}]
        typed = len(await page.evaluate("field.value"))
        await page.evaluate("off.disabled = false, new Promise(done => setTimeout(done, 400))")
        assert await page.evaluate("window.hit ?? null") is None
        assert len(await page.evaluate("field.value")) == typed
        assert (await page.click("button 'Off'")).changed is not None


def under_way(browser: Browser, command: str) -> bool:
    """Whether a request of this command waits for its answer."""
    return any(request.body.command == command for request in browser.driver.server._machine._pending)
