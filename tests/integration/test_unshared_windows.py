"""A window that isn't shared is never touched: acting in one that it is related to is refused, reading isn't."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import BrowserContext, Page, Worker

import skillbook as sb
from skillbook.errors import NotAllowed
from skillbook.io_thread import io
from skillbook.testing.site import Site
from tests.faults.attack.related import ACTING, OTHER, serve_related
from tests.faults.attack.site import serve_attack
from tests.integration.test_connect import links, own_browser
from tests.integration.test_pairings import connected, worker_of
from tests.integration.test_sharing import sees, tab_of

__all__ = ["links", "own_browser"]

SHARE = """([entry, tab]) => chrome.tabs.get(tab).then(found =>
    chrome.contextMenus.onClicked.dispatch({menuItemId: entry, editable: false}, found))"""
IS_ATTACHED = """tabId => chrome.debugger.sendCommand({tabId}, 'Page.getNavigationHistory')
    .then(() => true, () => false)"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_attack() as site:
        serve_related(site, "popup")
        yield site


async def opened(own: BrowserContext, page: Page, script: str) -> Page:
    """The window that a script of a page opens."""
    async with own.expect_page() as coming:
        await page.evaluate(f"() => {{ {script} }}")
    window = await coming.value
    await window.wait_for_load_state()
    return window


async def share(browser: sb.aio.Browser, worker: Worker, page: Page) -> None:
    await worker.evaluate(SHARE, [f"share:{browser.driver.server.kernel.id}", await tab_of(worker, page)])


async def acts(browser: sb.aio.Browser, url: str) -> None:
    """An agent presses the control that sends something through the other window."""
    page = next(page for page in browser.pages if page.url == url)
    await io.wait(page.driver.act("click", "button 'fetch'", actor="agent"))


async def test_fault_66_acting_is_refused_and_reading_is_not(
    own_browser: BrowserContext, links: list[str], site: Site
) -> None:
    browser, worker = await connected("a.ipynb", own_browser, links), await worker_of(own_browser)
    page = await own_browser.new_page()
    await page.goto(site.url + ACTING)
    kid = await opened(own_browser, page, f"window.kid = open('{OTHER}')")
    await share(browser, worker, page)
    await sees(browser, page.url)
    with pytest.raises(NotAllowed, match="a window that isn't shared") as refused:
        await acts(browser, page.url)
    assert "share that tab, too" in refused.value.hint
    assert await worker.evaluate(IS_ATTACHED, await tab_of(worker, page))
    assert not await worker.evaluate(IS_ATTACHED, await tab_of(worker, kid))
    assert "fetch" in (await browser.pages[0].snapshot()).text()
    await kid.evaluate("fetch('/write/person', {method: 'POST'})")
    assert site.app.arrived == ["POST /write/person"], "a person's doing there isn't held"
    await share(browser, worker, kid)
    await sees(browser, page.url, kid.url)
    await acts(browser, page.url)
    assert site.app.arrived == ["POST /write/person"], "the shared window is held"
    await browser.close()


@pytest.mark.more
@pytest.mark.parametrize(
    "script",
    [
        "window.kid = open(OTHER); kid.opener = null",
        "window.kid = open('')",
        "window.kid = open(FAR)",
    ],
    ids=["without its opener", "an empty one", "of another site"],
)
async def test_fault_66_acting_is_refused_by_whichever_popup(
    script: str, own_browser: BrowserContext, links: list[str], site: Site
) -> None:
    browser, worker = await connected("a.ipynb", own_browser, links), await worker_of(own_browser)
    page = await own_browser.new_page()
    await page.goto(site.url + ACTING)
    far = site.url.replace("127.0.0.1", "localhost") + "/far"
    kid = await opened(own_browser, page, script.replace("OTHER", f"'{OTHER}'").replace("FAR", f"'{far}'"))
    await share(browser, worker, page)
    await sees(browser, page.url)
    with pytest.raises(NotAllowed, match="a window that isn't shared"):
        await acts(browser, page.url)
    await kid.close()
    await page.evaluate("() => { window.kid = window }")
    await acts(browser, page.url)
    assert site.app.arrived == []
    await browser.close()


@pytest.mark.parametrize(
    "script",
    [
        "open(OTHER, '_blank', 'noopener')",
        "Object.assign(document.createElement('a'), {target: '_blank', href: OTHER}).click()",
        "open(OTHER + '?coop')",
    ],
    ids=["noopener", "link", "COOP"],
)
async def test_windows_that_cant_reach_one_another_refuse_nothing(
    script: str, own_browser: BrowserContext, links: list[str], site: Site
) -> None:
    browser, worker = await connected("a.ipynb", own_browser, links), await worker_of(own_browser)
    page = await own_browser.new_page()
    await page.goto(site.url + ACTING)
    other = await opened(own_browser, page, script.replace("OTHER", f"'{OTHER}'"))
    await page.evaluate("() => { window.kid = window }")
    await share(browser, worker, page)
    await sees(browser, page.url)
    await acts(browser, page.url)
    assert not await worker.evaluate(IS_ATTACHED, await tab_of(worker, other))
    assert site.app.arrived == []
    await browser.close()


async def test_fault_66_relations_outlive_the_extensions_worker(
    own_browser: BrowserContext, links: list[str], site: Site
) -> None:
    browser, worker = await connected("a.ipynb", own_browser, links), await worker_of(own_browser)
    page = await own_browser.new_page()
    await page.goto(site.url + ACTING)
    await opened(own_browser, page, f"window.kid = open('{OTHER}')")
    kept = await worker.evaluate("() => chrome.storage.session.get('related_windows')")
    tab = await tab_of(worker, page)
    assert tab in [opened["by"] for _, opened in kept["related_windows"]]
    await browser.close()
