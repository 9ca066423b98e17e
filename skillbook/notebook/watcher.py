"""A page's view kept fresh: after each change its latest snapshot and a new picture."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import TYPE_CHECKING

from skillbook.errors import SkillbookError
from skillbook.notebook.page_rows import view_of
from skillbook.notebook.source import PageView, Shot
from skillbook.protocol.commands.read import ScreenshotResult

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot
    from skillbook.session.page_driver import PageDriver

_JPEG_QUALITY = 70


class PageWatcher:
    """Holds the newest view of a page. Used on the I/O thread only.

    Parameters
    ----------
    driver_of : gives the page to look at, which may change; None while there is none.
    changed : called when there is a new view.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self.view: PageView | None = None
        self._driver_of = driver_of
        self._changed = changed
        self._again = False
        self._task: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Look again soon; while a look is under way, once more after it."""
        self._again = True
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        while self._again:
            self._again = False
            driver = self._driver_of()
            if driver is None or driver.latest is None:
                continue
            view = await look_at(driver, driver.latest)
            if view.shot is None and self.view is not None and self.view.url == view.url:
                view = PageView(view.url, view.title, view.rows, view.omitted, self.view.shot)
            self.view = view
            self._changed()


async def look_at(driver: PageDriver, snapshot: Snapshot) -> PageView:
    """Make a page's view of a snapshot and a new picture; without picture where none can be taken."""
    shot = await take_shot(driver)
    return await asyncio.to_thread(view_of, snapshot, shot)


async def take_shot(driver: PageDriver) -> Shot | None:
    """Take a picture of what the page shows; None where the browser refuses, as on a closed page."""
    try:
        data = await driver.run("screenshot", {"format": "jpeg", "quality": _JPEG_QUALITY})
    except SkillbookError:
        return None
    result = ScreenshotResult.model_validate(data)
    return Shot(base64.b64decode(result.data), result.format, result.width, result.height, result.origin)
