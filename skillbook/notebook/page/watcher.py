"""A page's view kept fresh: after each change its latest snapshot and a new screenshot."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from skillbook.errors import SkillbookError
from skillbook.limits import ANSWER_SECONDS, SHOWN_SECONDS
from skillbook.notebook.page.page_rows import view_of
from skillbook.notebook.page.panel_source import PageView, Shot
from skillbook.protocol.commands.read import ScreenshotResult

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot
    from skillbook.session.page_driver import PageDriver

_JPEG_QUALITY = 70
_refreshing: ContextVar[bool] = ContextVar("_refreshing", default=False)


class PageWatcher:
    """Holds the newest view of a page. Used on the I/O thread only.

    driver_of: gives the page to show, which may change; None while there is none.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self.view: PageView | None = None
        self._driver_of = driver_of
        self._changed = changed
        self._again = False
        self._document: tuple[str, str] | None = None  # of the refresh under way, or of the last one
        self._refresh_task: asyncio.Task[None] | None = None
        self._settling: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Refresh the view soon; while a refresh is under way, once more after it.

        Where the page has moved since, the refresh under way shows nothing that is of use: it is given up.
        """
        self._again = True
        task, driver = self._refresh_task, self._driver_of()
        if task is not None and not task.done():
            if driver is None or driver.latest is None or _document_of(driver.latest) == self._document:
                return
            task.cancel()
        self._refresh_task = asyncio.ensure_future(self._refresh_view())

    async def refresh_picture(self) -> None:
        """Take a new screenshot; the tree stays as it is, unless the page is another one by now."""
        driver, view = self._driver_of(), self.view
        if driver is None or driver.closed or view is None:
            return
        if driver.url != view.url:
            self.refresh()
            return
        shot = await take_screenshot(driver)
        if shot is not None and self.view is view and (view.shot is None or shot.data != view.shot.data):
            self._show(replace(view, shot=shot))

    def follow(self, under_way: Callable[[], object]) -> None:
        """Show where the page goes while a call is under way, which may wait for long until it is loaded."""
        if self._following is None or self._following.done():
            self._following = asyncio.ensure_future(self._follow(under_way))

    async def _follow(self, under_way: Callable[[], object]) -> None:
        before = self.view.url if self.view is not None else ""
        await asyncio.sleep(SHOWN_SECONDS)  # most calls are done by then
        while under_way():
            driver = self._driver_of()
            # Once for each address: the call needs the page more than the picture does.
            if driver is not None and not driver.closed and driver.url != before:
                before = driver.url
                self.refresh()
            await asyncio.sleep(SHOWN_SECONDS)

    def stop(self) -> None:
        """Refresh no more; the view stays."""
        self._again = False
        for task in (self._refresh_task, self._settling, self._following):
            if task is not None:
                task.cancel()

    async def _refresh_view(self) -> None:
        _refreshing.set(True)
        while self._again:
            self._again = False
            driver, before = self._driver_of(), self.view
            if driver is None or driver.latest is None:
                continue
            latest, shown = driver.latest, before and (before.url, before.document)
            self._document = _document_of(latest)
            moved = self._document != shown
            if moved:
                # The tree at once: the screenshot of a page that has just come takes its time.
                self._show(await asyncio.to_thread(view_of, latest, None))
            view = await view_page(driver)
            if driver.latest is not None:
                driver.shown.show(driver.latest)
            now = (view.url, view.document)
            if view.shot is None and before is not None and now == shown:
                view = replace(view, shot=before.shot, key="")
            moved, self._document = moved or now != self._document, now
            self._show(view)
            if moved:
                self._refresh_when_idle(driver)

    def _show(self, view: PageView) -> None:
        self.view = view
        self._changed()

    def _refresh_when_idle(self, driver: PageDriver) -> None:
        # Images and late scripts move a new page's elements without any step of the run.
        if self._settling is not None:
            self._settling.cancel()

        async def wait() -> None:
            try:
                await driver.settled("rest")
            except SkillbookError:
                return
            self.refresh()

        self._settling = asyncio.ensure_future(wait())


def _document_of(snapshot: Snapshot) -> tuple[str, str]:
    """What is shown: one address may have another document by now, and one document go from address to address."""
    return snapshot.url, snapshot.main.key


def is_refreshing() -> bool:
    """Whether a watcher takes the present snapshot: no action caused it, so it is no reason to refresh again."""
    return _refreshing.get()


async def view_page(driver: PageDriver) -> PageView:
    """Make a page's view; screenshot and boxes are of the same moment. It has no screenshot where there is none."""
    older = driver.latest
    shot = await take_screenshot(driver)
    snapshot = driver.latest
    try:
        snapshot = await driver.snapshot()
    except SkillbookError:
        if snapshot is None:
            raise
    view = await asyncio.to_thread(view_of, snapshot, shot)
    view = replace(view, shown_as=driver.emulation.now.words)
    is_same = older is not None and older.key == view.key
    return view if is_same else replace(view, key="")


async def take_screenshot(driver: PageDriver) -> Shot | None:
    """Take a screenshot of what the page shows; None where there is none to be had soon."""
    try:
        data = await driver.run(
            # A screenshot of a page that is on its way somewhere else may hang until it has arrived.
            "screenshot",
            {"format": "jpeg", "quality": _JPEG_QUALITY},
            timeout=ANSWER_SECONDS,
        )
    except SkillbookError:
        return None
    result = ScreenshotResult.model_validate(data)
    return Shot(base64.b64decode(result.data), result.format, result.width, result.height, result.origin)
