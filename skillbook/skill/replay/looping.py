"""The items that a `for_each` step goes over, page by page, each once: each is known by a text of its own."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from skillbook.errors import ReplayFailed, SkillbookError
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import find_within, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec_steps import Loop
from skillbook.skill.model.templates import Value, fill_selector
from skillbook.skill.replay.permission import Permission
from skillbook.skill.replay.skill_result import LoopState
from skillbook.skill.targets.healing import say

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

    Raises ReplayFailed: an item has no key, or two have the same.
    """
    deadline = time.monotonic() + seconds
    while True:
        await driver.settled("rest", max(deadline - time.monotonic(), 0.0))
        shown = None
        try:
            wanted = (fill_selector(text, inputs) for text in (loop.items, loop.key))
            snapshot = await driver.snapshot_for(*wanted, texts=False)
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


@dataclass(frozen=True)
class ItemWalk:
    """Goes through the items of one loop.

    The items of a page are read before the first is begun. Where some left the page because of what was done, those
    that moved up into their places are done as well.

    state: how far the loop came; whoever does an item adds it to those that are done.
    inputs: every input's value.
    key: the replay's id, for the journal.
    do: does the steps for an item, given its key.
    """

    driver: PageDriver
    loop: Loop
    state: LoopState
    inputs: Mapping[str, Value]
    permission: Permission
    key: str
    do: Callable[[str], Awaitable[None]]

    async def run(self) -> None:
        """Do every item that isn't done yet, first the one that an earlier run ended in.

        Raises ReplayFailed: there is no item, an item can't be known from another, or the way goes on nowhere.
        """
        if self.state.current is not None:
            await self.do(self.state.current)
        page, shown = 1, await shown_items(self.driver, self.loop, self.inputs, CAUSE_SECONDS)
        if not shown.keys and not self.state.done and not self.loop.may_be_empty:
            raise ReplayFailed(
                f"nothing matches {self.loop.items} on {shown.snapshot.url}",
                hint="look at the page; `may_be_empty: true` accepts that",
            )
        while (left := await self._do_page(shown)) and (following := await self._next_page(left, page)):
            page, shown = page + 1, following
            if known := set(shown.keys) & set(self.state.done):
                raise ReplayFailed(
                    f"{next(iter(known))[:80]!r} was done already and is on the next page again",
                    hint="give a `key` that says which item it is",
                )

    async def _do_page(self, shown: Shown) -> Shown | None:
        """Do the items of a page; returns what it shows then, None where `max_items` are done."""
        first, done = shown, self.state.done
        while fresh := [key for key in shown.keys if key not in done]:
            for key in fresh:
                if len(done) >= (self.loop.max_items or MOST_ITEMS):
                    return None
                await self.do(key)
            before, shown = shown, await shown_items(self.driver, self.loop, self.inputs, 0)
            if set(before.keys) <= set(shown.keys):
                break
        left = shown.snapshot.url.partition("#")[0] != first.snapshot.url.partition("#")[0]
        if self.loop.next is not None and not shown.keys and left:
            raise ReplayFailed(
                f"the last item's steps ended on {shown.snapshot.url}, so a next page of {self.loop.items} can't be "
                "known",
                hint="let them lead back to the list, with a step `back` for instance",
            )
        return shown

    async def _next_page(self, shown: Shown, page: int) -> Shown | None:
        """Go to the next page and return its items; None where there is no such page."""
        from skillbook.extraction.walking.pagers import find_next

        if self.loop.next is None:
            return None
        wanted = fill_selector(self.loop.next, self.inputs) if isinstance(self.loop.next, str) else True
        link = find_next(shown.snapshot, wanted, (), page)
        control = link.control
        if control is None:
            if link.doubt or link.address:
                raise ReplayFailed(
                    link.doubt or f"only the address of the next page is known: {link.address}",
                    hint="give the way to the next page as a selector: `next`",
                )
            return None
        self.permission.check_origin(self.driver.url, "click")
        await self.permission.with_approval(
            lambda approval: self.driver.act(
                "click", control.ref, actor="replay", run=self.key, approval=approval
            ),
        )
        after = await shown_items(self.driver, self.loop, self.inputs, CAUSE_SECONDS, other_than=shown)
        if not after.keys or after.keys == shown.keys:
            raise ReplayFailed(
                f"{say(control)} was clicked, and no other items came",
                hint="look at the page, or give the way to the next page as a selector: `next`",
            )
        return after
