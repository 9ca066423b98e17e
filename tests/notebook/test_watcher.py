"""A page's view while the page goes elsewhere and its screenshot hangs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from skillbook.notebook.watcher import PageWatcher
from tests.session.conftest import rig

if TYPE_CHECKING:
    from tests.session.rig import Rig

__all__ = ["rig"]
ELSEWHERE = "http://site.test/elsewhere"


async def test_a_page_that_moved_is_shown_at_once_though_its_screenshot_hangs(rig: Rig) -> None:
    hanging = asyncio.Event()

    async def screenshot(params: Any, tab: Any) -> Any:
        hanging.set()
        await asyncio.Event().wait()

    rig.extension.handlers["screenshot"] = screenshot
    page = await rig.open()
    await page.snapshot()
    shown = asyncio.Queue[str]()
    watcher = PageWatcher(lambda: page, lambda: shown.put_nowait(watcher.view.url if watcher.view else ""))
    watcher.refresh()
    assert await asyncio.wait_for(shown.get(), 1) == "http://site.test/"
    await asyncio.wait_for(hanging.wait(), 1)
    rig.url, rig.key = ELSEWHERE, "other"
    await page.snapshot()
    watcher.refresh()
    assert await asyncio.wait_for(shown.get(), 1) == ELSEWHERE
    watcher.stop()
