"""Lists that show a part of their items: which, how many of how many, and how to get to the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import quote, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import TABLES, words

_HOLDERS = words("feed grid list listbox menu menubar radiogroup table tablist tree treegrid")
_IN_ROWS = words("cell gridcell columnheader rowheader")


@dataclass(frozen=True)
class PartialList:
    """A list that has more items than the page has now.

    items: Indexes of the items that are there.
    estimated: whether `total` follows from the room that the list keeps for the others.
    """

    node: Node
    items: Sequence[int]
    total: int
    estimated: bool = False

    @property
    def count(self) -> str:
        """How many items are there, of how many."""
        about = "about " if self.estimated else ""
        return f"{len(self.items)} of {about}{self.total:,}"

    @property
    def roles(self) -> frozenset[str]:
        """The roles of its items, and of what is in them if they are rows."""
        role = self.node.snapshot.columns.role
        found = {role[at] for at in self.items}
        return frozenset(found | _IN_ROWS if "row" in found else found)

    def __str__(self) -> str:
        name = f" {quote(shorten(self.node.name, 60))}" if self.node.name.strip() else ""
        ref = f" [ref={self.node.ref}]" if self.node.ref else ""
        return f"{self.node.role}{name}{ref} shows {self.count}"


def partial_lists(snapshot: BaseSnapshot) -> list[PartialList]:
    """Every list, table or grid of a page that shows a part of its items, in page order."""
    if not snapshot.extents.may_hold_more():
        return []
    found = [
        PartialList(each.node, [row.node.index for row in each.rows], each.total, each.estimated)
        for each in find_collections(snapshot)
        if each.total > each.count
    ]
    known = {at for each in found for at in each.items}
    found += [each for each in _by_set_size(snapshot) if known.isdisjoint(each.items)]
    return sorted(found, key=lambda each: each.node.index)


def _by_set_size(snapshot: BaseSnapshot) -> list[PartialList]:
    """Lists whose items say how many there are, whatever they look like."""
    columns = snapshot.columns
    sizes: dict[tuple[int, str, int], int] = defaultdict(int)
    for at, extra in columns.extra.items():
        if columns.role[at] not in TABLES and (extra.get("setsize") or 0) > 0:
            key = _key(snapshot, at)
            sizes[key] = max(sizes[key], int(extra["setsize"]))
    items: dict[tuple[int, str, int], list[int]] = defaultdict(list)
    roles = {role for _, role, _ in sizes}
    for at, role in enumerate(columns.role if sizes else ()):
        if role in roles and (key := _key(snapshot, at)) in sizes:
            items[key].append(at)
    return [
        PartialList(snapshot.nodes[key[0]], items[key], total)
        for key, total in sizes.items()
        if key[0] >= 0 and len(items[key]) < total
    ]


def _key(snapshot: BaseSnapshot, at: int) -> tuple[int, str, int]:
    """The list that an item is in, its role and its level."""
    columns, parents = snapshot.columns, snapshot.parents
    holder = parents[at]
    # An item of a tree counts those beside it; options in groups count the whole list's.
    holders = _HOLDERS | {"group"} if columns.role[at] == "treeitem" else _HOLDERS
    while holder >= 0 and columns.role[holder] not in holders:
        holder = parents[holder]
    level = columns.extra.get(at, {}).get("level") or 0
    return (holder if holder >= 0 else parents[at], columns.role[at], int(level))
