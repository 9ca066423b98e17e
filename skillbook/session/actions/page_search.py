"""Looking for a target in the page itself: by role selectors, and through lists that show a part of their items.

The page answers with a part of its snapshot, in which the selector finds what it would find in the whole one. Selectors
of which that can't be said are left to a whole snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from skillbook.errors import SkillbookError, StaleRef
from skillbook.limits import ANSWER_SECONDS
from skillbook.perception.collections.collection_search import PartialList
from skillbook.perception.nodes import Node
from skillbook.perception.records import has_bounds
from skillbook.perception.selectors import Selector, find_all
from skillbook.perception.selectors.counting import items_by_number
from skillbook.perception.selectors.one_match import lists_that_may_hold
from skillbook.perception.selectors.seen_parts import query_of
from skillbook.perception.selectors.selector_matching import find_indexes
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.urls import origin_of
from skillbook.session.action import Resolved
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Looking
from skillbook.session.page.seen_page import seen_around


async def find_in_page(
    page: PageReader, selector: Selector, *, acts: bool = False, fact: Mapping[str, Any] | None = None
) -> Resolved | None:
    """The one element that a selector names; None where the page can't say, or there is none, or several.

    acts: whether somebody acts on it: then it goes with the call which record it is in.
    fact: what is read of it, as `WantedFact` has it: the answer has that where the page found nothing else.
    """
    query = query_of(selector)
    if query is None:
        return None
    try:
        found = await page.read_parts(query=query, records=acts, fact=fact)
    except SkillbookError:
        return None  # the snapshot that comes instead says why
    if found is None:
        return None
    part, around, read = found
    if part.has_places and counts(selector):
        return None  # the number may be that of an item in a list, which a part doesn't show
    nodes = find_all(part, selector)
    if len(nodes) != 1 or (acts and around is None):
        return None
    node, ref = nodes[0], nodes[0].ref
    if ref is None:
        return None
    if not acts:
        # The kernel says which element is meant: what was read of another one doesn't count.
        is_of_it = read is not None and read["ref"] == ref and origin_of(part.url) == origin_of(page.url)
        return Resolved(ref, node, selector=str(selector), fact=read if is_of_it else None)
    near = around.node(ref) if around is not None else None
    if near is not None and not has_bounds(near):
        return None  # only the whole page shows where its record ends
    return Resolved(ref, node, seen_around(node.name, near), selector=str(selector), around=near)


def counts(selector: Selector) -> bool:
    """Whether a selector names an element by its number."""
    level: Selector | None = selector
    while level is not None:
        if level.nth is not None:
            return True
        level = level.within
    return False


_MOST_RENDERED = 5  # times that an element is rendered anew while it comes into view
_SCREEN = 0.8


class ListSearch:
    """One search for what a selector names, a screen of the list at a time."""

    def __init__(self, page: PageReader, selector: Selector) -> None:
        self.page = page
        self.selector = selector
        self.place: object = None
        self.is_over = False
        self._turned = False
        self._has_scrolled = False
        self._shown: list[str] = []

    async def scroll_on(self, snapshot: Snapshot, deadline: float) -> bool:
        """Scroll the list on, and wait for what comes; False if there is no such list, or it has been looked through.

        snapshot: the page, in which the selector names nothing.
        deadline: when to stop, on the monotonic clock.
        """
        lists = [] if self.is_over else lists_that_may_hold(snapshot, self.selector)
        if not lists or time.monotonic() >= deadline:
            return False
        scroller = _scroller_of(lists[0])
        place = _place_of(snapshot, lists[0], scroller)
        params: dict[str, Any] = {} if scroller is None else {"ref": scroller.ref}
        distance = _distance(lists[0], self.selector)
        if distance and place != self.place:
            self.place = place
            params["dy"] = distance
        elif place != self.place:
            self.place = place
            height = snapshot.main.viewport[1] if scroller is None else scroller.extra["scroll"][3]
            params["dy"] = max(50, int(height * _SCREEN))
        elif self._turned:
            self.is_over = True
            return False
        else:
            # The end; what is above the place where the search began comes now.
            self._turned, self.place = True, None
            params["to"] = "top"
        self._has_scrolled = True
        await self.page.run("scroll", params)
        await Looking(self.page, deadline - time.monotonic()).again(snapshot)
        return True

    async def is_settled(self, ref: str, snapshot: Snapshot) -> bool:
        """Whether an element stays; what was scrolled to is brought into view first, which may render it anew."""
        if not self._has_scrolled or ref in self._shown or len(self._shown) == _MOST_RENDERED:
            return True
        self._shown.append(ref)
        with suppress(StaleRef):
            await self.page.run("scroll", {"ref": ref})
        await Looking(self.page, ANSWER_SECONDS).again(snapshot)
        return False


def _distance(partial: PartialList, selector: Selector) -> int:
    """How far to scroll to the item that a selector names by its number; 0 if the page numbers no items."""
    snapshot = partial.node.snapshot
    level: Selector | None = selector
    while level is not None and level.nth is None:
        level = level.within
    if level is None or (number := level.nth) is None:
        return 0
    found = find_indexes(snapshot, replace(level, nth=None))
    numbered = items_by_number(snapshot, level, found)
    if number in numbered or not set(numbered.values()) & set(partial.items):
        return 0
    first, last = min(numbered), max(numbered)
    tops = [snapshot.nodes[numbered[end]].box.y for end in (first, last)]
    pitch = max((tops[1] - tops[0]) / max(last - first, 1), 1)
    return round((number - (first if number < first else last)) * pitch)


def _scroller_of(partial: PartialList) -> Node | None:
    """What scrolls the list: itself, something around it, or something between it and its items; None for the page."""
    around = [partial.node, *partial.node.ancestors]
    inside = [*partial.node.snapshot.nodes[partial.items[0]].ancestors]
    return next((node for node in [*inside, *around] if "scroll" in node.extra and node.ref), None)


def _place_of(snapshot: Snapshot, partial: PartialList, scroller: Node | None) -> object:
    how_far = snapshot.main.scroll[1] if scroller is None else tuple(scroller.extra["scroll"])
    return how_far, snapshot.nodes[partial.items[-1]].ref
