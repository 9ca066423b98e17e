"""Lines of a table that are one cell across all columns: headings of groups, and details of the row above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import is_

from skillbook.perception.collections.collection import Cell
from skillbook.perception.escape import quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import TABLES

GROUP = "group"
"""The column of the outer name, where rows or lists stand in groups."""
_MOST_SAID = 3
_HEADS = {"columnheader", "rowheader", "heading"}
Line = list[Cell | None]


@dataclass(frozen=True)
class Between:
    """A table's lines without those across all columns.

    Parameters
    ----------
    grid, nodes : the lines that are left, and the index of each one's row.
    groups : the heading that each line stands under; empty where the lines across are none.
    notes : what was left out.
    """

    grid: list[Line]
    nodes: list[int]
    groups: list[Cell | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def without_lines_between(
    snapshot: BaseSnapshot | None, grid: list[Line], nodes: list[int], heads: int
) -> Between:
    """Rows without those that are one cell across all columns: headings of groups, or what a note says was left out.

    Such a cell has no column: its text in each of them would be a row that the page doesn't have. A table with no
    other row keeps them, as one column where it has no headers.

    Parameters
    ----------
    snapshot : tells headings by their roles, where there is one.
    grid, nodes : the table's lines with spans spread out, and the index of each line's row.
    heads : how many lines at the top are headers.
    """
    rows = range(heads, len(grid))
    others = [at for at in rows if not _is_one_cell(grid[at])]
    if not others and not heads:
        return Between([line[:1] for line in grid], nodes)
    width = max(map(len, [grid[at] for at in others] or grid[:heads]), default=0)
    is_other = set(others)
    across = [at for at in rows if len(grid[at]) >= width > 1 and at not in is_other]
    if not across:
        return Between(grid, nodes)
    left_out = set(across)
    kept = [at for at in range(len(grid)) if at not in left_out]
    headings = _headings(snapshot, grid, nodes, across, heads)
    above = {at: _last_before(headings, at) for at in kept} if headings else {}
    groups = [_said_in(grid[at]) if (at := above[each]) is not None else None for each in above]
    unsaid = [at for at in across if at not in above.values()]
    notes = [_said(grid, unsaid)] if unsaid else []
    return Between([grid[at] for at in kept], [nodes[at] for at in kept], groups, notes)


def _headings(
    snapshot: BaseSnapshot | None,
    grid: Sequence[Line],
    nodes: Sequence[int],
    across: Sequence[int],
    heads: int,
) -> list[int]:
    """The lines across that are headings of the rows below: by their roles, or as they alone can be.

    Details stand below a row, each below its own: lines of one kind that begin with the first row, and of which one
    has several rows below, are none.
    """
    if snapshot is None:
        return []
    below = [after - at - 1 for at, after in pairwise([*across, len(grid)])]
    marked = [at for at, rows in zip(across, below, strict=True) if rows and _is_marked(snapshot, grid[at])]
    if marked:
        return marked
    is_kind = len({snapshot.columns.tag[nodes[at]] for at in across}) == 1
    if across[0] == heads and len(across) > 1 and is_kind and min(below) > 0 and max(below) > 1:
        return list(across)
    return []


def _is_marked(snapshot: BaseSnapshot, line: Line) -> bool:
    """Whether a line is a header, or says little beside a heading; the details of a row may have headings, too."""
    cell = _said_in(line)
    if cell is None or cell.snapshot is None:
        return False
    roles, at, end = snapshot.columns.role, cell.index, snapshot.ends[cell.index]
    if not TABLES.isdisjoint(roles[at:end]):
        return False
    if roles[at] in _HEADS:
        return True
    inside, said = at + 1, 0
    while inside < end:
        is_heading = roles[inside] in _HEADS
        said += len(snapshot.text_of(inside) or snapshot.columns.name[inside]) if is_heading else 0
        inside = snapshot.ends[inside] if is_heading else inside + 1
    return 2 * said >= len(cell.text) > 0


def _last_before(places: Sequence[int], at: int) -> int | None:
    return max((place for place in places if place < at), default=None)


def _said_in(line: Line) -> Cell | None:
    """The cell of a line that says something."""
    return next((cell for cell in line if cell and cell.text), None)


def _is_one_cell(line: Line) -> bool:
    """Whether a line of several columns is one cell, at most with blank ones before and after it, as an indent is."""
    if not any(map(is_, line, line[1:])):
        return False
    wide = [cell for cell, after in pairwise(line) if cell is not None and cell is after]
    return bool(wide) and all(cell is wide[0] or not (cell and cell.text) for cell in line)


def _said(grid: Sequence[Line], across: Sequence[int]) -> str:
    texts = [cell.text for at in across if (cell := _said_in(grid[at])) is not None]
    rows = f"{len(across):,} {'row' if len(across) == 1 else 'rows'} of one cell across all columns"
    said = ", ".join(quote(text, 40) for text in texts[:_MOST_SAID])
    more = ", …" if len(texts) > _MOST_SAID else ""
    return f"left out: {rows}" + (f" ({said}{more})" if said else "")
