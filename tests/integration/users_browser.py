"""The browser of a user, with the extension loaded by hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import BrowserContext, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from skillbook.launcher.chromium_search import find_chromium
from skillbook.launcher.profile import EXTENSION_ID, extension_path

_QUIET = (
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
)


@asynccontextmanager
async def open_own_browser(profile: Path, *args: str) -> AsyncIterator[BrowserContext]:
    """Start a browser that knows nothing of any kernel."""
    folder = str(extension_path())
    args = (
        "--headless=new",
        f"--load-extension={folder}",
        f"--disable-extensions-except={folder}",
        *_QUIET,
        *args,
    )
    if os.geteuid() == 0:
        args += ("--no-sandbox",)
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            str(profile), executable_path=str(find_chromium().path), headless=False, args=list(args)
        )
        yield context
        await context.close()


async def open_popup(context: BrowserContext) -> Page:
    """The extension's popup, in a tab."""
    page = await context.new_page()
    await page.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    return page


async def pair(context: BrowserContext, link: str) -> None:
    """Open a pairing link and click *Pair*."""
    page = await context.new_page()
    async with context.expect_page(lambda other: "confirm" in other.url) as asked:
        await page.goto(link)
    await answer(await asked.value, "Pair")


async def answer(confirm: Page, name: str) -> None:
    """Press a button of the page that asks the user, which closes itself then.

    The browser may tell that the page is closed before it tells that the press is done.
    """
    async with confirm.expect_event("close"):
        try:
            await confirm.get_by_role("button", name=name).click()
        except PlaywrightError as error:
            if "has been closed" not in error.message:
                raise


async def until(holds: Callable[[], bool], what: str, seconds: float = 15) -> None:
    """Wait for a condition of this process."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not holds():
        assert loop.time() < deadline, what
        await asyncio.sleep(0.01)


async def page_of(context: BrowserContext, fits: Callable[[str], bool]) -> Page:
    """The page whose address fits, once Playwright knows it."""

    def found() -> list[Page]:
        return [page for page in context.pages if fits(page.url)]

    await until(lambda: bool(found()), "no such page came")
    return found()[0]
