"""skillbook and Playwright on one and the same Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, CDPSession, sync_playwright
from playwright.sync_api import Page as PlaywrightPage

import skillbook as sb
from skillbook.errors import PageClosed
from skillbook.session.sync import Browser, Page

_SECONDS = 30.0
_OPEN_SECONDS = 120.0  # a page of 100,000 rows takes its time to load
_ARIA_SECONDS = 300.0
# An application that wants a confirmation before one leaves would stop the reload.
_LEAVE = "addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)"


@dataclass
class Tab:
    """One tab that both drive.

    Attributes
    ----------
    label : what reports call its page.
    ours, theirs : skillbook's and Playwright's page.
    ready : selector of an element that is there when the page is.
    act : selector of what a user would click next.
    rounds : how often to time.
    """

    label: str
    ours: Page
    theirs: PlaywrightPage
    ready: str
    act: str
    rounds: int

    def reload(self) -> None:
        """Load the document anew, without a snapshot by skillbook."""
        before = self.theirs.evaluate("performance.timeOrigin")
        self.theirs.reload(wait_until="load")
        self.theirs.wait_for_function("before => performance.timeOrigin !== before", arg=before)
        self.settle()

    def settle(self) -> None:
        """Wait until the page is ready."""
        self.theirs.wait_for_selector(self.ready, timeout=_SECONDS * 1000)
        self.theirs.evaluate(_LEAVE)

    def aria(self) -> str:
        """Playwright's text of the page for models."""
        return self.theirs.aria_snapshot(mode="ai", timeout=_ARIA_SECONDS * 1000)

    def cdp(self) -> CDPSession:
        """A DevTools session of the tab."""
        return self.theirs.context.new_cdp_session(self.theirs)


@dataclass
class Peers:
    """A browser that both drive."""

    browser: Browser
    context: BrowserContext
    endpoint: str
    version: str

    @contextmanager
    def open(self, url: str, label: str, ready: str, act: str = "", rounds: int = 5) -> Iterator[Tab]:
        """Open a URL, find the same tab from Playwright, and wait for an element."""
        known = set(self.context.pages)
        page = self.browser.open(url, timeout=_OPEN_SECONDS)
        try:
            deadline = time.monotonic() + _SECONDS
            while not (fresh := [peer for peer in self.context.pages if peer not in known]):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"Playwright doesn't see {url}")
                self.context.pages[0].evaluate("1")
            tab = Tab(label, page, fresh[-1], ready, act or ready, rounds)
            tab.settle()
            yield tab
            # Playwright closes without asking the page.
            fresh[-1].close()
        finally:
            # The news that Playwright closed it may be on its way.
            with suppress(PageClosed):
                page.close()


@contextmanager
def start_peers(folder: Path) -> Iterator[Peers]:
    """Start Chromium with the extension, and connect Playwright to it."""
    profile = folder / "profile"
    browser = sb.launch(
        user_data_dir=str(profile), args=["--remote-debugging-port=0", "--remote-allow-origins=*"]
    )
    try:
        port = (profile / "DevToolsActivePort").read_text(encoding="utf-8").split()[0]
        endpoint = f"http://127.0.0.1:{port}"
        with sync_playwright() as playwright:
            peer = playwright.chromium.connect_over_cdp(endpoint)
            yield Peers(browser, peer.contexts[0], endpoint, peer.version)
            peer.close()
    finally:
        browser.close()
