"""Tables whose cells are children of one box, without rows: what a style sheet's grid or a script lays out in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from skillbook.perception.collections.collection import Cell, Collection, Row, name_of, unique_names
from skillbook.perception.collections.measures import HALF, NUMBER, SEVERAL
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.columns import FEWEST, kind_of
from skillbook.perception.roles import FIELDS, words

_CELLS = words("text link generic paragraph img button strong emphasis time code")
_HOLDERS = words("generic main region group article section")


def flat_grids(snapshot: BaseSnapshot, taken: Sequence[range], rows: set[int]) -> Iterator[Collection]:
    """Every such table outside of `taken`, and neither in nor around the rows that are known.

    Cards stand in lines, too. So one column at least has only numbers, and another one none.
    """
    columns, ends = snapshot.columns, snapshot.ends
    skipped = {span.start: span.stop for span in taken}
    at = 0
    while at < len(columns.role):
        if at in skipped or at in rows:
            at = skipped.get(at, ends[at])
            continue
        if columns.role[at] in _HOLDERS and ends[at] - at > FEWEST * SEVERAL:
            found = _read(snapshot, at, rows)
            if found is not None:
                yield found
                at = ends[at]
                continue
        at += 1


def _read(snapshot: BaseSnapshot, parent: int, rows: set[int]) -> Collection | None:
    columns, ends = snapshot.columns, snapshot.ends
    cells = []
    for child in snapshot.child_indexes(parent):
        box = snapshot.box_of(child)
        if not box.width or not box.height:
            continue
        is_cell = columns.role[child] in _CELLS and child not in rows
        if not is_cell or not FIELDS.isdisjoint(columns.role[child : ends[child]]):
            return None
        cells.append(child)
        if len(cells) == SEVERAL and snapshot.box_of(cells[0]).x >= box.x:
            return None
    lines = _lines(snapshot, cells)
    width = max(map(len, lines), default=0)
    if len(lines) < FEWEST or width < SEVERAL:
        return None
    grid = _in_columns(snapshot, lines, width)
    if grid is None:
        return None
    head = _is_head(snapshot, grid)
    body = grid[1:] if head else grid
    numeric = _numeric(body, width)
    if len(body) < FEWEST - head or True not in numeric or False not in numeric:
        return None
    full = [line for line in lines if len(line) == width]
    names = [cell.text if head and cell else "" for cell in grid[0]]
    found = [Row(snapshot.nodes[next(cell.index for cell in line if cell)], line) for line in body]
    name, faults = name_of(snapshot, parent), _room_beside(snapshot, parent, found, full[0])
    aside = [("header", cell.index) for cell in grid[0] if head and cell]
    node = snapshot.nodes[parent]
    return Collection("cards", name, node, unique_names(names), found, faults=faults, aside=aside)


def _room_beside(snapshot: BaseSnapshot, parent: int, rows: Sequence[Row], line: Sequence[int]) -> list[str]:
    """What says that a virtualised grid keeps room for columns beside those that it shows."""
    if snapshot.extents.room_for([row.node.index for row in rows]) is None:
        return []
    around, lefts = snapshot.box_of(parent), [snapshot.box_of(cell).x for cell in line]
    pitch = max(after - before for before, after in pairwise(lefts))
    if lefts[0] - around.x <= pitch / 2 and around.x + around.width - lefts[-1] <= pitch * 1.5:
        return []
    return ["there is room beside the columns: others may show when it is scrolled to the side"]


def _lines(snapshot: BaseSnapshot, cells: Sequence[int]) -> list[list[int]]:
    """Cells in lines from left to right, in the page's order; [] if they don't stand in such lines."""
    lines: list[list[int]] = []
    for before, cell in pairwise([-1, *cells]):
        box = snapshot.box_of(cell)
        last = snapshot.box_of(before) if before >= 0 else None
        if last is not None and box.x >= last.x + last.width and box.y < last.y + last.height:
            lines[-1].append(cell)
        elif last is None or box.y >= max(_bottom(snapshot, each) for each in lines[-1]):
            lines.append([cell])
        else:
            return []
    return lines


def _bottom(snapshot: BaseSnapshot, cell: int) -> int:
    box = snapshot.box_of(cell)
    return box.y + box.height


def _in_columns(
    snapshot: BaseSnapshot, lines: Sequence[Sequence[int]], width: int
) -> list[list[Cell | None]] | None:
    """Lines with a place for each column, None where a blank cell is; None if columns aren't apart from each other."""
    full = [line for line in lines if len(line) == width]
    if len(full) < max(HALF * len(lines), 2) or len(lines[0]) < width:
        return None
    boxes = [[snapshot.box_of(line[place]) for line in full] for place in range(width)]
    bands = [(min(box.x for box in each), max(box.x + box.width for box in each)) for each in boxes]
    if any(left[1] > right[0] for left, right in pairwise(bands)):
        return None
    grid = []
    for line in lines:
        placed: list[Cell | None] = [None] * width
        for cell in line:
            box = snapshot.box_of(cell)
            over = [at for at, band in enumerate(bands) if box.x < band[1] and band[0] < box.x + box.width]
            if len(over) != 1 or placed[over[0]] is not None:
                return None
            text = snapshot.text_of(cell) or clean(snapshot.columns.name[cell])
            placed[over[0]] = Cell(text, snapshot, cell)
        grid.append(placed)
    return grid


def _is_head(snapshot: BaseSnapshot, grid: Sequence[Sequence[Cell | None]]) -> bool:
    """Whether the first line names columns: its cells are made as no others are, or are no numbers above numbers."""
    kinds = [{kind_of(snapshot.columns.tag[cell.index]) for cell in line if cell} for line in grid]
    if any(cell and NUMBER.match(cell.text) for cell in grid[0]):
        return False
    return (len(kinds[0]) == 1 and kinds[0].isdisjoint(set().union(*kinds[1:]))) or True in _numeric(
        grid[1:], len(grid[0])
    )


def _numeric(grid: Sequence[Sequence[Cell | None]], width: int) -> list[bool | None]:
    """For each column whether all its values are numbers, or none; None for some, and for a blank column."""
    columns = [[cell.text for line in grid if (cell := line[place]) and cell.text] for place in range(width)]
    found = [{NUMBER.match(text) is not None for text in texts} for texts in columns]
    return [kinds.pop() if len(kinds) == 1 else None for kinds in found]
