"""Snapshots as rows, and pages kept in view."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from skillbook.notebook.page.page_rows import view_of, with_target
from skillbook.notebook.page.watcher import PageWatcher
from tests.session.conftest import rig
from tests.session.rig import Rig
from tests.trees import snapshot

__all__ = ["rig"]

PAGE = """
main
  generic
    heading "Orders" level=1
      text "Orders"
    generic
      textbox "Name" + value="Ada"
      text "A note"
      button "Save" + disabled
"""


def test_a_target_beyond_the_rows_is_shown_and_is_a_field_or_not() -> None:
    page = snapshot("main\n" + "\n".join(f'  button "Part {n}" +' for n in range(9)) + '\n  textbox "Name" +')
    view = view_of(page, limit=3)
    button, field = page.find("button 'Part 7'"), page.find("textbox 'Name'")
    shown = with_target(view, page, button.ref or "")
    assert (shown.rows[-1].ref, shown.rows[-1].name, shown.rows[-1].no_text) == (button.ref, "Part 7", True)
    assert shown.rows[-1].box is not None
    assert (len(shown.rows), shown.omitted) == (4, view.omitted - 1)
    assert not with_target(view, page, field.ref or "").rows[-1].no_text
    assert with_target(view, page, view.rows[1].ref) is view
    assert with_target(view, page, "e999") is view
    assert shown.rows[-1].to_json()[5] == 3


def test_rows_leave_out_what_says_nothing() -> None:
    view = view_of(snapshot(PAGE))
    assert [(row.role, row.name, row.depth) for row in view.rows] == [
        ("main", "", 0),
        ("heading", "Orders", 1),
        ("textbox", "Name", 1),
        ("text", "A note", 1),
        ("button", "Save", 1),
    ]
    by_role = {row.role: row for row in view.rows}
    assert by_role["heading"].states == "level 1"
    assert by_role["textbox"].states == "= Ada"
    assert by_role["button"].states == "disabled"
    assert by_role["button"].actionable
    assert by_role["button"].box is not None
    assert by_role["text"].ref == ""
    assert by_role["heading"].box is None


def test_long_pages_are_cut_and_counted() -> None:
    view = view_of(snapshot("main\n" + "".join(f'  button "b{n}" +\n' for n in range(30))), limit=10)
    assert len(view.rows) == 10
    assert view.omitted == 21


async def settled(watcher: PageWatcher) -> None:
    while watcher._refresh_task is not None and not watcher._refresh_task.done():
        await asyncio.wait({watcher._refresh_task})


async def test_the_watcher_takes_a_screenshot_with_the_latest_snapshot(rig: Rig) -> None:
    taken = []

    def screenshot(params: dict[str, Any], tab: int | None) -> dict[str, Any]:
        taken.append(params)
        screenshot = {"data": base64.b64encode(b"jpeg").decode(), "format": "jpeg", "width": 10, "height": 20}
        return screenshot | {"scale": 1.0, "origin": [0, 0]}

    rig.extension.handlers["screenshot"] = screenshot
    page = await rig.open()
    changes: list[int] = []
    watcher = PageWatcher(lambda: page, lambda: changes.append(1))
    watcher.refresh()
    await settled(watcher)
    assert watcher.view is None
    await page.snapshot()
    for _ in range(5):
        watcher.refresh()
    await settled(watcher)
    assert watcher.view is not None
    assert watcher.view.shot is not None
    assert (watcher.view.shot.data, watcher.view.shot.height) == (b"jpeg", 20)
    assert [row.name for row in watcher.view.rows if row.role == "button"] == ["Save", "Delete"]
    assert len(changes) == 2  # the tree at once, then the screenshot
    assert taken[0]["format"] == "jpeg"


async def test_a_new_page_is_refreshed_when_it_is_idle(rig: Rig) -> None:
    idle = asyncio.Event()

    async def settled(params: dict[str, Any], tab: int | None) -> dict[str, Any]:
        assert params["need"] == "rest"
        await idle.wait()
        return {"state": "rest", "waited_ms": 1, "script": True}

    rig.extension.handlers["page_settled"] = settled
    page = await rig.open()
    await page.snapshot()
    seen: asyncio.Queue[int] = asyncio.Queue()
    watcher = PageWatcher(
        lambda: page, lambda: seen.put_nowait(len(watcher.view.rows) if watcher.view else 0)
    )
    watcher.refresh()
    first = [await asyncio.wait_for(seen.get(), 5) for _ in ("tree", "screenshot")][-1]
    rig.change(rig.text + '  button "Late" +\n')
    idle.set()
    assert await asyncio.wait_for(seen.get(), 5) == first + 1


async def test_a_page_without_screenshot_is_still_shown(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    watcher = PageWatcher(lambda: page, lambda: None)
    watcher.refresh()
    await settled(watcher)
    assert watcher.view is not None
    assert watcher.view.shot is None
