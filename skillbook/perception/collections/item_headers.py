"""Lists of blocks whose first item names the fields of the others, as a table's header does."""

from __future__ import annotations

from dataclasses import replace

from skillbook.perception.collections.cells import is_named_head
from skillbook.perception.collections.collection import Collection, unique_names
from skillbook.perception.escape import clean
from skillbook.perception.roles import FIELDS

_FEWEST = 3  # items, with the header
_FEWEST_NAMED = 2


def with_named_fields(collection: Collection) -> Collection:
    """A list without its first item if that alone is called a header; its texts are the fields' names."""
    rows, snapshot = collection.rows, collection.node.snapshot
    if len(rows) < _FEWEST or not is_named_head(snapshot, rows[0].node.index):
        return collection
    if any(is_named_head(snapshot, row.node.index) for row in rows[1:]):
        return collection
    first = rows[0].node.index
    names = [cell.text if cell else "" for cell in rows[0].cells]
    named = sum(map(bool, names))
    if named < _FEWEST_NAMED or not FIELDS.isdisjoint(snapshot.columns.role[first : snapshot.ends[first]]):
        return collection
    # Each name stands over values: else the item is made otherwise, as the header of a card is.
    if any(name and not any(row.cells[place] for row in rows[1:]) for place, name in enumerate(names)):
        return collection
    fields = [name or field for name, field in zip(names, collection.fields, strict=True)]
    fields = unique_names(fields)
    before, after = (", ".join(map(clean, each)) for each in (collection.fields, fields))
    notes = [note.replace(before, after) for note in collection.notes]
    return replace(collection, fields=fields, rows=rows[1:], notes=notes)
