"""The side panel's page in a tab of a launched browser, which a test drives by Playwright."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

import skillbook as sb
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.session.sync import Browser
from tests.waiting import until

PANEL = f"chrome-extension://{EXTENSION_ID}/sidepanel.html"
POPUP = f"chrome-extension://{EXTENSION_ID}/popup.html"
PATIENCE = 30.0
WIDTH, HEIGHT = 360, 720
IMAGES = Path(__file__).parents[2] / "docs" / "images" / "side_panel"
"""Written where the environment has WRITE_IMAGES."""


class PanelWorld:
    """A browser, and its tabs as Playwright has them."""

    def __init__(self, browser: Browser, context: BrowserContext) -> None:
        self.browser = browser
        self.context = context
        context.set_default_timeout(PATIENCE * 1000)

    def open_panel(self, url: str = PANEL) -> Page:
        """A page of the extension, in a tab, of the side panel's size."""
        page = self.context.new_page()
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.goto(url)
        return page

    def show(self, url: str) -> Page:
        """Open a shared tab in front, which is the one that the panel is about."""
        with self.context.expect_page() as opened:
            self.browser.open(url)
        page = opened.value
        page.bring_to_front()
        return page

    def kill_worker(self) -> None:
        """End the extension's worker, as the browser does when it wants memory."""
        session = self.context.browser.new_browser_cdp_session()  # type: ignore[union-attr]
        for target in session.send("Target.getTargets")["targetInfos"]:
            if target["type"] == "service_worker":
                session.send("Target.closeTarget", {"targetId": target["targetId"]})
        session.detach()


@contextmanager
def panel_world(folder: Path, *, page_tools: bool = False) -> Iterator[PanelWorld]:
    """Launch a browser; everything that it writes goes into a folder."""
    profile = folder / "profile"
    expect.set_options(timeout=PATIENCE * 1000)
    port_option = ("--remote-debugging-port=0",)
    browser = sb.launch(user_data_dir=str(profile), args=port_option, page_tools=page_tools)
    try:
        port = profile / "DevToolsActivePort"
        until(lambda: port.exists() and "\n" in port.read_text(), "the browser names no port")
        with sync_playwright() as playwright:
            address = f"http://127.0.0.1:{port.read_text().splitlines()[0]}"
            devtools = playwright.chromium.connect_over_cdp(address)
            yield PanelWorld(browser, devtools.contexts[0])
    finally:
        browser.close()


def narrow_pictures(page: Page) -> list[bytes]:
    """The panel at its narrowest, light and dark; none unless WRITE_IMAGES is set."""
    if not os.environ.get("WRITE_IMAGES"):
        return []
    wide = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 720})
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found.append(page.screenshot(animations="disabled"))
    page.emulate_media(color_scheme="light")
    if wide:
        page.set_viewport_size(wide)
    return found


def keep_sheet(pictures: list[bytes], name: str) -> None:
    """Write pictures, light and dark in turn, as one: those of a scheme in a row."""
    if not pictures:
        return
    from PIL import Image

    images = [Image.open(BytesIO(picture)) for picture in pictures]
    width, height = images[0].size
    across = (len(images) // 2 + 1) // 2
    sheet = Image.new("RGB", (across * width, 4 * height), "white")
    for at, image in enumerate(images):
        place, is_dark = divmod(at, 2)
        row = place // across * 2 + is_dark
        sheet.paste(image, (place % across * width, row * height))
    small = sheet.resize((sheet.width // 2, sheet.height // 2)).quantize(96)
    small.save(IMAGES / f"{name}.png", optimize=True)


def keep_picture(page: Page, name: str) -> None:
    """Write a picture for the docs, if WRITE_IMAGES is set."""
    if os.environ.get("WRITE_IMAGES"):
        page.screenshot(path=IMAGES / f"{name}.png", animations="disabled")
