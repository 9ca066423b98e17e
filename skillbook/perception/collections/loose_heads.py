"""Headers of columns that stand in a grid, but in none of its rows."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.cells import cell_text
from skillbook.perception.collections.collection import Cell
from skillbook.perception.collections.grid import Grid, first_column
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import TABLES


def with_loose_heads(
    snapshot: BaseSnapshot, table: int, grid: Grid, nodes: list[int]
) -> tuple[Grid, list[int]]:
    """Lines with one more above them for the headers that are in no row, each in its place by number or by where it is.

    The first of them stands for its row.
    Lines are left as they are where a row has headers, or where it isn't sure which column each of these names.
    """
    roles, ends = snapshot.columns.role, snapshot.ends
    if "columnheader" not in roles[table : ends[table]]:
        return grid, nodes
    heads = _heads_outside_of_rows(snapshot, table)
    if not heads or any("columnheader" in roles[row : ends[row]] for row in nodes):
        return grid, nodes
    places = _numbered(snapshot, nodes, heads) or _above(snapshot, grid, heads)
    width = max(map(len, grid), default=0)
    if places is None or len(set(places)) < len(places) or not width or max(places) >= width:
        return grid, nodes
    line: list[Cell | None] = [None] * width
    for head, place in zip(heads, places, strict=True):
        line[place] = Cell(cell_text(snapshot, head), snapshot, head)
    return [line, *grid], [heads[0], *nodes]


def _heads_outside_of_rows(snapshot: BaseSnapshot, table: int) -> list[int]:
    roles, ends = snapshot.columns.role, snapshot.ends
    heads, at = [], table + 1
    while at < ends[table]:
        is_head = roles[at] == "columnheader"
        if is_head:
            heads.append(at)
        at = ends[at] if is_head or roles[at] == "row" or roles[at] in TABLES else at + 1
    return heads


def _numbered(snapshot: BaseSnapshot, rows: Sequence[int], heads: Sequence[int]) -> list[int] | None:
    """By header, its place as the page numbers it; None where it doesn't."""
    first = first_column(snapshot, rows)
    numbers = [snapshot.columns.extra.get(head, {}).get("posinset") for head in heads]
    if first is None:
        return None
    places = [int(number) - first for number in numbers if number is not None]
    return places if len(places) == len(heads) and min(places) >= 0 else None


def _above(snapshot: BaseSnapshot, grid: Grid, heads: Sequence[int]) -> list[int] | None:
    """By header, the place of the only cell whose middle is below it; None where one has none."""
    cells = [(place, cell) for place, cell in enumerate(grid[0]) if cell and cell.snapshot] if grid else []
    places = []
    for head in heads:
        box = snapshot.box_of(head)
        below = [place for place, cell in cells if box.x <= _middle(snapshot, cell) < box.x + box.width]
        if len(below) != 1:
            return None
        places += below
    return places


def _middle(snapshot: BaseSnapshot, cell: Cell) -> float:
    box = snapshot.box_of(cell.index)
    return box.x + box.width / 2
