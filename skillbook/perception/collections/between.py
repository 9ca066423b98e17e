"""Lines of a table that are one cell across all columns: headings of groups, and details of the row above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from skillbook.perception.collections.collection import Cell
from skillbook.perception.escape import quote

_MOST_SAID = 3
Line = list[Cell | None]


def without_lines_between(
    grid: list[Line], nodes: list[int], heads: int
) -> tuple[list[Line], list[int], list[str]]:
    """Rows without those that are one cell across all columns, and a note that says what stood in them.

    Such a cell has no column: its text in each of them would be a row that the page doesn't have. A table with no
    other row keeps them, as one column where it has no headers.

    Parameters
    ----------
    grid, nodes : the table's lines with spans spread out, and the index of each line's row.
    heads : how many lines at the top are headers.
    """
    rows = range(heads, len(grid))
    others = [at for at in rows if not _is_one_cell(grid[at])]
    if not others and not heads:
        return [line[:1] for line in grid], nodes, []
    width = max(map(len, [grid[at] for at in others] or grid[:heads]), default=0)
    is_other = set(others)
    across = [at for at in rows if len(grid[at]) >= width > 1 and at not in is_other]
    if not across:
        return grid, nodes, []
    left_out = set(across)
    kept = [at for at in range(len(grid)) if at not in left_out]
    return [grid[at] for at in kept], [nodes[at] for at in kept], [_said(grid, across)]


def _is_one_cell(line: Line) -> bool:
    """Whether a line of several columns is one cell, at most with blank ones before and after it, as an indent is."""
    wide = [cell for cell, after in pairwise(line) if cell is not None and cell is after]
    return bool(wide) and all(cell is wide[0] or not (cell and cell.text) for cell in line)


def _said(grid: Sequence[Line], across: Sequence[int]) -> str:
    texts = [next((cell.text for cell in grid[at] if cell and cell.text), "") for at in across]
    texts = [text for text in texts if text]
    rows = f"{len(across):,} {'row' if len(across) == 1 else 'rows'} of one cell across all columns"
    said = ", ".join(quote(text, 40) for text in texts[:_MOST_SAID])
    more = ", …" if len(texts) > _MOST_SAID else ""
    return f"left out: {rows}" + (f" ({said}{more})" if said else "")
