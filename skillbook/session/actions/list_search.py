"""Looks for a target in a list that shows a part of its items: down to the list's end, then from its start."""

from __future__ import annotations

import time
from typing import Any

from skillbook.perception.collections.partial_lists import PartialList
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import Selector
from skillbook.perception.selectors.one_match import lists_that_may_hold
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.page_reader import PageReader

SEARCH_SECONDS = 30.0
"""How long a list is looked through by default."""
_LAZY_SECONDS = 1.5
_SCREEN = 0.8


class ListSearch:
    """One search for what a selector names, a screen of the list at a time."""

    def __init__(self, page: PageReader, selector: Selector) -> None:
        self.page = page
        self.selector = selector
        self.place: object = None
        self.is_over = False
        self._turned = False

    async def scroll_on(self, snapshot: Snapshot, deadline: float) -> bool:
        """Scroll the list on, and wait for what comes; False if there is no such list, or it has been looked through.

        Parameters
        ----------
        snapshot : the page, in which the selector names nothing.
        deadline : when to stop, on the monotonic clock.
        """
        lists = [] if self.is_over else lists_that_may_hold(snapshot, self.selector)
        if not lists or time.monotonic() >= deadline:
            return False
        scroller = _scroller_of(lists[0])
        place = _place_of(snapshot, lists[0], scroller)
        params: dict[str, Any] = {} if scroller is None else {"ref": scroller.ref}
        if place != self.place:
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
        await self.page.run("scroll", params)
        await self.page.changed_since(snapshot, min(_LAZY_SECONDS, deadline - time.monotonic()))
        return True


def _scroller_of(partial: PartialList) -> Node | None:
    """What scrolls the list: itself, something around it, or something between it and its items; None for the page."""
    around = [partial.node, *partial.node.ancestors]
    inside = [*partial.node.snapshot.nodes[partial.items[0]].ancestors]
    return next((node for node in [*inside, *around] if "scroll" in node.extra and node.ref), None)


def _place_of(snapshot: Snapshot, partial: PartialList, scroller: Node | None) -> object:
    how_far = snapshot.main.scroll[1] if scroller is None else tuple(scroller.extra["scroll"])
    return how_far, snapshot.nodes[partial.items[-1]].ref
