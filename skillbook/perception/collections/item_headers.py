"""Lists of blocks whose first item names the fields of the others, as a table's header does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from skillbook.perception.collections.cells import is_named_head
from skillbook.perception.collections.collection import Cell, Collection, Row, unique_names
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import FIELDS

_FEWEST = 3  # items, with the header
_FEWEST_NAMED = 2
_MOST_COMPARED = 50  # rows
_OF_COLUMNS = re.compile(r"columns (.+?) (count texts that are alike.*)")
_NAMES = {"text", "button"}


def with_named_fields(collection: Collection) -> Collection:
    """A list without its first item if that alone is called a header; its texts are the fields' names."""
    rows, snapshot = collection.rows, collection.node.snapshot
    if len(rows) < _FEWEST or not _is_called_head(snapshot, rows[0].node.index):
        return collection
    if any(_is_called_head(snapshot, row.node.index) for row in rows[1:]):
        return collection
    first = rows[0].node.index
    names = [cell.text if cell else "" for cell in rows[0].cells]
    if not FIELDS.isdisjoint(snapshot.columns.role[first : snapshot.ends[first]]):
        return collection
    if sum(map(bool, names)) < _FEWEST_NAMED:
        return _named_by_place(collection)
    # Each name stands over values: else the item is made otherwise, as the header of a card is.
    if any(name and not any(row.cells[place] for row in rows[1:]) for place, name in enumerate(names)):
        return _named_by_place(collection)
    fields = [name or field for name, field in zip(names, collection.fields, strict=True)]
    fields = unique_names(fields)
    before, after = (", ".join(map(clean, each)) for each in (collection.fields, fields))
    notes, faults = (
        [note.replace(before, after) for note in each] for each in (collection.notes, collection.faults)
    )
    aside = [*collection.aside, ("header", first)]
    return replace(collection, fields=fields, rows=rows[1:], notes=notes, faults=faults, aside=aside)


def _is_called_head(snapshot: BaseSnapshot, item: int) -> bool:
    """Whether an item, or what holds nothing but it, is called a header."""
    around = snapshot.parents[item]
    if is_named_head(snapshot, item):
        return True
    return around >= 0 and len(list(snapshot.child_indexes(around))) == 1 and is_named_head(snapshot, around)


def _named_by_place(collection: Collection) -> Collection:
    """A list without its first item if that is one line of names of which two at least stand over values of all others.

    A value that alone stands under a name is called by it. The header may be made of other parts than the rest.
    """
    snapshot, rows = collection.node.snapshot, collection.rows[1:]
    heads = _line_of_names(snapshot, collection.rows[0].node.index)
    if len(heads) < _FEWEST_NAMED:
        return collection
    places = [at for at in range(len(collection.fields)) if any(row.cells[at] for row in rows)]
    above = {at: _name_above([cell for row in rows if (cell := row.cells[at])], heads) for at in places}
    uses = Counter(head for head in above.values() if head is not None)
    if len(uses) < _FEWEST_NAMED:
        return collection
    fields = [
        snapshot.text_of(head) or clean(snapshot.columns.name[head])
        if (head := above[at]) is not None and uses[head] == 1
        else collection.fields[at]
        for at in places
    ]
    kept = [Row(row.node, [row.cells[at] for at in places]) for row in rows]
    names = quote(" | ".join(clean(snapshot.columns.name[head]) for head in heads), 80)
    renamed = {collection.fields[at]: field for at, field in zip(places, unique_names(fields), strict=True)}
    known, faults = (
        [now for each in every if (now := _with_names(each, collection.fields, renamed))]
        for every in (collection.notes, collection.faults)
    )
    notes = [*known, f"left out: the first item, which names what stands below it ({names})"]
    aside = [*collection.aside, ("header", collection.rows[0].node.index)]
    fields = unique_names(fields)
    return replace(collection, fields=fields, rows=kept, notes=notes, faults=faults, aside=aside)


def _with_names(note: str, fields: Sequence[str], renamed: Mapping[str, str]) -> str:
    """A note of columns with the names that they have now; "" if one at most is left."""
    found = _OF_COLUMNS.match(note)
    names = found[1].split(", ") if found else []
    if not found or not set(map(clean, fields)).issuperset(names):
        return note
    left = [clean(after) for before, after in renamed.items() if clean(before) in names]
    return f"columns {', '.join(left)} {found[2]}" if len(left) > 1 else ""


def _line_of_names(snapshot: BaseSnapshot, item: int) -> list[int]:
    """The texts and buttons of an item, if all of them stand on one line."""
    roles, names = snapshot.columns.role, snapshot.columns.name
    found, at = [], item + 1
    while at < snapshot.ends[item]:
        is_name = roles[at] in _NAMES and bool(names[at].strip())
        found += [at] * is_name
        at = snapshot.ends[at] if is_name else at + 1
    boxes = [snapshot.box_of(head) for head in found]
    is_line = bool(boxes) and max(box.y for box in boxes) < min(box.y + box.height for box in boxes)
    return found if is_line else []


def _name_above(cells: Sequence[Cell], heads: Sequence[int]) -> int | None:
    """The only name that all values of a column stand below."""
    above = set(heads)
    for cell in cells[:_MOST_COMPARED]:
        if cell.snapshot is None:
            return None
        box = cell.snapshot.box_of(cell.index)
        overs = {head: cell.snapshot.box_of(head) for head in above}
        above = {
            at for at, over in overs.items() if box.x < over.x + over.width and over.x < box.x + box.width
        }
    return above.pop() if len(above) == 1 else None
