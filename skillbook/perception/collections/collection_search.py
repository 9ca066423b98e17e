"""Finds the collections of a page, tables without rows, and lists that show a part of their items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from skillbook.perception.collections.collection import Collection
from skillbook.perception.collections.column_names import (
    with_heads_above,
    with_heads_before,
    with_named_fields,
    with_names_as_values,
)
from skillbook.perception.collections.groups import (
    in_branches,
    under_headings,
    with_groups,
    without_heading_items,
    without_names_of_groups,
)
from skillbook.perception.collections.labelled_facts import said_by_items, tables_of_facts
from skillbook.perception.collections.measures import NEAR
from skillbook.perception.collections.repeats import find_repeats
from skillbook.perception.collections.tables import (
    EmptyTable,
    find_tables,
    tables_of_heads,
    tables_without_rows,
)
from skillbook.perception.escape import clean, quote, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import TABLES, words
from skillbook.protocol.snapshot import State


def find_collections(
    snapshot: BaseSnapshot, like: tuple[str, str] | None = None, labels: Set[str] = frozenset()
) -> list[Collection]:
    """Every collection of a page: tables and grids in page order, then lists and cards, the biggest first.

    Navigation, and what the site's hints ignore, comes last and is marked `minor`.

    like: only lists and cards with such items (`Collection.item_kind`), then also of a single one.
    labels: texts that name fields in such items.
    """
    if like is None:
        if "collections" not in snapshot.memo:
            snapshot.memo["collections"] = _find(snapshot, None, frozenset())
        return list(snapshot.memo["collections"])
    return _find(snapshot, like, labels)


def empty_tables(snapshot: BaseSnapshot) -> list[EmptyTable]:
    """Tables that have headers and no rows, in page order, without those whose headers are another collection's.

    Not all columns of that other one may be rendered. Headers right above it are its own, however it reads.
    """
    found = find_collections(snapshot)
    heads = [set(map(clean, each.fields)) for each in found]
    return [
        table
        for table in tables_without_rows(snapshot, {each.node.index for each in found})
        if not any(2 * len(set(table.fields) & known) >= len(table.fields) for known in heads)
        and not (table.lines == 0 and any(_is_right_above(table.node, each.node) for each in found))
    ]


def _is_right_above(node: Node, other: Node) -> bool:
    box, below = node.box, other.box
    is_in_line = box.width > 0 and abs(box.x - below.x) <= NEAR and abs(box.width - below.width) <= NEAR
    return is_in_line and abs(box.y + box.height - below.y) <= NEAR


def _find(snapshot: BaseSnapshot, like: tuple[str, str] | None, labels: Set[str]) -> list[Collection]:
    headings = tables_of_heads(snapshot)
    tables = find_tables(snapshot, headings)
    taken = [range(table.node.index, snapshot.ends[table.node.index]) for table in tables]
    repeats = find_repeats(snapshot, taken, like, labels, tables_of_facts(tables))
    # A card's table of facts is a part of it, and no table of its own.
    in_items = said_by_items(tables, repeats)
    tables = [table for table in tables if table.node.index not in in_items]
    repeats = [_set_aside(each) for each in repeats]
    if headings:
        parts = [part for each in headings.values() for part in each]
        repeats = [with_heads_above(each, parts) for each in repeats]
    rows = {row.node.index for each in repeats for row in each.rows}
    repeats = [with_heads_before(each, rows) for each in repeats]
    if like is None:
        repeats = without_names_of_groups([in_branches(_grouped(each, rows)) for each in repeats])
    content = sorted(
        (c for c in repeats if not c.minor), key=lambda c: (-c.count * len(c.fields), c.node.index)
    )
    every = [*map(_with_place, tables), *repeats]
    found = [*(c for c in every[: len(tables)] if not c.minor), *content, *(c for c in every if c.minor)]
    return [_with_busy_reported(with_names_as_values(each)) for each in found]


def _with_busy_reported(found: Collection) -> Collection:
    """A collection with what says that the page works on it, or on what is around it: it may show what was before."""
    if any(node.flags & State.BUSY for node in (found.node, *found.node.ancestors)):
        found = replace(found, faults=[*found.faults, "the page marks this part of it as busy"])
    return found


def _grouped(found: Collection, rows: set[int]) -> Collection:
    """Items with their groups' names: of lists in a list, of items that are headings, or of headings between cards."""
    found = with_named_fields(found)
    grouped = with_groups(found, rows)
    if grouped is found and found.kind != "definitions":
        grouped = without_heading_items(found)
    return under_headings(found) if grouped is found and found.kind != "definitions" else grouped


def _with_place(table: Collection) -> Collection:
    """A table that says whether it is navigation, such as an admin's list of its parts."""
    return _set_aside(replace(table, minor=any(outer.role == "navigation" for outer in table.node.ancestors)))


def _set_aside(found: Collection) -> Collection:
    """A collection that is minor too if the site's hints ignore the part of the page that it is in."""
    ignored = any(found.node.index in part for part in found.node.snapshot.ignored_parts)
    return replace(found, minor=True) if ignored else found


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
