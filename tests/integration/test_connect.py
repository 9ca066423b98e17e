"""Pairing a browser that skillbook did not start, by one click."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

import skillbook as sb
from skillbook.errors import NotConnected
from skillbook.hooks import hooks
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.testing.site import serve_site
from tests.integration.users_browser import answer, open_own_browser, until


@pytest.fixture
async def own_browser(tmp_path: Path) -> AsyncIterator[BrowserContext]:
    """A user's browser, with the extension loaded by hand."""
    async with open_own_browser(tmp_path / "profile") as context:
        yield context


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The pairing links that were shown."""
    shown: list[str] = []
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(hooks, "pair_link", lambda url, name: shown.append(url))
    return shown


async def test_one_click_pairs_and_only_shared_tabs_are_seen(
    own_browser: BrowserContext, links: list[str]
) -> None:
    browser = await sb.aio.connect(name="analysis.ipynb", wait=False)
    assert browser.status.state == "waiting"
    with serve_site() as shop:
        private = await own_browser.new_page()
        await private.goto(shop.url)
        page = await own_browser.new_page()
        async with own_browser.expect_page(lambda other: EXTENSION_ID in other.url) as opened:
            await page.goto(links[0])
        confirm = await opened.value
        await confirm.get_by_text("analysis.ipynb").first.wait_for()
        await answer(confirm, "Pair")
        await until(lambda: browser.status.state == "connected", "the browser did not dial in")

        assert await browser.refresh() == []
        shared = await browser.open(shop.url)
        assert "Oak" in shared.title
        assert len(browser.pages) == 1
        await shared.fill("searchbox 'Search products'", "lamp")
        assert await shared.get("value", "searchbox 'Search products'") == "lamp"

        again = await private.goto(links[0])
        assert again is not None
        assert again.status >= 400, "a pairing link works once"
    await browser.close()
    assert browser.status.state == "closed"


async def test_nobody_pairs(links: list[str]) -> None:
    with pytest.raises(NotConnected):
        await sb.aio.connect(timeout=0.3)
    assert len(links) == 1
