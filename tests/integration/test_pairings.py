"""Pairings of real browsers: revoked, two at once, several kernels at once, after a restart, with a busy kernel."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Worker, expect

import skillbook as sb
from skillbook.errors import NotConnected
from skillbook.testing.site import serve_site
from tests.integration.test_connect import links, own_browser
from tests.integration.users_browser import open_own_browser, open_popup, pair, until

__all__ = ["links", "own_browser"]


async def connected(name: str, own: BrowserContext, links: list[str]) -> sb.aio.Browser:
    """A kernel that a browser is paired with."""
    browser = await sb.aio.connect(name=name, wait=False)
    await pair(own, links[-1])
    await until(lambda: browser.status.state == "connected", "the browser did not dial in")
    return browser


async def worker_of(own: BrowserContext) -> Worker:
    return own.service_workers[0] if own.service_workers else await own.wait_for_event("serviceworker")


async def search(page: sb.aio.Page, text: str) -> str:
    await page.fill("searchbox 'Search products'", text)
    return str(await page.get("value", "searchbox 'Search products'"))


async def test_unpair_takes_token_tabs_and_debugger_back(
    own_browser: BrowserContext, links: list[str]
) -> None:
    browser = await connected("prices.ipynb", own_browser, links)
    worker, token = await worker_of(own_browser), browser.driver.server.token
    with serve_site("shop") as shop:
        page = await browser.open(shop.url)
        await search(page, "lamp")
        tab = page.driver.tab.id
        groups = f"chrome.tabs.get({tab}).then((tab) => tab.groupId)"
        debugged = (
            f"chrome.debugger.sendCommand({{tabId: {tab}}}, 'Page.enable').then(() => true, () => false)"
        )
        tokens = "chrome.storage.session.get().then((found) => JSON.stringify(found))"
        assert await worker.evaluate(groups) != -1
        assert await worker.evaluate(debugged)
        assert token in await worker.evaluate(tokens)

        await browser.unpair()

        assert (browser.status.state, browser.pages) == ("waiting", [])
        assert page.closed
        popup = await open_popup(own_browser)
        region = popup.get_by_role("region", name="prices.ipynb")
        await region.get_by_text("ended").wait_for()
        await region.get_by_text("sees no tab").wait_for()
        assert not await worker.evaluate(debugged)
        assert await worker.evaluate(groups) == -1
        assert token not in await worker.evaluate(tokens)
        with pytest.raises(NotConnected):
            await browser.open(shop.url)

        await browser.pair(wait=False)
        await pair(own_browser, links[-1])
        await until(lambda: browser.status.state == "connected", "it can't be paired again")
        assert await browser.refresh() == []
        assert await search(await browser.open(shop.url), "desk") == "desk"
    await browser.close()


async def test_fault_06_a_second_browser_is_refused_and_replies_stay_apart(
    own_browser: BrowserContext, links: list[str], tmp_path: Path
) -> None:
    browser = await connected("prices.ipynb", own_browser, links)
    with serve_site("shop") as shop:
        page = await browser.open(shop.url)
        async with open_own_browser(tmp_path / "second") as second:
            await browser.pair(wait=False)
            typing = [asyncio.create_task(search(page, f"word {number}")) for number in range(5)]
            await pair(second, links[-1])
            popup = await open_popup(second)
            region = popup.get_by_role("region", name="prices.ipynb")
            await region.get_by_text("refused").wait_for()
            await region.get_by_text("another browser profile").wait_for()
            assert "Another browser profile" in browser.status.notice
            assert browser.status.state == "connected"
            assert {each[:5] for each in await asyncio.gather(*typing)} == {"word "}
        first = await open_popup(own_browser)
        await (
            first.get_by_role("region", name="prices.ipynb").get_by_text(re.compile("^connected")).wait_for()
        )
        assert await search(page, "still here") == "still here"
    await browser.close()


async def test_several_kernels_at_once_work_in_one_browser(
    own_browser: BrowserContext, links: list[str]
) -> None:
    names = ["one.ipynb", "two.ipynb", "three.ipynb"]
    browsers = [await connected(name, own_browser, links) for name in names]
    with serve_site("shop") as shop:
        pages = [await browser.open(shop.url) for browser in browsers]
        found = await asyncio.gather(*(search(page, name) for page, name in zip(pages, names, strict=True)))
        assert found == names
        for browser, page in zip(browsers, pages, strict=True):
            assert await browser.refresh() == [page]
        popup = await open_popup(own_browser)
        for name in names:
            region = popup.get_by_role("region", name=name)
            await expect(region.get_by_role("listitem")).to_have_count(1)
            await region.get_by_text(re.compile("^connected")).wait_for()
        await browsers[0].close()
        await popup.get_by_role("region", name=names[0]).get_by_text("ended").wait_for()
        assert [browser.status.state for browser in browsers] == ["closed", "connected", "connected"]
        assert await search(pages[1], "after") == "after"
    for browser in browsers:
        await browser.close()


async def test_a_restarted_browser_has_forgotten_and_is_paired_again(
    links: list[str], tmp_path: Path
) -> None:
    async with open_own_browser(tmp_path / "profile") as own:
        browser = await connected("prices.ipynb", own, links)
        with serve_site("shop") as shop:
            await browser.open(shop.url)
    await until(lambda: browser.status.state == "lost", "the end of the browser was not noticed")
    async with open_own_browser(tmp_path / "profile") as own:
        popup = await open_popup(own)
        await popup.get_by_text("Nothing is paired").wait_for()
        with serve_site("shop") as shop:
            with pytest.raises(NotConnected) as refused:
                await browser.open(shop.url, timeout=0.5)
            assert "browser.pair()" in refused.value.hint
            await browser.pair(wait=False)
            await pair(own, links[-1])
            await until(lambda: browser.status.state == "connected", "it can't be paired again")
            assert not browser.status.resumed
            await until(lambda: browser.pages == [], "tabs of before are still there")
            assert await search(await browser.open(shop.url), "desk") == "desk"
    await browser.close()


def hold_the_interpreter(seconds: float) -> None:
    """Keep every thread of this process from running for that long, in one call: PyDLL keeps the lock."""
    ctypes.PyDLL(None).usleep(round(seconds * 1e6))


def test_a_busy_kernel_stays_connected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    monkeypatch.setenv("SKILLBOOK_HEARTBEAT_SECONDS", "0.5")
    browser = sb.launch()
    try:
        session, since = browser.status.session, browser.status.since
        end = time.monotonic() + 2
        while time.monotonic() < end:
            pass
        assert (browser.status.session, browser.status.since) == (session, since)
        hold_the_interpreter(2.5)
        with serve_site("shop") as shop:
            page = browser.open(shop.url)
            page.fill("searchbox 'Search products'", "lamp")
            assert page.get("value", "searchbox 'Search products'") == "lamp"
        assert (browser.status.state, browser.status.session, browser.status.since) == (
            "connected",
            session,
            since,
        )
    finally:
        browser.close()


BUSY_KERNEL = """
import ctypes, sys
import skillbook as sb
from skillbook.hooks import hooks

hooks.pair_link = lambda url, name: print(url, flush=True)
browser = sb.connect(name="busy.ipynb", wait=False)
for line in sys.stdin:
    ctypes.PyDLL(None).usleep(int(line) * 1_000_000)  # keeps the interpreter's lock
    print("free", flush=True)
browser.close()
"""


@pytest.mark.more
async def test_the_popup_tells_how_long_a_busy_kernel_has_been_silent(
    own_browser: BrowserContext, tmp_path: Path
) -> None:
    env = os.environ | {"SKILLBOOK_HOME": str(tmp_path / "home"), "SKILLBOOK_HEARTBEAT_SECONDS": "0.5"}
    kernel = await asyncio.create_subprocess_exec(
        sys.executable, "-c", BUSY_KERNEL, stdin=PIPE, stdout=PIPE, env=env
    )
    assert kernel.stdin is not None
    assert kernel.stdout is not None
    try:
        await pair(own_browser, (await kernel.stdout.readline()).decode().strip())
        popup = await open_popup(own_browser)
        region = popup.get_by_role("region", name="busy.ipynb")
        await region.get_by_text(re.compile("^connected.*last message [01] s ago")).wait_for()
        kernel.stdin.write(b"5\n")
        await kernel.stdin.drain()
        await region.get_by_text(re.compile(r"^connected.*silent for [3-9] s")).wait_for()
        assert (await kernel.stdout.readline()).decode().strip() == "free"
        await region.get_by_text(re.compile("^connected.*last message [01] s ago")).wait_for()
    finally:
        kernel.stdin.close()
        await asyncio.wait_for(kernel.wait(), 20)
    await region.get_by_text("ended").wait_for()
