"""Rows of cells in their columns: spans, numbers that the page gives, and rows in several parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, repeat

from skillbook.perception.collections.cells import cell_text, cells_of, tag_of
from skillbook.perception.collections.collection import Cell
from skillbook.perception.collections.measures import NEAR
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.columns import FEWEST
from skillbook.perception.roles import words

_MOST_COLUMNS = 1000

_PARTS = words("thead tbody tfoot")

Grid = list[list[Cell | None]]
Covered = dict[int, tuple[int, Cell]]
"""By column, how many rows a cell above still covers, and the cell."""


def grid_of(snapshot: BaseSnapshot, rows: Sequence[int]) -> tuple[Grid, list[int]]:
    """Rows of cells with spans spread out, and the rows' nodes; a cell that spans is in every place it covers.

    Cells whose column the page numbers (`aria-colindex`) are in that place: a virtualised grid leaves columns out.
    Rows of the same number with other columns are parts of one row, as grids with pinned columns have them.
    """
    grid: Grid = []
    nodes: list[int] = []
    extras = snapshot.columns.extra
    first = first_column(snapshot, rows)
    parts: dict[int, tuple[list[Cell | None], Covered]] = {}
    covered: Covered = {}
    part_of_table = None
    for row in rows:
        if first is None and snapshot.parents[row] != part_of_table:
            # In HTML a cell ends with its `tbody`, whatever its span says.
            part_of_table = snapshot.parents[row]
            covered = {} if tag_of(snapshot, part_of_table) in _PARTS else covered
        number = extras.get(row, {}).get("posinset") if first is not None else None
        part = None if number is None else parts.get(number)
        above = part[1] if part else covered
        line, below = _line(snapshot, row, first, above)
        if part and _merge(part[0], line):
            covered = covered | below
            continue
        covered = below
        if number is not None:
            parts[number] = line, above
        grid.append(line)
        nodes.append(row)
    return grid, nodes


def spread_heads(grid: Grid, heads: int) -> Grid:
    """A grid whose upper header lines have each cell over all the columns that it stands over, where no span says it.

    Pages that build tables of other elements than HTML's make such a cell wide by its style alone.
    """
    if heads < 2:
        return grid
    return [*(_spread(line, grid[heads - 1]) for line in grid[: heads - 1]), *grid[heads - 1 :]]


def _spread(line: list[Cell | None], below: list[Cell | None]) -> list[Cell | None]:
    cells = [cell for cell in line if cell and cell.snapshot]
    if not len({id(cell) for cell in cells}) == len(cells) == len(line) < len(below):
        return line
    spread = [next((each for each in cells if cell and _is_over(each, cell)), None) for cell in below]
    return spread if {id(cell) for cell in spread if cell} == {id(cell) for cell in cells} else line


def spread_across(grid: Grid, heads: int) -> Grid:
    """A grid whose lines of one cell have it in each place, where its style alone, or several copies, put it over all.

    Copies are header cells that all say the same.
    """
    lines = grid[heads:]
    usual = max(lines, key=len, default=[])
    boxes = [cell.snapshot.box_of(cell.index) for cell in usual if cell and cell.snapshot]
    in_line = len(boxes) == len(usual) and all(one.x < other.x for one, other in pairwise(boxes))

    def is_across(line: list[Cell | None]) -> bool:
        if len(line) == 1:
            first = line[0]
            is_wide = in_line and len(usual) >= FEWEST and first is not None
            return is_wide and all(_is_over(first, cell) for cell in usual if first and cell)
        return len(line) > 1 and all(map(_is_head, line)) and len({cell.text for cell in line if cell}) == 1

    return [*grid[:heads], *(line[:1] * len(usual) if is_across(line) else line for line in lines)]


def _is_head(cell: Cell | None) -> bool:
    return (
        cell is not None
        and cell.snapshot is not None
        and cell.snapshot.columns.role[cell.index] == "columnheader"
    )


def _is_over(cell: Cell, below: Cell) -> bool:
    """Whether a cell's sides enclose the middle of another one."""
    if cell.snapshot is None or below.snapshot is None:
        return False
    box, other = cell.snapshot.box_of(cell.index), below.snapshot.box_of(below.index)
    return box.x <= other.x + other.width / 2 < box.x + box.width


def _line(
    snapshot: BaseSnapshot, row: int, first: int | None, covered: Covered
) -> tuple[list[Cell | None], Covered]:
    """A row's cells, each in its place, and what they cover of the rows below."""
    line: list[Cell | None] = []
    below: Covered = {}
    cells = cells_of(snapshot, row)
    if not covered and len(cells) <= _MOST_COLUMNS and snapshot.columns.extra.keys().isdisjoint(cells):
        if isinstance(cells, range):  # what these say is their name
            texts = snapshot.clean_names[cells.start : cells.stop]
            return list(map(Cell, texts, repeat(snapshot), cells)), below
        return [Cell(cell_text(snapshot, index), snapshot, index) for index in cells], below
    for index in cells:
        if covered:
            _fill(line, covered, below)
        extra = snapshot.columns.extra.get(index)
        wide = high = 1
        if extra:
            wide = min(max(int(extra.get("colspan") or 1), 1), _MOST_COLUMNS)
            high = min(max(int(extra.get("rowspan") or 1), 1), _MOST_COLUMNS)
            if first is not None and "posinset" in extra:
                while len(line) < min(int(extra["posinset"]) - first, _MOST_COLUMNS):
                    line.append(None)
                    _fill(line, covered, below)
        cell = Cell(cell_text(snapshot, index), snapshot, index)
        if wide == high == 1 and len(line) < _MOST_COLUMNS:
            line.append(cell)
            continue
        for _ in range(min(wide, _MOST_COLUMNS - len(line))):
            if high > 1:
                below[len(line)] = (high - 1, cell)
            line.append(cell)
    _fill(line, covered, below)
    return line, below


def first_column(snapshot: BaseSnapshot, rows: Sequence[int]) -> int | None:
    """The number of a table's first column: 1, or 0 where the page counts from there.

    None where the page numbers no columns, or in a way that contradicts itself.
    """
    if not snapshot.has_places:
        return None
    extras = snapshot.columns.extra
    lowest: int | None = None
    for row in rows:
        last = None
        for index in cells_of(snapshot, row):
            extra = extras.get(index)
            number = extra.get("posinset") if extra else None
            if number is None:
                last = None if last is None else last + 1
                continue
            if number < 0 or (last is not None and number <= last):
                return None
            last = number + int((extra or {}).get("colspan") or 1) - 1
            lowest = number if lowest is None else min(lowest, number)
    return None if lowest is None else min(lowest, 1)


def _merge(line: list[Cell | None], other: list[Cell | None]) -> bool:
    """Put the cells of a row's other part into it; False where both say something else of a column: they are two rows.

    Parts that lie over pinned rows and columns have copies of cells in them, or the cells whose place is blank below.
    """
    if not all(_may_be_one(one, two) for one, two in zip(line, other, strict=False)):
        return False
    line += [None] * (len(other) - len(line))
    for place, cell in enumerate(other):
        below = line[place]
        line[place] = cell if cell and not (below and below.text) else below
    return True


def _may_be_one(one: Cell | None, other: Cell | None) -> bool:
    """Whether two cells say the same, or only one says something, and both stand in one place."""
    if not one or not other or one.text == other.text:
        return True
    if (one.text and other.text) or one.snapshot is None or other.snapshot is None:
        return False
    box, over = one.snapshot.box_of(one.index), other.snapshot.box_of(other.index)
    return abs(box.x - over.x) <= NEAR and abs(box.y - over.y) <= NEAR


def _fill(line: list[Cell | None], covered: Covered, below: Covered) -> None:
    """Put cells from rows above where the next places of a line are covered."""
    while len(line) in covered:
        left, cell = covered[len(line)]
        if left > 1:
            below[len(line)] = (left - 1, cell)
        line.append(cell)
