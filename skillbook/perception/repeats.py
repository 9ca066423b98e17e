"""Lists, cards and definitions as collections: elements with the same place in the page's structure.

Items need not be siblings: operations in several sections, or products in several shelves, have the same path of
tags and first classes from the root, and are one collection.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillbook.perception.cards import FEWEST, kind_of
from skillbook.perception.collections import Cell, Collection, Kind, Row, name_of, unique_names
from skillbook.perception.escape import clean
from skillbook.perception.leaves import Leaf, leaves_of, name_fields
from skillbook.perception.roles import LANDMARKS, words

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot

_NAVIGATION = LANDMARKS - {"main", "region", "search", "form"}
_NO_ITEMS = words(
    "text row cell columnheader rowheader gridcell rowgroup option table grid term caption heading button"
)
_MOST_FIELDS = 40
_COMMON = 0.2  # share of the items that must have a field
_LARGEST_ITEM = 4000  # nodes


@dataclass
class _Group:
    """Elements with one path, in page order."""

    path: int
    members: list[int]


def find_repeats(snapshot: Snapshot, taken: Sequence[range]) -> list[Collection]:
    """Every list, set of cards and definition list outside of `taken`."""
    groups = _groups(snapshot, taken)
    found = []
    for group in groups:
        nested = {index for other in groups if other is not group for index in other.members}
        collection = _read(snapshot, group, nested)
        if collection is not None:
            found.append(collection)
    return [*found, *_definitions(snapshot, taken)]


def _groups(snapshot: Snapshot, taken: Sequence[range]) -> list[_Group]:
    columns = snapshot.columns
    parents, ends = snapshot.parents, snapshot.ends
    paths = [0] * len(columns.role)
    by_path: dict[int, list[int]] = defaultdict(list)
    skipped = sorted((span.start, span.stop) for span in taken)
    at_skip = 0
    for index, role in enumerate(columns.role):
        parent = parents[index]
        above = paths[parent] if parent >= 0 else 0
        paths[index] = hash((above, role if role != "generic" else "", kind_of(columns.tag[index])))
        while at_skip < len(skipped) and index >= skipped[at_skip][1]:
            at_skip += 1
        inside = at_skip < len(skipped) and skipped[at_skip][0] <= index
        if not inside and role not in _NO_ITEMS and 1 < ends[index] - index <= _LARGEST_ITEM:
            by_path[paths[index]].append(index)
    chosen: list[_Group] = []
    owner: dict[int, int] = {}  # a node -> how many members its group has
    for path, members in by_path.items():  # outer paths come before inner ones
        if len(members) < FEWEST:
            continue
        enclosing = {_nearest(parents, owner, member) for member in members} - {-1}
        if enclosing:
            outer_count = owner[next(iter(enclosing))]
            per_item = Counter(_nearest(parents, owner, member) for member in members)
            if len(members) <= 1.5 * outer_count or max(per_item.values()) < FEWEST:
                continue
        if not _is_worth_it(snapshot, members):
            continue
        chosen.append(_Group(path, members))
        owner.update(dict.fromkeys(members, len(members)))
    return chosen


def _nearest(parents: Sequence[int], owner: dict[int, int], index: int) -> int:
    at = parents[index]
    while at >= 0 and at not in owner:
        at = parents[at]
    return at


def _is_worth_it(snapshot: Snapshot, members: Sequence[int]) -> bool:
    """Whether the members are items: list items with something to say, or blocks with several things each."""
    columns = snapshot.columns
    sample = members[:: max(len(members) // 12, 1)][:12]
    counts = [len({leaf.path for leaf in leaves_of(snapshot, member)}) for member in sample]
    role = columns.role[members[0]]
    if role in {"listitem", "article", "treeitem"}:
        return sum(count >= 1 for count in counts) > 0.6 * len(counts)
    return sum(count >= 2 for count in counts) >= 0.5 * len(counts)


def _read(snapshot: Snapshot, group: _Group, nested: set[int]) -> Collection | None:
    items = [leaves_of(snapshot, member, nested) for member in group.members]
    seen = Counter(path for leaves in items for path in {leaf.path for leaf in leaves})
    least = max(2, _COMMON * len(items)) if len(items) > 2 else 1
    order = _in_order(items)
    paths = [path for path in order if seen[path] >= least][:_MOST_FIELDS]
    if not paths:
        return None
    samples = {path: [leaf for leaves in items for leaf in leaves if leaf.path == path] for path in paths}
    fields = unique_names(name_fields(snapshot, paths, samples), "field")
    rows = []
    for member, leaves in zip(group.members, items, strict=True):
        by_path: dict[tuple[str, ...], Leaf] = {}
        for leaf in leaves:
            by_path.setdefault(leaf.path, leaf)
        cells = [_cell(snapshot, by_path.get(path)) for path in paths]
        if any(cells):
            rows.append(Row(snapshot.nodes[member], cells))
    if len(rows) < FEWEST:
        return None
    container = _container(snapshot, group.members)
    role = snapshot.columns.role[group.members[0]]
    kind: Kind = "list" if role == "listitem" else "cards"
    minor = _is_minor(snapshot, container)
    return Collection(kind, name_of(snapshot, container), snapshot.nodes[container], fields, rows, minor)


def _in_order(items: Sequence[Sequence[Leaf]]) -> list[tuple[str, ...]]:
    """Every path, in the order of the fullest item, others where they first come."""
    order: list[tuple[str, ...]] = []
    for leaves in sorted(items, key=len, reverse=True):
        place = 0
        for leaf in leaves:
            if leaf.path in order:
                place = order.index(leaf.path) + 1
            else:
                order.insert(place, leaf.path)
                place += 1
        if len(order) > 3 * _MOST_FIELDS:
            break
    return order


def _cell(snapshot: Snapshot, leaf: Leaf | None) -> Cell | None:
    return None if leaf is None else Cell(leaf.text, snapshot.nodes[leaf.index])


def _container(snapshot: Snapshot, members: Sequence[int]) -> int:
    """The innermost element around all members."""
    parents, ends = snapshot.parents, snapshot.ends
    at = parents[members[0]]
    while parents[at] >= 0 and ends[at] <= members[-1]:
        at = parents[at]
    return max(at, 0)


def _is_minor(snapshot: Snapshot, container: int) -> bool:
    node = snapshot.nodes[container]
    return node.role in _NAVIGATION or any(outer.role in _NAVIGATION for outer in node.ancestors)


def _definitions(snapshot: Snapshot, taken: Sequence[range]) -> Iterator[Collection]:
    """Terms with their definitions, as two fields."""
    columns = snapshot.columns
    by_parent: dict[int, list[int]] = defaultdict(list)
    for index, role in enumerate(columns.role):
        if role in {"term", "definition"} and columns.tag[index].partition(".")[0] in {"dt", "dd"}:
            parent = snapshot.parents[index]
            if columns.tag[parent].partition(".")[0] == "div":
                parent = snapshot.parents[parent]
            by_parent[parent].append(index)
    for parent, members in by_parent.items():
        rows: list[Row] = []
        term: Cell | None = None
        for index in members:
            cell = Cell(snapshot.text_of(index), snapshot.nodes[index])
            if columns.role[index] == "term":
                term = cell
            elif term is not None:
                rows.append(Row(snapshot.nodes[index], [term, cell]))
        short = sum(len(row.cells[1].text) for row in rows if row.cells[1]) <= 400 * len(rows)
        if len(rows) >= 2 and short and not any(parent in span for span in taken):
            yield Collection(
                "definitions",
                clean(name_of(snapshot, parent)),
                snapshot.nodes[parent],
                ["term", "definition"],
                rows,
                _is_minor(snapshot, parent),
            )
