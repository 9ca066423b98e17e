"""The order in which a page shows rows and cells, where style sheets give them another one than the markup's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from skillbook.perception.collections.between import Between, with_lines_between_rows, without_lines_between
from skillbook.perception.collections.collection import Cell
from skillbook.perception.collections.grid import Grid
from skillbook.perception.collections.measures import NEAR
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box

Line = list[Cell | None]


def from_the_top(snapshot: BaseSnapshot, nodes: Sequence[int]) -> list[int]:
    """Places of nodes from the top to the bottom; as they are where they don't stand below each other.

    A list may be turned over by its style (`column-reverse`), sorted by it (`order`), or use its rows again in another
    place while it is scrolled.
    """
    as_they_are, box = list(range(len(nodes))), snapshot.columns.box
    tops = [box[4 * node + 1] for node in nodes]
    if all(top <= below for top, below in pairwise(tops)):
        return as_they_are
    order = sorted(as_they_are, key=tops.__getitem__)
    lefts = {box[4 * node] for node in nodes}
    heights = [box[4 * node + 3] for node in nodes]
    is_column = max(lefts) - min(lefts) <= NEAR and min(heights) > 0
    if not is_column or any(tops[at] + heights[at] > tops[below] + NEAR for at, below in pairwise(order)):
        return as_they_are
    return order


def in_order(snapshot: BaseSnapshot, lines: list[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """Rows by their number, where each has one of its own; else from the top."""
    nodes = [node for node, _ in lines]
    numbers = [snapshot.columns.extra.get(node, {}).get("posinset") for node in nodes]
    if None in numbers or len(set(numbers)) < len(numbers):
        return [lines[at] for at in from_the_top(snapshot, nodes)]
    return sorted(lines, key=lambda pair: int(snapshot.columns.extra[pair[0]]["posinset"]))


def lines_as_shown(snapshot: BaseSnapshot, grid: Grid, nodes: list[int], heads: int, placed: bool) -> Between:
    """Lines without those across all columns; each cell is under the header that it is shown under."""
    if placed:
        return without_lines_between(None, grid, nodes, heads)
    if heads:
        grid = [*grid[:heads], *under_their_heads(snapshot, grid[heads - 1], grid[heads:])]
    return without_lines_between(snapshot, *with_lines_between_rows(snapshot, grid, nodes, heads), heads)


def under_their_heads(snapshot: BaseSnapshot, heads: Line, lines: Grid) -> Grid:
    """Rows with each cell in the place of the header that it stands under, where the markup has them in another order.

    Rows and headers may be turned round or sorted by their style each for themselves. Rows that don't have a cell under
    every header are left as they are.
    """
    columns = _side_by_side(snapshot, heads)
    if columns is None or len(columns) < 2:
        return lines
    samples = {0, len(lines) // 2, len(lines) - 1} if lines else set()
    in_place = list(range(len(columns)))
    if all(_places(snapshot, lines[at], columns) in (None, in_place) for at in samples):
        return lines
    return [_placed(line, _places(snapshot, line, columns)) for line in lines]


def _placed(line: Line, places: Sequence[int] | None) -> Line:
    if places is None:
        return line
    placed: Line = [None] * len(line)
    for cell, place in zip(line, places, strict=True):
        placed[place] = cell
    return placed


def _places(snapshot: BaseSnapshot, line: Line, columns: Sequence[Box]) -> list[int] | None:
    """By cell, the place of the header that it stands under; None where these aren't one for each."""
    boxes = _side_by_side(snapshot, line)
    if boxes is None or len(boxes) != len(columns):
        return None
    places = [
        next((place for place, head in enumerate(columns) if _is_in_the_middle(box, head)), -1)
        for box in boxes
    ]
    return places if len(set(places)) == len(columns) and min(places) >= 0 else None


def _is_in_the_middle(box: Box, head: Box) -> bool:
    return head.x <= box.x + box.width / 2 < head.x + head.width


def _side_by_side(snapshot: BaseSnapshot, line: Line) -> list[Box] | None:
    """The boxes of a line's cells; None where cells are missing, span, can't be seen or don't stand in one line."""
    indexes = [cell.index for cell in line if cell and cell.snapshot]
    if not line or len(set(indexes)) != len(line):
        return None
    boxes = [snapshot.box_of(index) for index in indexes]
    if any(box.width <= 0 or box.height <= 0 for box in boxes):
        return None
    lowest_top = max(box.y for box in boxes)
    return boxes if lowest_top < min(box.y + box.height for box in boxes) else None
