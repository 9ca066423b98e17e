"""A page's view kept fresh: after each change its latest snapshot and a new screenshot."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from skillbook.errors import SkillbookError
from skillbook.notebook.page_rows import view_of
from skillbook.notebook.source import PageView, Shot
from skillbook.protocol.commands.read import ScreenshotResult

if TYPE_CHECKING:
    from skillbook.session.drivers import PageDriver

_JPEG_QUALITY = 70
_SETTLE_SECONDS = 5.0
_refreshing: ContextVar[bool] = ContextVar("_refreshing", default=False)


class PageWatcher:
    """Holds the newest view of a page. Used on the I/O thread only.

    Parameters
    ----------
    driver_of : gives the page to show, which may change; None while there is none.
    changed : called when there is a new view.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self.view: PageView | None = None
        self._driver_of = driver_of
        self._changed = changed
        self._again = False
        self._refresh_task: asyncio.Task[None] | None = None
        self._settling: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Refresh the view soon; while a refresh is under way, once more after it."""
        self._again = True
        if self._refresh_task is None or self._refresh_task.done():
            self._refresh_task = asyncio.ensure_future(self._refresh_view())

    def stop(self) -> None:
        """Refresh no more; the view stays."""
        self._again = False
        for task in (self._refresh_task, self._settling):
            if task is not None:
                task.cancel()

    async def _refresh_view(self) -> None:
        _refreshing.set(True)
        while self._again:
            self._again = False
            driver, before = self._driver_of(), self.view
            if driver is None or driver.latest is None:
                continue
            view = await view_page(driver)
            moved = before is None or before.url != view.url
            if view.shot is None and before is not None and not moved:
                view = replace(view, shot=before.shot)
            self.view = view
            self._changed()
            if moved:
                self._refresh_when_idle(driver)

    def _refresh_when_idle(self, driver: PageDriver) -> None:
        # Images and late scripts move a new page's elements without any step of the run.
        if self._settling is not None:
            self._settling.cancel()

        async def wait() -> None:
            try:
                await driver.wait_for(idle=True, timeout=_SETTLE_SECONDS)
            except SkillbookError:
                return
            self.refresh()

        self._settling = asyncio.ensure_future(wait())


def is_refreshing() -> bool:
    """Whether a watcher takes the present snapshot: no action caused it, so it is no reason to refresh again."""
    return _refreshing.get()


async def view_page(driver: PageDriver) -> PageView:
    """Make a page's view; screenshot and boxes are of the same moment. It has no screenshot where there is none."""
    shot = await take_screenshot(driver)
    snapshot = driver.latest
    try:
        snapshot = await driver.snapshot()
    except SkillbookError:
        if snapshot is None:
            raise
    return await asyncio.to_thread(view_of, snapshot, shot)


async def take_screenshot(driver: PageDriver) -> Shot | None:
    """Take a screenshot of what the page shows; None where the browser refuses, as on a closed page."""
    try:
        data = await driver.run("screenshot", {"format": "jpeg", "quality": _JPEG_QUALITY})
    except SkillbookError:
        return None
    result = ScreenshotResult.model_validate(data)
    return Shot(base64.b64decode(result.data), result.format, result.width, result.height, result.origin)
