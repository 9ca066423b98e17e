"""Tables without headers whose cells begin with their column's name, as tables are on narrow screens."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.collection import Cell, Row
from skillbook.perception.escape import clean

_FEWEST = 2  # rows and columns
_ENDS = " :：\u00a0"


def named_by_cells(rows: Sequence[Row]) -> tuple[list[str], list[Row]] | None:
    """The columns' names and the rows without them, if every cell begins with an element that says its column's name.

    Columns without any text keep no name. None where a column's cells begin in different ways: then these are values.
    """
    width = max((len(row.cells) for row in rows), default=0)
    if len(rows) < _FEWEST or width < _FEWEST:
        return None
    names = []
    for place in range(width):
        cells = [cell for row in rows if place < len(row.cells) and (cell := row.cells[place]) and cell.text]
        firsts = {_first_text(cell) for cell in cells}
        if len(firsts) > 1 or (firsts and len(cells) < len(rows)):
            return None
        names.append(firsts.pop() if firsts else "")
    said = [name for name in names if name]
    is_named = len(said) >= _FEWEST and len(set(said)) == len(said) and all(map(_is_name, said))
    if not is_named:
        return None
    without = [
        Row(row.node, [_without(cell, name) for cell, name in zip(row.cells, names, strict=False)])
        for row in rows
    ]
    values = {cell.text for row in without for cell in row.cells if cell}
    return ([name.rstrip(_ENDS) for name in names], without) if len(values) > _FEWEST else None


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
