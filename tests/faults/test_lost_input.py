"""Input that comes while one document takes another's place: Chromium may lose it, and all that follows."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext
from playwright.async_api import Error as DevtoolsError
from playwright.async_api import Page as Tab

import skillbook as sb
from benchmarks.soak.faults import Faults, devtools_of
from skillbook.errors import PageNavigated, PageUnreachable, StaleRef
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response
from tests.integration.users_browser import until

FORM = "<!doctype html><title>Form</title><input aria-label=Field><button onclick=\"this.name='hit'\">Go</button>"
RELOADS = 15
DISTANCE_SECONDS = 0.04
TRIES = 60


class FarSite:
    """One page, as far away as most are."""

    def respond(self, request: Request) -> Response:
        time.sleep(DISTANCE_SECONDS)
        return Response(FORM)


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_app(FarSite()) as site:
        yield site


async def _fill_when_there(page: sb.aio.Page) -> bool:
    """Fill once a page that is on its way is there, which may leave a few times more; whether it had lost its input."""
    is_lost = False
    async with asyncio.timeout(30):
        while True:
            with suppress(PageNavigated, StaleRef):
                try:
                    await page.fill("textbox 'Field'", "after", timeout=5)
                except PageUnreachable:
                    is_lost = True
                    await page.reload()
                    continue
                assert await page.get("value", "textbox 'Field'") == "after"
                return is_lost


async def test_pages_that_reload_while_they_are_typed_into_take_input_afterwards(
    home: Path, site: Site
) -> None:
    chance = random.Random(1)
    browser = await sb.aio.launch(args=["--remote-debugging-port=0"])
    lost = 0
    try:
        async with devtools_of(browser) as (_, session):
            faults = Faults(browser, session)
            page = await browser.open(site.url)
            for _ in range(RELOADS):
                await faults.navigate(page)
                await asyncio.sleep(chance.uniform(0, DISTANCE_SECONDS))
                with suppress(PageNavigated, StaleRef, PageUnreachable):
                    await page.fill("textbox 'Field'", "some words", timeout=5)
                lost += await _fill_when_there(page)
    finally:
        await browser.close()
    # On a busy machine the browser may tell of a navigation too late.
    assert lost <= 1


async def _lose(tab: Tab) -> bool:
    """Bring the fault about: input that comes while a document is committed."""
    session = await tab.context.new_cdp_session(tab)
    other = await tab.context.new_cdp_session(tab)
    for number in range(TRIES):
        await tab.wait_for_load_state("load")
        reload = asyncio.ensure_future(other.send("Page.reload"))
        await asyncio.sleep(DISTANCE_SECONDS + number % 20 / 1000)
        early = asyncio.ensure_future(session.send("Input.insertText", {"text": "x"}))
        with suppress(DevtoolsError):  # the other session may be between two documents
            await reload
        await tab.wait_for_load_state("load")
        late = asyncio.ensure_future(session.send("Input.insertText", {"text": "y"}))
        done, _ = await asyncio.wait([late], timeout=1)
        for each in (early, late):
            each.cancel()
        if not done:
            return True
    return False


async def _tab_at(context: BrowserContext, url: str) -> Tab:
    """DevTools may learn of a tab, or of its address, after the extension."""
    found: list[Tab] = []

    def is_there() -> bool:
        found[:] = [tab for tab in context.pages if tab.url.startswith(url)]
        return bool(found)

    await until(is_there, f"DevTools sees {url}")
    return found[0]


async def test_a_page_whose_input_is_lost_says_so_and_is_well_when_loaded_again(
    home: Path, site: Site
) -> None:
    browser = await sb.aio.launch(args=["--remote-debugging-port=0"], allow_evaluate=True)
    try:
        async with devtools_of(browser) as (devtools, _):
            page = await browser.open(site.url)
            tab = await _tab_at(devtools.contexts[0], site.url)
            if not await _lose(tab):
                pytest.skip(f"this browser lost no input in {TRIES} reloads")
            with pytest.raises(PageUnreachable, match=r"lost this page's input.*\n.*page\.reload"):
                await page.click("button 'Go'", timeout=10)
            assert (await page.snapshot()).find("button 'Go'").name == "Go"
            await page.reload()
            await page.click("button 'Go'", timeout=10)
            assert await page.evaluate("document.querySelector('button').name") == "hit"
    finally:
        await browser.close()


async def test_input_that_the_browser_keeps_from_the_page_is_no_success(home: Path, site: Site) -> None:
    """As behind a dialog of the browser's own: it answers the input, and drops it."""
    browser = await sb.aio.launch(args=["--remote-debugging-port=0"], allow_evaluate=True)
    try:
        async with devtools_of(browser) as (devtools, _):
            page = await browser.open(site.url)
            tab = await _tab_at(devtools.contexts[0], site.url)
            session = await tab.context.new_cdp_session(tab)
            await session.send("Input.setIgnoreInputEvents", {"ignore": True})
            with pytest.raises(PageUnreachable, match=r"kept the press from e\d+: nothing was done"):
                await page.click("button 'Go'", timeout=10)
            with pytest.raises(PageUnreachable, match=r"kept the keys from e\d+: nothing was done"):
                await page.press("Enter", "textbox 'Field'", timeout=10)
            assert await page.evaluate("document.querySelector('button').name") == ""
            await session.send("Input.setIgnoreInputEvents", {"ignore": False})
            await page.click("button 'Go'", timeout=10)
            assert await page.evaluate("document.querySelector('button').name") == "hit"
    finally:
        await browser.close()


async def test_a_press_that_the_page_itself_stops_before_we_see_it_was_made(home: Path, site: Site) -> None:
    """Listeners from before the tab was shared come first; what they make of a press is the page's own doing."""
    browser = await sb.aio.launch(allow_evaluate=True)
    try:
        page = await browser.open(site.url)
        await page.evaluate(
            """(() => { const frame = document.createElement("iframe"); document.body.append(frame);
            const inner = frame.contentWindow;
            for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
              inner.addEventListener(type, (event) => {
                event.stopImmediatePropagation();
                if (type === "mousedown") document.title = "pressed";
              }, true);
            inner.document.body.innerHTML = "<button>Inner</button>"; })()"""
        )
        await page.click("button 'Inner'", timeout=10)
        assert await page.evaluate("document.title") == "pressed"
    finally:
        await browser.close()
