"""Headers in a table of their own above rows that are no table, as virtualised tables render theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillbook.perception.collections.cells import cell_text, head_text
from skillbook.perception.collections.collection import Cell, Collection, unique_names
from skillbook.perception.collections.parts import Part
from skillbook.perception.nodes.base_snapshot import BaseSnapshot

_NEAR = 4  # pixels
_MOST_COMPARED = 50  # rows
_FEWEST_COLUMNS = 2


def with_heads_above(found: Collection, heads: Sequence[Part]) -> Collection:
    """A list whose values stand below headers right above it, each below its own, with these names."""
    snapshot = found.node.snapshot
    rows = [snapshot.box_of(row.node.index) for row in found.rows]
    top, bottom = min(box.y for box in rows), max(box.y + box.height for box in rows)
    if len(found.fields) < _FEWEST_COLUMNS:
        return found
    for part in heads:
        line = part.lines[-1]
        boxes = [snapshot.box_of(cell) for cell in line]
        # Rows that were scrolled up stand behind the headers.
        if not top - _NEAR <= max(box.y + box.height for box in boxes) < bottom:
            continue
        above = [_head_above(found, place, line) for place in range(len(found.fields))]
        names = [head_text(Cell(cell_text(snapshot, at), snapshot, at)) for at in above if at is not None]
        if len(set(above)) == len(names) == len(found.fields) and all(names):
            return replace(found, fields=unique_names(names))
    return found


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
