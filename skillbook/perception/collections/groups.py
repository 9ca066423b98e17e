"""Groups of lists: items of one kind in several groups, with each group's name as the first column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.collection import Cell, Collection, Row, unique_names
from skillbook.perception.collections.labelled_facts import kind_of_text
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.collections.repeats import branch_of, read_items
from skillbook.perception.escape import LONGEST_NAME, clean, counted, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import FEWEST, kind_of
from skillbook.perception.roles import CELLS, FIELDS, IMAGES, INTERACTIVE, RECORDS, TABLES, words
from skillbook.protocol.snapshot import State

_T = TypeVar("_T")

_CONTAINERS = words("iframe region group form list listbox tabpanel article navigation dialog section")
_ITEMS = (RECORDS - {"row"}) | {"option"}
_HEADING = "heading"


def with_groups(collection: Collection, taken: Container[int] = ()) -> Collection:
    """A collection whose items are groups with a name and items of their own as these, with the name beside each.

    taken: rows of the page's collections; what has its own is no part of another's items.
    """
    snapshot = collection.node.snapshot
    items = [row.node.index for row in collection.rows]
    inner = None if collection.labelled else _inner_item(snapshot, items)
    if inner is None:
        return collection
    spans = [range(at, snapshot.ends[at]) for at in items]
    found = items_like(snapshot, snapshot.nodes[inner], spans)
    if len(found) < FEWEST * len(items) or any(at in taken for at in found):
        return collection
    if _are_facts(snapshot, found, spans):
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
    beside = _texts_beside(snapshot, spans, found)
    if None in names or len(named) != len(items) or len(beside) > SEVERAL * len(spans):
        return collection
    titles = _titles(snapshot, spans, found) or names
    rows = [Row(row.node, [cell, *row.cells]) for row, cell in zip(read.rows, titles, strict=True)]
    notes = [*read.notes, *_left_beside(snapshot, beside, titles)]
    aside = [*read.aside, *(("heading", at) for at in beside)]
    return replace(collection, fields=[GROUP, *read.fields], rows=rows, notes=notes, aside=aside)


def in_branches(collection: Collection) -> Collection:
    """A collection whose items are in lists of another list's items, with the names of these as the first column."""
    snapshot, rows = collection.node.snapshot, collection.rows
    if branch_of(snapshot, rows[0].node.index) is None:
        return collection
    names = [group_of(snapshot, row.node.index, collection.node.index - 1, rows) for row in rows]
    if None in names or len({cell.index for cell in names if cell}) < SEVERAL:
        return collection
    grouped = [Row(row.node, [cell, *row.cells]) for row, cell in zip(rows, names, strict=True)]
    return replace(collection, fields=unique_names([GROUP, *collection.fields]), rows=grouped)


def without_names_of_groups(found: Sequence[Collection]) -> list[Collection]:
    """Collections without those whose items only name the groups of another one's."""
    named = {
        each.node.snapshot.parents[cell.index]
        for each in found
        if each.fields[0] == GROUP
        for row in each.rows
        if (cell := row.cells[0])
    }
    return [
        each
        for each in found
        if len(each.fields) > 1 or not all(row.node.index in named for row in each.rows)
    ]


def _are_facts(snapshot: BaseSnapshot, found: Sequence[int], spans: Sequence[range]) -> bool:
    """Whether texts in items are facts of these, and no items: as many in each, and the n-th ones of the same kind.

    What is of one kind throughout may be a list of things.
    """
    texts_of_spans = [[snapshot.text_of(at) for at in found if at in span] for span in spans]
    if len(set(map(len, texts_of_spans))) > 1 or len(texts_of_spans) < SEVERAL:
        return False
    kinds = [set(map(kind_of_text, texts)) for texts in zip(*texts_of_spans, strict=True)]
    return all(len(each) == 1 for each in kinds) and len(set().union(*kinds)) > 1


def under_headings(collection: Collection) -> Collection:
    """A collection whose items stand under several headings, as cards on a board, with those as the first column.

    Sections below each other that have their items in boxes of their own are left as they are: their headings divide
    what is one list.
    """
    headings = headings_over(collection)
    indexes = list(dict.fromkeys(cell.index for cell in headings if cell))
    if len(indexes) < SEVERAL or None in headings:
        return collection
    snapshot = collection.node.snapshot
    parents = {snapshot.parents[row.node.index] for row in collection.rows}
    if len(parents) > 1 and not _are_side_by_side(snapshot, indexes):
        return collection
    rows = [Row(row.node, [cell, *row.cells]) for row, cell in zip(collection.rows, headings, strict=True)]
    return replace(collection, fields=unique_names([GROUP, *collection.fields]), rows=rows)


def _are_side_by_side(snapshot: BaseSnapshot, headings: Sequence[int]) -> bool:
    """Whether two headings that follow each other stand in one line."""
    boxes = [snapshot.box_of(at) for at in headings]
    return any(
        before.x != after.x and abs(before.y - after.y) < max(before.height, 1)
        for before, after in pairwise(boxes)
    )


def without_heading_items(collection: Collection, *, is_later: bool = False) -> Collection:
    """A list without those items that only say what the next ones are of, such as a day; those are its first column.

    Such an item has one text and nothing to click, in a field that no other item has. No two have the same text, each
    has others after it, and the list begins with one.

    is_later: the list goes on from an earlier page, so that it may begin with other items, and have one heading.
    """
    rows = collection.rows
    filled = [[place for place, cell in enumerate(row.cells) if cell and cell.text] for row in rows]
    shared = {place for places in filled for place in places if len(places) > 1}
    heads = [
        at
        for at, places in enumerate(filled)
        if len(places) == 1 and places[0] not in shared and _is_plain(rows[at])
    ]
    own = {filled[at][0] for at in heads}
    texts = {rows[at].cells[place].text for at in heads for place in own if rows[at].cells[place]}  # type: ignore[union-attr]
    fewest = 1 if is_later else SEVERAL
    if len(heads) < fewest or len(own) != 1 or len(texts) < len(heads) or not (is_later or heads[0] == 0):
        return collection
    if any(after - at < 2 for at, after in pairwise([*heads, len(rows)])) or len(rows) < 2 * len(heads) + 1:
        return collection
    (place,) = own
    headings = [max((at for at in heads if at < other), default=None) for other in range(len(rows))]
    kept = [
        Row(
            row.node,
            [
                None if (head := headings[at]) is None else rows[head].cells[place],
                *_without(row.cells, place),
            ],
        )
        for at, row in enumerate(rows)
        if at not in heads
    ]
    fields = unique_names([GROUP, *_without(collection.fields, place)])
    return replace(collection, fields=fields, rows=kept)


def _is_plain(row: Row) -> bool:
    """Whether there is nothing in an item to click or fill in, or to look at."""
    roles, index = row.node.snapshot.columns.role, row.node.index
    return (INTERACTIVE | IMAGES).isdisjoint(roles[index : row.node.snapshot.ends[index]])


def _without(items: Sequence[_T], place: int) -> list[_T]:
    return [*items[:place], *items[place + 1 :]]


def headings_over(collection: Collection) -> list[Cell | None]:
    """The heading that each item stands under: the nearest before it, within what is around all of them.

    A short text with a class counts as one if others of its kind are headings of other items. Virtualised lists have
    none: what a row stands under may not be rendered.
    """
    snapshot = collection.node.snapshot
    items = [row.node.index for row in collection.rows]
    top = collection.node.index if collection.node.index < items[0] else -1
    if snapshot.extents.room_for(items) is not None:
        return [None] * len(items)
    inside = set(items)
    over = [_texts_over(snapshot, at, top, inside) for at in items]
    for kind in over[0]:
        found = [each.get(kind) for each in over]
        nodes = {cell.index: cell.text for cell in found if cell}
        differ = kind == _HEADING or len(set(nodes.values())) == len(nodes) < len(items)
        if None not in found and differ and len(nodes) >= SEVERAL:
            return found
    return [each.get(_HEADING) for each in over]


def _texts_over(snapshot: BaseSnapshot, item: int, top: int, items: Container[int]) -> dict[str, Cell]:
    """By kind, the nearest heading and the nearest texts before an item that are children of something around it.

    Those are in the order of the page, a heading first.
    """
    columns, at = snapshot.columns, item
    found: dict[str, Cell] = {}
    while at > max(top, 0):
        parent = snapshot.parents[at]
        before = [child for child in snapshot.child_indexes(parent) if child < at and child not in items]
        for child in reversed(before):
            role, kind = columns.role[child], kind_of(columns.tag[child])
            key = _HEADING if role == "heading" else f"{columns.depth[child]} {kind}"
            is_text = role == "text" and "." in kind and not columns.flags[child] & State.UNSEEN
            text = clean(snapshot.nodes[child].label) if role == "heading" or is_text else ""
            if 0 < len(text) <= LONGEST_NAME:
                found.setdefault(key, Cell(text, snapshot, child))
        at = parent
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != _HEADING, pair[1].index)))


def _inner_item(snapshot: BaseSnapshot, items: Sequence[int]) -> int | None:
    """One of the things that repeat in the item with most in it: children of one parent, alike and at least three."""
    columns = snapshot.columns
    biggest = max(items, key=lambda at: snapshot.ends[at] - at, default=None)
    if biggest is None:
        return None
    parent = biggest - 1
    while (parent := parent + 1) < snapshot.ends[biggest]:
        role = columns.role[parent]
        if role in TABLES or (role in FIELDS and parent > biggest):
            # Its rows are known as such, and what can be chosen in a field is one value.
            parent = snapshot.ends[parent] - 1
            continue
        children = list(snapshot.child_indexes(parent))
        kinds = Counter((columns.role[at], kind_of(columns.tag[at])) for at in children)
        kind, count = max(kinds.items(), key=lambda pair: pair[1], default=(("", ""), 0))
        if count >= FEWEST and kind[0] != "heading":
            return next(at for at in children if (columns.role[at], kind_of(columns.tag[at])) == kind)
    return None


def _texts_beside(snapshot: BaseSnapshot, spans: Sequence[range], found: Sequence[int]) -> list[int]:
    """The texts of groups outside of their items: with many, they are items with a list in them."""
    inside = {at for item in found for at in range(item, snapshot.ends[item])}
    columns = snapshot.columns
    return [
        at
        for span in spans
        for at in span
        if at not in inside and columns.role[at] == "text" and columns.name[at].strip()
    ]


def _titles(snapshot: BaseSnapshot, spans: Sequence[range], found: Sequence[int]) -> list[Cell] | None:
    """For each item its group's title, if all groups have one before their items; None if not.

    A title is the group's only heading there, else the text that stands first: what is nearest to the items may
    describe the group.
    """
    first = [next(at for at in found if at in span) for span in spans]
    before = [range(span.start, at) for span, at in zip(spans, first, strict=True)]
    headings = [[at for at in part if snapshot.columns.role[at] == _HEADING] for part in before]
    if all(len(each) == 1 for each in headings):
        named = [each[0] for each in headings]
    elif any(headings):
        return None
    else:
        texts = [_first_text(snapshot, part) for part in before]
        if None in texts:
            return None
        named = [at for at in texts if at is not None]
    titles = [clean(snapshot.nodes[at].label) or snapshot.text_of(at) for at in named]
    if not all(0 < len(text) <= LONGEST_NAME for text in titles):
        return None
    cells = [Cell(text, snapshot, at) for text, at in zip(titles, named, strict=True)]
    return [cell for item in found for span, cell in zip(spans, cells, strict=True) if item in span]


def _first_text(snapshot: BaseSnapshot, part: range) -> int | None:
    """The first text there, or a link that has its text as its name."""
    columns = snapshot.columns
    return next(
        (
            at
            for at in part
            if columns.name[at].strip()
            and (columns.role[at] == "text" or (columns.role[at] == "link" and snapshot.ends[at] == at + 1))
        ),
        None,
    )


def _left_beside(snapshot: BaseSnapshot, beside: Sequence[int], names: Sequence[Cell | None]) -> list[str]:
    """A note about the texts of groups that are no part of their names."""
    kept = {at for cell in names if cell for at in range(cell.index, snapshot.ends[cell.index])}
    left = [at for at in beside if at not in kept]
    if not left:
        return []
    first = quote(clean(snapshot.columns.name[left[0]]), 40)
    more = ", …" if len(left) > 1 else ""
    return [f"left out: {counted(len(left), 'text')} of groups beside their names ({first}{more})"]


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
    return text if 0 < len(text) <= LONGEST_NAME else None
