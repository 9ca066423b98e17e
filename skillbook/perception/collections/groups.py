"""Groups of lists: items of one kind in several groups, with each group's name as the first column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace

from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.collection import Cell, Collection, Row, unique_names
from skillbook.perception.collections.repeats import read_items
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.cards import kind_of
from skillbook.perception.roles import CELLS, TABLES, words

_CONTAINERS = words("iframe region group form list listbox tabpanel article navigation dialog section")
_ITEMS = words("listitem article treeitem option")
_LONGEST_NAME = 80  # characters
_MOST_GROUPS = 200
_FEWEST_IN_GROUP = 3  # of each on average; fewer are fields, such as the tags of an article
_FEWEST_HEADINGS = 2
_MOST_BESIDE = 2  # texts of a group that are none of its items


def with_groups(collection: Collection, taken: Container[int] = ()) -> Collection:
    """A collection whose items are groups with a name and items of their own as these, with the name beside each.

    Parameters
    ----------
    taken : rows of the page's collections; what has its own is no part of another's items.
    """
    snapshot = collection.node.snapshot
    items = [row.node.index for row in collection.rows]
    inner = _inner_item(snapshot, items) if len(items) <= _MOST_GROUPS else None
    if inner is None:
        return collection
    spans = [range(at, snapshot.ends[at]) for at in items]
    found = items_like(snapshot, snapshot.nodes[inner], spans)
    if len(found) < _FEWEST_IN_GROUP * len(items) or any(at in taken for at in found):
        return collection
    read = read_items(snapshot, found)
    if read is None or len(read.rows) < len(found):
        return collection
    names = [
        group_of(
            snapshot, row.node.index, next(span.start for span in spans if row.node.index in span), read.rows
        )
        for row in read.rows
    ]
    named = {cell.index for cell in names if cell}
    if None in names or len(named) != len(items) or _says_more(snapshot, spans, found):
        return collection
    rows = [Row(row.node, [cell, *row.cells]) for row, cell in zip(read.rows, names, strict=True)]
    return replace(collection, fields=[GROUP, *read.fields], rows=rows, notes=read.notes)


def under_headings(collection: Collection) -> Collection:
    """A collection whose items stand under several headings, as cards on a board, with those as the first column."""
    headings = headings_over(collection)
    if len({cell.index for cell in headings if cell}) < _FEWEST_HEADINGS or None in headings:
        return collection
    rows = [Row(row.node, [cell, *row.cells]) for row, cell in zip(collection.rows, headings, strict=True)]
    return replace(collection, fields=unique_names([GROUP, *collection.fields]), rows=rows)


def headings_over(collection: Collection) -> list[Cell | None]:
    """The heading that each item stands under: the nearest before it, within what is around all of them.

    Virtualised lists have none: what a row stands under may not be rendered.
    """
    snapshot = collection.node.snapshot
    items = [row.node.index for row in collection.rows]
    top = collection.node.index if collection.node.index < items[0] else -1
    if snapshot.extents.room_for(items) is not None:
        return [None] * len(items)
    inside = set(items)
    return [_heading_over(snapshot, at, top, inside) for at in items]


def _heading_over(snapshot: BaseSnapshot, item: int, top: int, items: Container[int]) -> Cell | None:
    """The last heading before an item that is a child of something around it, and in no other item."""
    columns, at = snapshot.columns, item
    while at > max(top, 0):
        parent = snapshot.parents[at]
        before = [child for child in snapshot.child_indexes(parent) if child < at and child not in items]
        for child in reversed(before):
            if columns.role[child] == "heading" and (text := snapshot.nodes[child].label):
                return Cell(clean(text), snapshot, child)
        at = parent
    return None


def _inner_item(snapshot: BaseSnapshot, items: Sequence[int]) -> int | None:
    """One of the things that repeat in the item with most in it: children of one parent, alike and at least three."""
    columns = snapshot.columns
    biggest = max(items, key=lambda at: snapshot.ends[at] - at, default=None)
    if biggest is None:
        return None
    for parent in range(biggest, snapshot.ends[biggest]):
        children = list(snapshot.child_indexes(parent))
        kinds = Counter((columns.role[at], kind_of(columns.tag[at])) for at in children)
        kind, count = max(kinds.items(), key=lambda pair: pair[1], default=(("", ""), 0))
        if count >= _FEWEST_IN_GROUP and kind[0] != "heading":
            return next(at for at in children if (columns.role[at], kind_of(columns.tag[at])) == kind)
    return None


def _says_more(snapshot: BaseSnapshot, spans: Sequence[range], found: Sequence[int]) -> bool:
    """Whether groups say much beside their name and items, so that they are items with a list in them."""
    inside = {at for item in found for at in range(item, snapshot.ends[item])}
    columns = snapshot.columns
    beside = [
        at
        for span in spans
        for at in span
        if at not in inside and columns.role[at] == "text" and columns.name[at].strip()
    ]
    return len(beside) > _MOST_BESIDE * len(spans)


def items_like(snapshot: BaseSnapshot, item: Node, spans: Sequence[range]) -> list[int]:
    """Everything in the same place as an item, in groups beside its own; without what has others of them inside."""
    wanted = _way_to(item)
    found = [
        at
        for span in spans
        for at in span
        if snapshot.columns.role[at] == item.role and _way_to(snapshot.nodes[at]) == wanted
    ]
    following = [*found[1:], len(snapshot)]
    return [at for at, after in zip(found, following, strict=True) if after >= snapshot.ends[at]]


def _way_to(node: Node) -> tuple[str, ...]:
    return tuple(kind_of(each.tag) for each in (node, *node.ancestors))


def group_of(snapshot: BaseSnapshot, row: int, top: int, rows: Sequence[Row]) -> Cell | None:
    """What the group around a row is called: what stands before it, outside of the rows, nearest first."""
    inside = {other.node.index for other in rows}
    columns, parents, at = snapshot.columns, snapshot.parents, row
    while at > top:
        parent = parents[at]
        before = [child for child in snapshot.child_indexes(parent) if child < at]
        for child in reversed(before):
            if child in inside or columns.role[child] in CELLS | {"row", "rowgroup"}:
                continue
            found = _says_name(snapshot, child)
            if found is not None:
                return Cell(found, snapshot, child)
        name = clean(columns.name[parent])
        if name and parent != top and columns.role[parent] in _CONTAINERS | _ITEMS | TABLES:
            return Cell(name, snapshot, parent)
        at = parent
    return None


def _says_name(snapshot: BaseSnapshot, index: int) -> str | None:
    """A short text that can be a group's name: a heading's, a caption's, or what stands first in its item."""
    holds = any(snapshot.columns.role[at] in {"listitem", "row"} for at in range(index, snapshot.ends[index]))
    text = "" if holds else snapshot.text_of(index) or clean(snapshot.columns.name[index])
    return text if 0 < len(text) <= _LONGEST_NAME else None
