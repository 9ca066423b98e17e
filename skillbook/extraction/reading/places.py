"""The collections of a part of a page: any list in it, however few its items, and groups of lists as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

from skillbook.extraction.garbage import collecting_later
from skillbook.perception.collections import Collection, Row, find_collections, read_items
from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.groups import group_of, items_like
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.roles import RECORDS, TABLES, words
from skillbook.perception.snapshot import Snapshot

_CONTAINERS = words("iframe region group form list listbox tabpanel article navigation dialog section")
_ITEMS = (RECORDS - {"row"}) | {"option"}
_WHOLE_PAGE = words("main document")


def called_so(snapshot: Snapshot, name: str) -> Node | None:
    """The frame, region, group or list of a name; the smallest one where several are called so."""
    wanted = clean(name).casefold()
    found = [
        node for node in snapshot.nodes if node.role in _CONTAINERS and clean(node.name).casefold() == wanted
    ]
    return min(found, key=lambda node: snapshot.ends[node.index] - node.index, default=None)


def collections_in(
    snapshot: Snapshot,
    nodes: Sequence[Node] | None,
    like: tuple[str, str] | None = None,
    labels: Set[str] = frozenset(),
) -> list[Collection]:
    """The collections of a page that lie in a node or have it in them as their container, biggest first.

    nodes: where to look: one node, several that are rows or have rows in them; None for everywhere.
    like: only those whose items are of this kind, also if there is only one item: the last page of a list.
    labels: texts that name fields in such items.
    """
    with collecting_later():
        found = find_collections(snapshot, like, labels)
    if nodes is None:
        return found
    spans = [range(node.index, snapshot.ends[node.index]) for node in nodes]
    inside = [_clipped(c, spans) for c in found if any(c.node.index in span for span in spans)]
    if len(nodes) > 1 and not all(_holds_rows(span, found) for span in spans):
        named = _rows_named(snapshot, nodes, found)
        return [named] if named is not None else inside
    if inside:
        joined = None if like else _joined(snapshot, nodes, spans, inside)
        return [joined, *inside] if joined is not None else inside
    if len(nodes) != 1:
        return []
    items = _few_items(snapshot, spans[0])
    few = read_items(snapshot, items) if items else None
    if few is not None and few.kind == "list":
        return [few]
    clipped = [(c, [row for row in c.rows if row.node.index in spans[0]]) for c in found]
    parts = [replace(_with_rows(c, rows), node=nodes[0]) for c, rows in clipped if rows]
    if parts:
        return parts
    return [few] if few is not None else []


def _clipped(collection: Collection, spans: Sequence[range]) -> Collection:
    """A collection without rows that lie elsewhere: items of several parts of a page may be one."""
    rows = [row for row in collection.rows if any(row.node.index in span for span in spans)]
    return collection if len(rows) in {0, len(collection.rows)} else _with_rows(collection, rows)


def _with_rows(collection: Collection, rows: Sequence[Row]) -> Collection:
    """Some rows of a collection; the others weren't wanted."""
    kept = {row.node.index for row in rows}
    others = [("elsewhere", row.node.index) for row in collection.rows if row.node.index not in kept]
    return replace(collection, rows=rows, aside=[*collection.aside, *others])


def _holds_rows(span: range, found: Sequence[Collection]) -> bool:
    """Whether a node is around rows, and no row itself."""
    return any(c.node.index in span or sum(row.node.index in span for row in c.rows) > 1 for c in found)


def _rows_named(snapshot: Snapshot, nodes: Sequence[Node], found: Sequence[Collection]) -> Collection | None:
    """Nodes as the rows of one collection: of the one that has them all, else of one made of them."""
    wanted = {node.index for node in nodes}
    for collection in found:
        rows = [row for row in collection.rows if row.node.index in wanted]
        if len(rows) == len(wanted):
            return _with_rows(collection, rows)
    if all(node.role == "row" for node in nodes):
        return None
    return read_items(snapshot, sorted(wanted))


def _few_items(snapshot: Snapshot, span: range) -> list[int]:
    """The items of a list that is too short to be found by itself: list items, else the first things that repeat."""
    columns, ends = snapshot.columns, snapshot.ends
    at = span.start + 1
    while at < span.stop:
        siblings = []
        while at < span.stop:
            siblings.append(at)
            at = ends[at]
        items = [index for index in siblings if columns.role[index] in _ITEMS]
        if items:
            return items
        kinds = Counter(
            (columns.role[index], kind_of(columns.tag[index]))
            for index in siblings
            if columns.role[index] != "text"
        )
        kind, count = max(kinds.items(), key=lambda item: item[1], default=(("", ""), 0))
        if count >= SEVERAL and kind[0] not in {"heading", "text"}:
            return [index for index in siblings if (columns.role[index], kind_of(columns.tag[index])) == kind]
        deeper = [index for index in siblings if ends[index] > index + 1]
        if len(deeper) != 1:
            lists = [index for index in deeper if columns.role[index] == "list"]
            if len(lists) != 1:
                return []
            deeper = lists
        at, span = deeper[0] + 1, range(deeper[0], ends[deeper[0]])
    return []


def _joined(
    snapshot: Snapshot, nodes: Sequence[Node], spans: Sequence[range], inside: Sequence[Collection]
) -> Collection | None:
    """Lists of one kind in several groups as one, with the groups' names as its first column."""
    if len(nodes) == 1 and nodes[0].role in _WHOLE_PAGE:
        return None
    if len(nodes) == 1 and any(c.node.index == nodes[0].index and c.kind != "cards" for c in inside):
        return None
    best = max(inside, key=lambda c: c.count * len(c.fields))
    if best.kind in TABLES:
        rows = [row for c in inside if c.fields == best.fields and c.kind == best.kind for row in c.rows]
        fields = best.fields
    else:
        read = read_items(snapshot, items_like(snapshot, best.rows[0].node, spans))
        if read is None:
            return None
        fields, rows = read.fields, list(read.rows)
    tops = [next(span.start for span in spans if row.node.index in span) for row in rows]
    outer = [group_of(snapshot, row.node.index, top, rows) for row, top in zip(rows, tops, strict=True)]
    if len({cell.text for cell in outer if cell}) < SEVERAL:
        return None
    grouped = [Row(row.node, [cell, *row.cells]) for row, cell in zip(rows, outer, strict=True)]
    return replace(best, node=nodes[0], fields=[GROUP, *fields], rows=grouped, places=())
