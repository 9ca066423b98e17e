"""What names just one collection of a page, so that it is found again: never by the data in it."""

from __future__ import annotations

from skillbook.errors import NoMatch, SkillbookError
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Place, main_collection
from skillbook.perception.collections import Collection
from skillbook.perception.selectors import container_selectors
from skillbook.perception.snapshot import Snapshot


def name_place(snapshot: Snapshot, found: Collection) -> str | None:
    """The `within` of a collection: its selector, else that of what is around it; None for the page's main blocks.

    Raises NoMatch: nothing names it alone.
    """
    by_name = container_selectors(found.node, by_place=False)
    around = (one for up in found.node.ancestors for one in container_selectors(up, by_place=False))
    for selector in (*by_name, *around):
        if _names(snapshot, str(selector), found):
            return str(selector)
    if found.node.role == "generic" and _names(snapshot, None, found):
        return None
    for selector in container_selectors(found.node):
        if _names(snapshot, str(selector), found):
            return str(selector)
    raise NoMatch(f"nothing names the {found.kind} alone", candidates=[])


def _names(snapshot: Snapshot, within: str | None, found: Collection) -> bool:
    """Whether a place has just one collection of this kind, and it is this one."""
    try:
        nodes = Place(within).nodes(snapshot)
        named = main_collection(snapshot, nodes)
    except SkillbookError:
        return False
    alike = [
        one
        for one in collections_in(snapshot, nodes)
        if (one.kind, list(one.fields)) == (found.kind, list(found.fields))
    ]
    return len(alike) == 1 and [row.node.index for row in named.rows] == [
        row.node.index for row in found.rows
    ]
