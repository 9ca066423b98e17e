"""The items that a `for_each` step goes over: each is known by a text of its own, as a row by its first cell."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from skillbook.errors import ReplayFailed, SkillbookError
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import find_within, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import Loop
from skillbook.skill.model.templates import Value, fill_selector
from skillbook.skill.replay.extract_step import rest

MOST_ITEMS = 10_000
_MOVING = {"page_navigated", "page_unreachable", "timeout"}


@dataclass(frozen=True)
class Shown:
    """The items that a page shows: their keys in document order, in the snapshot that they were read from."""

    keys: tuple[str, ...]
    snapshot: Snapshot


async def shown_items(
    driver: PageDriver,
    loop: Loop,
    inputs: Mapping[str, Value],
    seconds: float,
    *,
    other_than: Shown | None = None,
) -> Shown:
    """The items of the page at rest; where there are none yet, they are waited for.

    Parameters
    ----------
    other_than : what was shown before: other items are waited for.

    Raises
    ------
    ReplayFailed : an item has no key, or two have the same.
    """
    deadline = time.monotonic() + seconds
    while True:
        await rest(driver, max(deadline - time.monotonic(), 0.1))
        shown = None
        try:
            snapshot = await driver.snapshot()
            shown = Shown(tuple(_keys(snapshot, loop, inputs)), snapshot)
        except SkillbookError as error:
            if error.code not in _MOVING or time.monotonic() >= deadline:
                raise
            continue
        if shown.keys and (other_than is None or shown.keys != other_than.keys):
            _check_unique(shown.keys, loop)
            return shown
        left = deadline - time.monotonic()
        if left <= 0 or not await driver.changed_since(snapshot, left):
            return shown


def _keys(snapshot: Snapshot, loop: Loop, inputs: Mapping[str, Value]) -> list[str]:
    key = parse_selector(fill_selector(loop.key, inputs))
    found: list[str] = []
    for item in snapshot.find_all(fill_selector(loop.items, inputs)):
        inside = find_within(snapshot, key, item.index)
        text = clean(snapshot.nodes[inside[0]].text) if inside else ""
        if text:
            found.append(text)
        elif not _is_header(item):
            raise ReplayFailed(
                f"one of {loop.items} has no {loop.key} that says which it is: {clean(item.text)[:80]!r}",
                hint="give a `key` that every item has, or `items` that fit fewer",
            )
    return found


def _is_header(item: Node) -> bool:
    columns, end = item.snapshot.columns, item.snapshot.ends[item.index]
    roles = {columns.role[index] for index in range(item.index + 1, end)}
    return "columnheader" in roles and not roles & {"cell", "gridcell"}


def _check_unique(keys: tuple[str, ...], loop: Loop) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    if twice:
        raise ReplayFailed(
            f"{len(twice)} of {loop.items} have a namesake, such as {twice[0][:80]!r}",
            hint="give a `key` that says which item it is",
        )
