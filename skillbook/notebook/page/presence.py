"""Whether a page and its browser are still there, for what shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from skillbook.notebook.escaping import shorten
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page.page_reader import UNSHARED
from skillbook.session.page_driver import PageDriver

_LONGEST = 200


def follow_browser(browser: Any, changed: Callable[[], None]) -> None:
    """Call a method, as long as its object lives, when something of a browser or of its pages changed."""
    method = WeakMethod(changed)
    ends: list[Callable[[], object]] = []

    def tell(*_: object) -> None:
        if (alive := method()) is not None:
            alive()
            return
        for end in ends:
            end()
        ends.clear()

    browser.listeners.append(tell)
    ends.append(lambda: browser.listeners.remove(tell))
    if isinstance(browser, BrowserDriver):
        ends.append(browser.server.on_status(tell))


def end_of(browser: Any) -> str:
    """How a browser has ended, and the way on; "" where it hasn't."""
    again = (
        "browser.relaunch() starts it again."
        if browser.process is not None
        else "sb.connect() pairs it again."
    )
    if browser.gateway.closed:
        return f"The browser was closed. {again}"
    if browser.process is not None and browser.process.wait_exit(0) is not None:
        return f"The browser has ended ({browser.process.ending}). {again}"
    return ""


def silence_of(browser: Any) -> str:
    """Why a browser doesn't answer now, although it hasn't ended; "" where it does."""
    status = browser.server.status if isinstance(browser, BrowserDriver) else None
    if status is None or status.state == "connected":
        return ""
    why = f": {shorten(status.last_error.message, _LONGEST)}" if status.last_error else ""
    return f"The browser doesn't answer{why}. It goes on as soon as it does."


class Presence:
    """Notices when a page is closed, or its browser ends or stops answering. Used on the I/O thread only.

    driver_of: gives the page, which may change; None while there is none.
    changed: called, as long as its object lives, when something of this changed.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self._driver_of = driver_of
        self._changed = WeakMethod(changed)
        self._browser: object = None
        self.follow()

    def follow(self) -> None:
        """Notice what happens to the browser of the page that there is now."""
        driver, changed = self._driver_of(), self._changed()
        if driver is None or changed is None or driver.browser is self._browser:
            return
        self._browser = driver.browser
        follow_browser(driver.browser, changed)

    @property
    def gone(self) -> str:
        """What is gone, and the way on; "" while the page is there."""
        driver = self._driver_of()
        if driver is None:
            return ""
        if ended := end_of(driver.browser):
            return ended
        if driver.closed == UNSHARED:
            return "The page isn't shared any more. The extension's popup shares it again."
        if driver.closed:
            return "The page was closed. browser.open() opens one."
        return silence_of(driver.browser)
