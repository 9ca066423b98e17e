"""A page's view while the page goes elsewhere and its screenshot hangs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from skillbook.notebook.page.watcher import PageWatcher, view_page
from tests.session.conftest import rig

if TYPE_CHECKING:
    from tests.session.rig import Rig

__all__ = ["rig"]
ELSEWHERE = "http://site.test/elsewhere"


@pytest.mark.parametrize("url", [ELSEWHERE, "http://site.test/"])
async def test_a_page_that_moved_is_shown_at_once_though_its_screenshot_hangs(rig: Rig, url: str) -> None:
    """Elsewhere, or to the same address: what a form or a link leads to is another document all the same."""
    hanging = asyncio.Event()

    async def screenshot(params: Any, tab: Any) -> Any:
        hanging.set()
        await asyncio.Event().wait()

    rig.extension.handlers["screenshot"] = screenshot
    page = await rig.open()
    await page.snapshot()
    shown = asyncio.Queue[tuple[str, str]]()

    def show() -> None:
        assert watcher.view is not None
        shown.put_nowait((watcher.view.url, " ".join(row.name for row in watcher.view.rows)))

    watcher = PageWatcher(lambda: page, show)
    watcher.refresh()
    first = await asyncio.wait_for(shown.get(), 1)
    assert first[0] == "http://site.test/"
    assert "Orders" in first[1]
    await asyncio.wait_for(hanging.wait(), 1)
    rig.url, rig.key = url, "other"
    rig.change(rig.text.replace("Orders", "Order 7"))
    await page.snapshot()
    watcher.refresh()
    then = await asyncio.wait_for(shown.get(), 1)
    assert then[0] == url
    assert "Order 7" in then[1]
    watcher.stop()


async def test_a_refresh_of_the_same_document_never_takes_the_screenshot_away(rig: Rig) -> None:
    """Whoever has the mouse on the picture would find something else under it for a moment."""
    page = await rig.open()
    await page.snapshot()
    rig.extension.handlers["screenshot"] = lambda params, tab: {
        "data": "AAAA", "format": "jpeg", "width": 8, "height": 6, "scale": 1, "origin": [0, 0],
    }  # fmt: skip
    shots: list[bool] = []
    watcher = PageWatcher(
        lambda: page, lambda: shots.append(watcher.view is not None and watcher.view.shot is not None)
    )
    watcher.view = await view_page(page)
    for text in ("Paid", "Sent"):
        rig.change(rig.text.replace("Orders", text))
        await page.snapshot()
        watcher.refresh()
        assert watcher._refresh_task is not None
        await watcher._refresh_task
    assert shots == [True, True]
    watcher.stop()
