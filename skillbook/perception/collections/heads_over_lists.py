"""Headers above rows that are no table: in a table of their own, or as a line of texts, as virtualised tables have."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from skillbook.perception.collections.cells import cell_text, head_text
from skillbook.perception.collections.collection import Cell, Collection, unique_names
from skillbook.perception.collections.parts import Part
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.visible_text import speaks

_NEAR = 4  # pixels
_MOST_COMPARED = 50  # rows
_FEWEST_COLUMNS = 2


def with_heads_above(found: Collection, heads: Sequence[Part]) -> Collection:
    """A list whose values stand below headers right above it, each below its own, with these names."""
    for part in heads:
        if (named := _named_by(found, part.lines[-1])) is not None:
            return named
    return found


def with_heads_before(found: Collection, rows: Container[int]) -> Collection:
    """A list whose values stand below the line of texts that comes before it, each below its own, with these names.

    rows: the rows of the page's collections, which name nothing.
    """
    if found.minor or found.labelled or found.kind == "definitions":
        return found
    line = _texts_before(found.node.snapshot, min(row.node.index for row in found.rows), rows)
    named = _named_by(found, line) if len(found.fields) <= len(line) <= _MOST_COMPARED else None
    return found if named is None else named


def _texts_before(snapshot: BaseSnapshot, row: int, rows: Container[int]) -> list[int]:
    """The texts of what stands right before a row and all that it is the first one of."""
    columns, at = snapshot.columns, row
    while (parent := snapshot.parents[at]) >= 0:
        before = [child for child in snapshot.child_indexes(parent) if child < at]
        if before:
            inside = range(before[-1], snapshot.ends[before[-1]])
            if any(each in rows for each in inside):
                return []
            return [each for each in inside if columns.role[each] == "text" or speaks(columns, each)]
        at = parent
    return []


def _named_by(found: Collection, line: Sequence[int]) -> Collection | None:
    """A list with the names that stand right above it, if each of its columns is below one of them."""
    if not _FEWEST_COLUMNS <= len(found.fields) <= len(line):
        return None
    snapshot = found.node.snapshot
    rows = [snapshot.box_of(row.node.index) for row in found.rows]
    top, bottom = min(box.y for box in rows), max(box.y + box.height for box in rows)
    boxes = [snapshot.box_of(cell) for cell in line]
    # Rows that were scrolled up stand behind the headers.
    if not top - _NEAR <= max(box.y + box.height for box in boxes) < bottom:
        return None
    above = [_head_above(found, place, line) for place in range(len(found.fields))]
    names = [head_text(Cell(cell_text(snapshot, at), snapshot, at)) for at in above if at is not None]
    is_each = len(set(above)) == len(names) == len(found.fields) and all(names)
    return replace(found, fields=unique_names(names)) if is_each else None


def _head_above(found: Collection, place: int, heads: Sequence[int]) -> int | None:
    """The only header that all values of a column stand below."""
    snapshot = found.node.snapshot
    above = set(heads)
    for row in found.rows[:_MOST_COMPARED]:
        if (cell := row.cells[place]) is not None:
            above &= {head for head in heads if _is_below(snapshot, cell.index, head)}
    return above.pop() if len(above) == 1 else None


def _is_below(snapshot: BaseSnapshot, value: int, head: int) -> bool:
    box, over = snapshot.box_of(value), snapshot.box_of(head)
    return over.x - _NEAR <= box.x and box.x + box.width <= over.x + over.width + _NEAR
