"""Whether a page and its browser are still there, for what shows them."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod

from skillbook.notebook.escaping import shorten
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page.page_reader import UNSHARED
from skillbook.session.page_driver import PageDriver

_LONGEST = 200


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
        driver = self._driver_of()
        if driver is None or driver.browser is self._browser:
            return
        self._browser = driver.browser
        changed, listeners = self._changed, driver.browser.listeners
        ends: list[Callable[[], object]] = []

        def tell(*_: object) -> None:
            if (alive := changed()) is not None:
                alive()
                return
            for end in ends:
                end()
            ends.clear()

        listeners.append(tell)
        ends.append(lambda: listeners.remove(tell))
        if isinstance(driver.browser, BrowserDriver):
            ends.append(driver.browser.server.on_status(tell))

    @property
    def gone(self) -> str:
        """What is gone, and the way on; "" while the page is there."""
        driver = self._driver_of()
        if driver is None:
            return ""
        browser = driver.browser
        again = (
            "browser.relaunch() starts it again."
            if browser.process is not None
            else "sb.connect() pairs it again."
        )
        if browser.gateway.closed:
            return f"The browser was closed. {again}"
        if browser.process is not None and browser.process.wait_exit(0) is not None:
            return f"The browser has ended ({browser.process.ending}). {again}"
        if driver.closed == UNSHARED:
            return "The page isn't shared any more. The extension's popup shares it again."
        if driver.closed:
            return "The page was closed. browser.open() opens one."
        status = browser.server.status if isinstance(browser, BrowserDriver) else None
        if status is None or status.state == "connected":
            return ""
        why = f": {shorten(status.last_error.message, _LONGEST)}" if status.last_error else ""
        return f"The browser doesn't answer{why}. It goes on as soon as it does."
