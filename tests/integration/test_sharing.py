"""How a user shares tabs in a real browser: by the popup, the context menu, and dragging into the group.

A headless browser has no menu and no tab strip to touch. An entry of the menu is chosen by the event that the browser
would send, at the worker's own listener, for an entry that the browser holds; dragging is the browser's own move into
the group, which the extension hears of as of one by hand.
"""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import BrowserContext, Page, Worker

import skillbook as sb
from skillbook.testing.site import serve_site
from tests.integration.test_connect import links, own_browser
from tests.integration.test_pairings import connected, search, worker_of
from tests.integration.users_browser import open_popup, until

__all__ = ["links", "own_browser"]


async def tab_of(worker: Worker, page: Page) -> int:
    found = await worker.evaluate(
        "url => chrome.tabs.query({}).then(all => all.filter(t => t.url === url))", page.url
    )
    assert len(found) == 1
    return int(found[0]["id"])


async def group_of(worker: Worker, tab: int) -> int:
    return int(await worker.evaluate("tab => chrome.tabs.get(tab).then(found => found.groupId)", tab))


async def sees(browser: sb.aio.Browser, *urls: str) -> None:
    await until(
        lambda: sorted(page.url for page in browser.pages) == sorted(urls), f"{browser.pages} isn't {urls}"
    )


async def test_the_popup_shares_a_tab_and_takes_it_back(
    own_browser: BrowserContext, links: list[str]
) -> None:
    browser = await connected("prices.ipynb", own_browser, links)
    with serve_site("shop") as shop:
        mine = await own_browser.new_page()
        await mine.goto(shop.url)
        popup = await open_popup(own_browser)
        region = popup.get_by_role("region", name="This tab")
        await mine.bring_to_front()
        await region.get_by_role("button", name="Share this tab").click()
        await sees(browser, mine.url)
        assert await search(browser.pages[0], "lamp") == "lamp", "sharing allows the origin"
        worker = await worker_of(own_browser)
        assert await group_of(worker, await tab_of(worker, mine)) != -1
        await region.get_by_role("button", name="Stop sharing").click()
        await sees(browser)
    await browser.close()


async def test_the_context_menu_shares_a_tab_and_takes_it_back(
    own_browser: BrowserContext, links: list[str]
) -> None:
    names = ["one.ipynb", "two & three.ipynb"]
    first, second = [await connected(name, own_browser, links) for name in names]
    worker = await worker_of(own_browser)
    with serve_site("shop") as shop:
        mine = await own_browser.new_page()
        await mine.goto(shop.url)
        tab = await tab_of(worker, mine)
        entry = f"share:{second.driver.server.kernel.id}"
        held = "id => chrome.contextMenus.update(id, {}).then(() => true, () => false)"
        assert await worker.evaluate(held, entry), "the browser has no such entry"
        assert not await worker.evaluate(held, "share:nobody")
        choose = """([entry, tab]) => chrome.tabs.get(tab).then(found =>
            chrome.contextMenus.onClicked.dispatch({menuItemId: entry, editable: false}, found))"""
        await worker.evaluate(choose, [entry, tab])
        await sees(second, mine.url)
        assert first.pages == []
        assert await search(second.pages[0], "lamp") == "lamp"
        await worker.evaluate(choose, [entry, tab])
        await sees(second)
        await second.close()
        gone = """async entry => {
            for (;;) if (!await chrome.contextMenus.update(entry, {}).then(() => true, () => false)) return true }"""
        assert await asyncio.wait_for(worker.evaluate(gone, entry), 10), "the ended kernel is still offered"
    await first.close()


@pytest.mark.more
async def test_dragging_into_the_group_and_out_of_it(own_browser: BrowserContext, links: list[str]) -> None:
    browser = await connected("prices.ipynb", own_browser, links)
    worker = await worker_of(own_browser)
    with serve_site("shop") as shop:
        own = await browser.open(f"{shop.url}/stores")
        group = await group_of(worker, own.driver.tab.id)
        mine = await own_browser.new_page()
        await mine.goto(shop.url)
        tab = await tab_of(worker, mine)
        await worker.evaluate(
            "([tab, group]) => chrome.tabs.group({tabIds: tab, groupId: group})", [tab, group]
        )
        await sees(browser, own.url, mine.url)
        page = next(page for page in browser.pages if page.url == mine.url)
        assert await search(page, "lamp") == "lamp", "sharing allows the origin"
        await worker.evaluate("tab => chrome.tabs.ungroup(tab)", tab)
        await sees(browser, own.url)
        assert page.closed
        popup = await open_popup(own_browser)
        region = popup.get_by_role("region", name="prices.ipynb")
        await region.get_by_role("listitem").get_by_text(re.compile("Stores")).wait_for()
    await browser.close()


async def test_the_active_page_is_the_one_in_front(own_browser: BrowserContext, links: list[str]) -> None:
    browser = await connected("prices.ipynb", own_browser, links)
    worker = await worker_of(own_browser)
    with serve_site("shop") as shop:
        first = await browser.open(shop.url)
        second = await browser.open(f"{shop.url}/stores")
        assert browser.active is second
        await first.switch()
        assert browser.active is first
        await worker.evaluate("tab => chrome.tabs.update(tab, {active: true})", second.driver.tab.id)
        await until(lambda: browser.active is second, "the tab that the user turned to is in front")
    await browser.close()
