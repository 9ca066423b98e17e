"""The one node that a selector names, or an error that says what to do instead."""

from __future__ import annotations

from dataclasses import replace

from skillbook.errors import AmbiguousMatch, NoMatch
from skillbook.perception.collections.partial_lists import PartialList, partial_lists
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import CELLS, ITEMS, words
from skillbook.perception.selectors.grammar import Selector, parse_selector
from skillbook.perception.selectors.nearest import describe, nearest, sentence
from skillbook.perception.selectors.selector_matching import find_all, find_indexes

_MOST_LISTS = 2
_ITEMS = CELLS | ITEMS | words("row option treeitem menuitem menuitemcheckbox menuitemradio")


def find_one(snapshot: BaseSnapshot, selector: str | Selector) -> Node:
    """The one node that a selector names.

    Raises NoMatch, AmbiguousMatch: with the nearest candidates in `data["candidates"]`.
    """
    parsed = parse_selector(selector) if isinstance(selector, str) else selector
    found = find_all(snapshot, parsed)
    if len(found) == 1:
        return found[0]
    if not found:
        candidates = nearest(snapshot, parsed)
        hint = f"the nearest are {sentence(candidates)}" if candidates else "take a new snapshot"
        if (part := _by_part_of_the_name(snapshot, parsed)) is not None:
            hint = f"{part} matches, by a part of the name; {hint}"
        lists = lists_that_may_hold(snapshot, parsed)
        if lists:
            listed = "; ".join(map(str, lists[:_MOST_LISTS]))
            hint = f"{listed}: scroll it until the target is there; {hint}"
        partial = [{"ref": each.node.ref, "shown": len(each.items), "total": each.total} for each in lists]
        data = {"candidates": candidates, "partial_lists": partial} if partial else {"candidates": candidates}
        raise NoMatch(f"nothing matches {parsed}", hint=hint, selector=str(parsed), **data)
    candidates = [describe(node) for node in found[:8]]
    raise AmbiguousMatch(
        f"{len(found)} elements match {parsed}: {sentence(candidates)}",
        selector=str(parsed),
        count=len(found),
        candidates=candidates,
    )


def lists_that_may_hold(snapshot: BaseSnapshot, selector: Selector) -> list[PartialList]:
    """Lists that show a part of their items, of which a selector may name one that isn't there, or something in one."""
    found = partial_lists(snapshot)
    if not found:
        return []
    roles: set[str] = set()
    around: set[int] = set()
    at: Selector | None = selector
    while at is not None:
        roles.add(at.role or "")
        at = at.within
        if at is not None:
            around.update(find_indexes(snapshot, at))
    return [each for each in found if roles & each.roles & _ITEMS or each.node.index in around]


def _by_part_of_the_name(snapshot: BaseSnapshot, selector: Selector) -> Selector | None:
    """The selector with `~` before its name, where that names one element."""
    if selector.name is None or selector.name.mode != "exact" or selector.kind in {"css", "testid"}:
        return None
    if not selector.name.text:
        return None
    part = replace(selector, name=replace(selector.name, mode="includes"))
    return part if len(find_indexes(snapshot, part)) == 1 else None
