"""What of a table is known to be missing or in the wrong place, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Cell
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box
from skillbook.perception.roles import INTERACTIVE

Line = Sequence[Cell | None]


def repeated(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that the page gives several rows the same number: copies of pinned ones, most likely."""
    numbers = [
        facts["posinset"] for row in rows if "posinset" in (facts := snapshot.columns.extra.get(row, {}))
    ]
    repeated = len(numbers) - len(set(numbers))
    return [f"{repeated:,} rows have the number of another one: they may be there twice"] if repeated else []


def without_cells(names: Sequence[str], grid: Sequence[Line]) -> list[str]:
    """What says that a grid has headers which no row has cells for: it renders only the columns in view.

    Which columns those are isn't sure then, for the cells that are left out may be the first ones.
    """
    widest = max(map(len, grid), default=0)
    count = sum(map(bool, names[widest:]))
    if not count:
        return []
    counted = "1 column has" if count == 1 else f"{count:,} columns have"
    return [f"{counted} a header and no cells: others may show when the grid is scrolled to the side"]


def without_known_cells(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that rows are controls, a button each, of whose cells nothing is known."""
    roles, names = snapshot.columns.role, snapshot.columns.name
    count = sum(
        roles[row] in INTERACTIVE and bool(names[row]) and not cells_of(snapshot, row) for row in rows
    )
    counted = "1 row is a control" if count == 1 else f"{count:,} rows are controls"
    return [f"{counted} whose cells aren't known"] if count else []


def misplaced(snapshot: BaseSnapshot, heads: Line, lines: Sequence[Line]) -> list[str]:
    """What says that rows lack cells, and that what they have stands under other headers than those of its place.

    Which cell is missing isn't sure then. In rows of HTML only the last ones can be.
    """
    count = 0
    for line in lines:
        if not 0 < len(line) < len(heads):
            continue
        if any(cell.node and cell.node.tag in {"td", "th"} for cell in line if cell):
            continue
        pairs = [(cell, head) for cell, head in zip(line, heads, strict=False) if cell and head]
        count += any(
            _is_beside(snapshot.box_of(cell.index), snapshot.box_of(head.index)) for cell, head in pairs
        )
    if not count:
        return []
    counted = "1 row lacks a cell" if count == 1 else f"{count:,} rows lack cells"
    return [f"{counted}, and others of it stand under other headers"]


def _is_beside(box: Box, other: Box) -> bool:
    """Whether a box is wholly left or right of another one."""
    return box.width > 0 and (box.x >= other.x + other.width or box.x + box.width <= other.x)
