"""Values by the label before them: `UPC | a897fe39`, as tables and lists of properties have them."""

from __future__ import annotations

from collections.abc import Iterator

from skillbook.perception.collections import Cell, cell_text
from skillbook.perception.collections.measures import PAIR
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot
from skillbook.perception.roles import CELLS, words

_LABELS = words("columnheader rowheader term")

_OUTWARDS = 2  # elements that a label may be wrapped in


def values_labelled(snapshot: BaseSnapshot, label: str) -> list[Cell]:
    """What stands after a label, of each place where it is one.

    A label is all that an element says, or what stands before a colon in a text. Cells of a table are a label and its
    value where they are alone in their row, or the first is a row's header.

    label: the whole label, without regard to case and to a colon at its end.
    """
    wanted = _folded(label)
    found: dict[int, Cell] = {}
    for index, name in enumerate(snapshot.folded_names):
        if not name.startswith(wanted):
            continue
        if _folded(name) == wanted:
            value = _value_after(snapshot, index)
            if value is not None:
                found.setdefault(value, Cell(cell_text(snapshot, value), snapshot, value))
        elif snapshot.columns.role[index] == "text":
            before, colon, rest = snapshot.clean_names[index].partition(":")
            if colon and _folded(before) == wanted and rest.strip():
                found.setdefault(index, Cell(rest.strip(), snapshot, index))
    return list(found.values())


def _value_after(snapshot: BaseSnapshot, index: int) -> int | None:
    """The next thing that says something, beside the label or beside what the label is all of."""
    roles = snapshot.columns.role
    at, label = index, clean(snapshot.columns.name[index])
    for _ in range(_OUTWARDS + 1):
        parent = snapshot.parents[at]
        if parent < 0 or roles[at] == "columnheader":
            return None
        after = next(_saying(snapshot, at, parent), None)
        if after is not None:
            cells = [child for child in snapshot.child_indexes(parent) if roles[child] in CELLS]
            alone = at not in cells or roles[at] == "rowheader" or len(cells) == PAIR
            return after if alone and roles[after] not in _LABELS else None
        if clean(cell_text(snapshot, parent)) != label:
            return None
        at = parent
    return None


def _saying(snapshot: BaseSnapshot, at: int, parent: int) -> Iterator[int]:
    """What comes after a node in its parent, and says something."""
    after = snapshot.ends[at]
    while after < snapshot.ends[parent]:
        if cell_text(snapshot, after):
            yield after
        after = snapshot.ends[after]


def _folded(text: str) -> str:
    return clean(text).casefold().rstrip(" :：*")
