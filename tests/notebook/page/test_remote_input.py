"""What a person does in the picture arrives in its order, and the picture follows as long as they do something."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from skillbook.notebook.page.remote_input import RemoteInput, read_events
from skillbook.notebook.page.watcher import PageWatcher
from tests.session.conftest import rig

if TYPE_CHECKING:
    from tests.session.rig import Rig

__all__ = ["rig"]
DOWN = {"kind": "down", "x": 1.0, "y": 2.0, "button": "left"}


def move(x: float) -> dict[str, Any]:
    return {"kind": "move", "x": x, "y": 0.0}


@pytest.mark.parametrize(
    "given",
    [
        None,
        "down",
        [],
        [{"kind": "explode"}],
        [{"kind": "key"}],
        [DOWN | {"x": "left"}],
        [DOWN | {"more": 1}],
    ],
)
def test_what_is_no_event_is_left_out(given: object) -> None:
    assert read_events(given) == []


def test_keys_get_their_one_name() -> None:
    (event,) = read_events([{"kind": "key", "text": "ctrl+return"}])
    assert event.text == "Control+Enter"


async def test_events_arrive_in_order_and_of_moves_the_last(rig: Rig) -> None:
    arrived: list[Any] = []
    gate, all_there = asyncio.Event(), asyncio.Event()

    async def hands(params: Any, tab: Any) -> Any:
        await gate.wait()
        arrived.append([(event["kind"], event.get("x")) for event in params["events"]])
        if len(arrived) == 2:
            all_there.set()
        return {}

    rig.extension.handlers["remote_input"] = hands
    page = await rig.open()
    watcher = PageWatcher(lambda: page, lambda: None)
    person = RemoteInput(lambda: page, watcher, lambda: None)
    person.take({"on": True, "events": [DOWN]})
    await asyncio.sleep(0)
    for x in (3.0, 4.0, 5.0):
        person.take({"on": True, "events": [move(x)]})
    person.take({"on": True, "events": [{"kind": "up", "x": 5.0, "y": 0.0}]})
    gate.set()
    await asyncio.wait_for(all_there.wait(), 5)
    person.end()
    watcher.stop()
    assert arrived == [[("down", 1.0)], [("move", 5.0), ("up", 5.0)]]


async def test_why_nothing_arrives_is_said(rig: Rig) -> None:
    page = await rig.open()
    told = asyncio.Event()
    watcher = PageWatcher(lambda: page, lambda: None)
    person = RemoteInput(lambda: None, watcher, told.set)
    person.take({"on": True, "events": [DOWN]})
    await asyncio.wait_for(told.wait(), 5)
    assert person.problem == "There is no page any more."
    assert not person.has_window
    person.end()


async def test_the_picture_follows_until_nobody_does_anything(rig: Rig) -> None:
    page = await rig.open()
    await page.snapshot()
    shots = asyncio.Queue[None]()
    watcher = PageWatcher(lambda: page, lambda: None)

    async def refresh_picture() -> None:
        shots.put_nowait(None)

    watcher.refresh_picture = refresh_picture  # type: ignore[method-assign]
    person = RemoteInput(lambda: page, watcher, lambda: None, frame_seconds=0.001, idle_seconds=0.5)
    person.take({"on": True, "events": []})
    await asyncio.wait_for(shots.get(), 5)
    await asyncio.wait_for(shots.get(), 5)
    assert person._following is not None
    await asyncio.wait_for(person._following, 5)
    watcher.stop()
