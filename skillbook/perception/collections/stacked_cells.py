"""Tables without headers whose cells begin with their column's name, as tables are on narrow screens."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.collection import Cell, Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import clean

_ENDS = " :：\u00a0"


def named_by_cells(rows: Sequence[Row]) -> tuple[list[str], list[Row]] | None:
    """The columns' names and the rows without them, if every cell begins with an element that says its column's name.

    Columns without any text keep no name. None where a column's cells begin in different ways: then these are values.
    """
    rows = _with_parts(rows)
    width = max((len(row.cells) for row in rows), default=0)
    if len(rows) < SEVERAL or width < SEVERAL:
        return None
    names = []
    for place in range(width):
        cells = [cell for row in rows if place < len(row.cells) and (cell := row.cells[place]) and cell.text]
        firsts = {_first_text(cell) for cell in cells}
        if len(firsts) > 1 or (firsts and len(cells) < len(rows)):
            return None
        names.append(firsts.pop() if firsts else "")
    given = [name for name in names if name]
    is_named = len(given) >= SEVERAL and len(set(given)) == len(given) and all(map(_is_name, given))
    if not is_named:
        return None
    without = [
        Row(row.node, [_without(cell, name) for cell, name in zip(row.cells, names, strict=False)])
        for row in rows
    ]
    values = {cell.text for row in without for cell in row.cells if cell}
    return ([name.rstrip(_ENDS) for name in names], without) if len(values) > SEVERAL else None


def _with_parts(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of one cell each as rows of the blocks in it, if all have as many, with a name and a value in each."""
    parted = [_parts(row) for row in rows]
    counts = {len(parts) for parts in parted}
    if len(counts) != 1 or counts.pop() < SEVERAL:
        return rows
    return [Row(row.node, parts) for row, parts in zip(rows, parted, strict=True)]


def _parts(row: Row) -> list[Cell]:
    cell = row.cells[0] if len(row.cells) == 1 else None
    if cell is None or cell.snapshot is None:
        return []
    snapshot, at = cell.snapshot, cell.index
    inside = list(snapshot.child_indexes(at))
    while len(inside) == 1:
        inside = list(snapshot.child_indexes(inside[0]))
    roles = snapshot.columns.role
    if any(roles[part : snapshot.ends[part]].count("text") < SEVERAL for part in inside):
        return []
    return [Cell(snapshot.text_of(part), snapshot, part) for part in inside]


def _first_text(cell: Cell) -> str:
    """The first of a cell's texts, which is an element of its own; the only one, where that has no value beside it."""
    snapshot = cell.snapshot
    if snapshot is None:
        return ""
    columns, index = snapshot.columns, cell.index
    inside = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return clean(columns.name[inside[0]]) if inside else cell.text


def _is_name(text: str) -> bool:
    return any(map(str.isalpha, text))


def _without(cell: Cell | None, name: str) -> Cell | None:
    if cell is None or not name:
        return cell
    return Cell(cell.text.removeprefix(name).lstrip(_ENDS), cell.snapshot, cell.index)
