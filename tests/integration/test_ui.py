"""The extension's own pages as a person sees them: the pairing question and the popup."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from playwright.async_api import BrowserContext, Page, expect

import skillbook as sb
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.testing.site import serve_site
from tests.integration.test_connect import links, own_browser
from tests.integration.users_browser import answer, until

__all__ = ["links", "own_browser"]
IMAGES = Path(__file__).parents[2] / "docs" / "images"
"""Written where the environment has WRITE_IMAGES."""


async def capture(page: Page, name: str) -> None:
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert await page.evaluate(fits), "something is wider than the page"
    taken = await page.screenshot()
    if os.environ.get("WRITE_IMAGES"):
        (IMAGES / name).write_bytes(taken)


async def test_the_pairing_question_and_the_popup(own_browser: BrowserContext, links: list[str]) -> None:
    connecting = asyncio.ensure_future(sb.aio.connect(name="prices.ipynb", timeout=30))
    await until(lambda: bool(links), "no pairing link was shown")
    async with own_browser.expect_page(lambda page: "confirm" in page.url) as asked:
        await (await own_browser.new_page()).goto(links[0])
    confirm = await asked.value
    await confirm.set_viewport_size({"width": 460, "height": 520})
    await expect(confirm.get_by_role("heading", level=1)).to_contain_text("prices.ipynb")
    await capture(confirm, "pair.png")
    await answer(confirm, "Pair")
    browser = await connecting
    with serve_site("shop") as shop:
        first = await browser.open(shop.url)
        await first.fill("searchbox 'Search products'", "lamp")
        await browser.open(f"{shop.url}/stores")
        popup = await own_browser.new_page()
        await popup.set_viewport_size({"width": 380, "height": 520})
        await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
        kernel = popup.get_by_role("region", name="prices.ipynb")
        await expect(kernel.get_by_role("listitem")).to_have_count(2)
        await kernel.get_by_text("Last commands").click()
        await expect(kernel.get_by_role("row").filter(has_text="fill")).to_contain_text("ok")
        await next(page for page in own_browser.pages if page.url.endswith("/stores")).bring_to_front()
        await expect(popup.get_by_role("region", name="This tab")).to_contain_text("Stores")
        await capture(popup, "popup.png")
        await first.emulate("iPhone 15")
        await next(page for page in own_browser.pages if page.url == first.url).bring_to_front()
        await expect(popup.get_by_role("region", name="This tab")).to_contain_text("as on iPhone 15")
        await first.emulate(None)
        await expect(popup.get_by_role("region", name="This tab")).not_to_contain_text("iPhone")
    await browser.close()
