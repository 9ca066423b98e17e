"""skillbook and Playwright on one and the same Chromium."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright
from playwright.sync_api import Page as PlaywrightPage

import skillbook as sb
from skillbook.session.sync import Browser, Page


@dataclass
class Peers:
    """A browser that both drive."""

    browser: Browser
    context: BrowserContext

    def open(self, url: str) -> tuple[Page, PlaywrightPage]:
        """Open a URL once, and find the same tab from Playwright."""
        page = self.browser.open(url)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for peer in self.context.pages:
                if peer.url == page.url:
                    peer.wait_for_load_state()
                    return page, peer
            self.context.pages[0].evaluate("1")
        raise TimeoutError(f"Playwright doesn't see {url}")


@contextmanager
def start_peers(folder: Path) -> Iterator[Peers]:
    """Start Chromium with the extension, and connect Playwright to it."""
    profile = folder / "profile"
    browser = sb.launch(user_data_dir=str(profile), args=["--remote-debugging-port=0"])
    try:
        port = (profile / "DevToolsActivePort").read_text(encoding="utf-8").split()[0]
        with sync_playwright() as playwright:
            peer = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
            yield Peers(browser, peer.contexts[0])
            peer.close()
    finally:
        browser.close()


def median_ms(action: Callable[[], object], times: int) -> float:
    """The median of so many calls in milliseconds, after one that isn't counted."""
    action()
    took = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        took.append((time.perf_counter() - started) * 1000)
    return sorted(took)[len(took) // 2]
