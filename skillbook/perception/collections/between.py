"""Lines of a table as one sees them: in their order, and without those of one cell across all columns.

Such a line is the heading of a group, or the details of the row above. Style sheets may give rows and cells another
order than the markup's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import is_

from skillbook.perception.collections.collection import Cell
from skillbook.perception.collections.measures import NEAR, NEARLY_ALL, SEVERAL
from skillbook.perception.escape import clean, counted, listed, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.roles import INTERACTIVE, TABLES
from skillbook.protocol.snapshot import State

GROUP = "group"
"""The column of the outer name, where rows or lists stand in groups."""
_HEADS = {"columnheader", "rowheader", "heading"}
Line = list[Cell | None]


@dataclass(frozen=True)
class Between:
    """A table's lines without those across all columns.

    grid, nodes: the lines that are left, and the index of each one's row.
    groups: the heading that each line stands under; empty where the lines across are none.
    notes: what was left out.
    faults: what says that rows may be missing: closed groups, and alerts.
    """

    grid: list[Line]
    nodes: list[int]
    groups: list[Cell | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def without_lines_between(
    snapshot: BaseSnapshot | None, grid: list[Line], nodes: list[int], heads: int
) -> Between:
    """Rows without those that are one cell across all columns: headings of groups, or what a note says was left out.

    Such a cell has no column: its text in each of them would be a row that the page doesn't have. Where nearly all rows
    have one right below, these say more of the row above, and are a column. A table with no other row keeps them, as
    one column where it has no headers.

    snapshot: tells headings by their roles, where there is one.
    grid, nodes: the table's lines with spans spread out, and the index of each line's row.
    """
    rows = range(heads, len(grid))
    lone = _lone_headers(snapshot, grid, rows) if snapshot else set()
    others = [at for at in rows if not _is_one_cell(grid[at]) and at not in lone]
    if not others and not heads:
        return Between([line[:1] for line in grid], nodes)
    width = max(map(len, [grid[at] for at in others] or grid[:heads]), default=0)
    is_other = set(others)
    left_out = {at for at in rows if len(grid[at]) >= width > 1 and at not in is_other} | lone
    if not left_out:
        return Between(grid, nodes)
    across = [at for at in sorted(left_out) if _said_in(grid[at])]
    kept = [at for at in range(len(grid)) if at not in left_out]
    headings = _headings(snapshot, grid, nodes, across, heads)
    above = {at: _last_before(headings, at) for at in kept} if headings else {}
    groups = [_said_in(grid[at]) if (at := above[each]) is not None else None for each in above]
    unsaid = [at for at in across if at not in above.values()]
    if details := _details(grid, unsaid, kept[heads:]):
        grid = [[*line, *[None] * (width - len(line)), details.get(at)] for at, line in enumerate(grid)]
        unsaid = []
    closed = (
        [at for at in _closed(snapshot, grid, nodes, across, headings) if at in unsaid] if snapshot else []
    )
    unsaid = [at for at in unsaid if at not in closed]
    notes = [_said(grid, unsaid)] if unsaid else []
    if ends := _ends_of_groups([grid[at] for at in kept], groups, heads):
        notes.append(_said_of_ends([grid[kept[at]] for at in ends]))
        groups = [group for at, group in enumerate(groups) if at not in ends]
        kept = [line for at, line in enumerate(kept) if at not in ends]
    faults = [_said_of_closed(grid, closed)] if closed else []
    faults += [f"the page says {quote(text, 60)} among the rows" for text in _alerts(snapshot, nodes, unsaid)]
    return Between([grid[at] for at in kept], [nodes[at] for at in kept], groups, notes, faults)


def _lone_headers(snapshot: BaseSnapshot, grid: Sequence[Line], rows: Sequence[int]) -> set[int]:
    """The lines of which only a header says something, in a column where no other line says anything: letters."""
    lone: dict[int, int] = {}
    filled: set[int] = set()
    for at in rows:
        places = [place for place, cell in enumerate(grid[at]) if cell and cell.text]
        cell = grid[at][places[0]] if len(places) == 1 else None
        if cell is not None and snapshot.columns.role[cell.index] in _HEADS:
            lone[at] = places[0]
        else:
            filled.update(places)
    return {at for at, place in lone.items() if place not in filled} if filled else set()


def _details(grid: Sequence[Line], across: Sequence[int], rows: Sequence[int]) -> dict[int, Cell | None]:
    """What each line across says of the row above it, if nearly all rows have one right below; else nothing."""
    above = [at - 1 for at in across]
    if len(above) < max(NEARLY_ALL * len(rows), SEVERAL) or not set(above) <= set(rows):
        return {}
    found = {at: _said_in(grid[at + 1]) for at in above}
    # A table in such a line is read by itself.
    has_table = any(cell and cell.snapshot and _holds_table(cell.snapshot, cell) for cell in found.values())
    return {} if has_table else found


def _holds_table(snapshot: BaseSnapshot, cell: Cell) -> bool:
    return not TABLES.isdisjoint(snapshot.columns.role[cell.index : snapshot.ends[cell.index]])


def with_lines_between_rows(
    snapshot: BaseSnapshot, grid: list[Line], nodes: list[int], heads: int
) -> tuple[list[Line], list[int]]:
    """A table's lines with what stands between its rows, is shown as one and is none by its role: a cell across all.

    Some grids have the names of their groups there.
    """
    rows, width = nodes[heads:], max(map(len, grid[heads:]), default=0)
    parents = {snapshot.parents[row] for row in rows}
    if len(parents) != 1 or width < SEVERAL or rows != sorted(rows):
        return grid, nodes
    known, usual = set(nodes), snapshot.box_of(rows[0])
    lines: list[tuple[int, Line]] = [
        (at, [Cell(text, snapshot, at)] * width)
        for at in snapshot.child_indexes(parents.pop())
        if at not in known and _is_like(snapshot.box_of(at), usual) and (text := _only_text(snapshot, at))
    ]
    if not lines:
        return grid, nodes
    every = sorted([*zip(rows, grid[heads:], strict=True), *lines], key=lambda pair: pair[0])
    return [*grid[:heads], *(line for _, line in every)], [*nodes[:heads], *(node for node, _ in every)]


def _is_like(box: Box, row: Box) -> bool:
    """Whether something is as wide as a row and hardly higher."""
    return abs(box.x - row.x) <= 1 and abs(box.width - row.width) <= 1 and 0 < box.height <= 2 * row.height


def _only_text(snapshot: BaseSnapshot, index: int) -> str:
    """What something says that has neither rows nor headers in it."""
    inside = snapshot.columns.role[index : snapshot.ends[index]]
    return "" if "row" in inside or "columnheader" in inside else snapshot.text_of(index)


def _closed(
    snapshot: BaseSnapshot,
    grid: Sequence[Line],
    nodes: Sequence[int],
    across: Sequence[int],
    headings: Sequence[int],
) -> list[int]:
    """Lines without a row below that can be pressed whole, or opened and are of the kind of headings with rows."""
    places = [*across, len(grid)]
    has_rows = {at for at, after in pairwise(places) if after > at + 1}
    kinds = {_kind(snapshot, grid[at], nodes[at]) for at in headings if at in has_rows}
    return [
        at
        for at in across
        if at not in has_rows
        and (
            (_kind(snapshot, grid[at], nodes[at]) in kinds and _opens(snapshot, nodes[at]))
            or _is_pressed(snapshot, nodes[at])
        )
    ]


def _is_pressed(snapshot: BaseSnapshot, node: int) -> bool:
    """Whether a whole row can be pressed, and is no control that only stands in the rows' place."""
    return snapshot.columns.role[node] == "row" and bool(snapshot.columns.flags[node] & State.ACTIONABLE)


def _ends_of_groups(lines: Sequence[Line], groups: Sequence[Cell | None], heads: int) -> list[int]:
    """The lines that alone have a cell over several columns, if each group ends with one: what sums the group up."""
    if not groups:
        return []
    last = len(lines) - 1
    ends = [at for at in range(heads, last + 1) if at == last or groups[at + 1] is not groups[at]]
    wide = [at for at in range(heads, last + 1) if any(_goes_on(*pair) for pair in pairwise(lines[at]))]
    starts = [heads, *(at + 1 for at in ends[:-1])]
    is_each = len(ends) > 1 and all(at < end for at, end in zip(starts, ends, strict=True))
    return ends if is_each and wide == ends else []


def _goes_on(cell: Cell | None, after: Cell | None) -> bool:
    return cell is not None and cell is after


def _said_of_ends(lines: Sequence[Line]) -> str:
    texts = [" | ".join(cell.text for cell in dict.fromkeys(line) if cell and cell.text) for line in lines]
    rows = f"{len(lines):,} rows with a cell across several columns that end the groups"
    return f"left out: {rows} ({listed(texts, 60)})"


def _kind(snapshot: BaseSnapshot, line: Line, node: int) -> tuple[str, int]:
    """What a heading's row is, and how far it is moved in: that of a group in another one is moved further."""
    cell = _said_in(line)
    first = node if cell is None else cell.index
    texts = (at for at in range(first, snapshot.ends[first]) if snapshot.columns.role[at] == "text")
    return kind_of(snapshot.columns.tag[node]), snapshot.box_of(next(texts, first)).x


def _opens(snapshot: BaseSnapshot, node: int) -> bool:
    """Whether there is something to click in a line, or it is no row by its role, but the heading of some."""
    columns, inside = snapshot.columns, range(node, snapshot.ends[node])
    if columns.role[node] != "row":
        return True
    signs = State.ACTIONABLE | State.COLLAPSED
    return any(columns.flags[at] & signs or columns.role[at] in INTERACTIVE for at in inside)


def _said_of_closed(grid: Sequence[Line], closed: Sequence[int]) -> str:
    names = [cell.text for at in closed if (cell := _said_in(grid[at]))]
    groups = counted(len(closed), "group shows", "groups show")
    return f"{groups} no rows and may be closed ({listed(names)})"


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
    if snapshot is None or not across:
        return []
    below = [after - at - 1 for at, after in pairwise([*across, len(grid)])]
    marked = [at for at, rows in zip(across, below, strict=True) if rows and _is_marked(snapshot, grid[at])]
    if marked:
        return marked
    is_kind = len({kind_of(snapshot.columns.tag[nodes[at]]) for at in across}) == 1
    may_be = all(rows or _opens(snapshot, nodes[at]) for at, rows in zip(across, below, strict=True))
    if across[0] == heads and len(across) > 1 and is_kind and may_be and max(below) > 1:
        return [at for at, rows in zip(across, below, strict=True) if rows]
    return []


def _is_marked(snapshot: BaseSnapshot, line: Line) -> bool:
    """Whether a line is a header, or says little beside a heading; the details of a row may have headings, too."""
    cell = _said_in(line)
    if cell is None or cell.snapshot is None:
        return False
    if _holds_table(snapshot, cell):
        return False
    roles, at, end = snapshot.columns.role, cell.index, snapshot.ends[cell.index]
    if roles[at] in _HEADS:
        return True
    inside, length = at + 1, 0
    while inside < end:
        is_heading = roles[inside] in _HEADS
        length += len(snapshot.text_of(inside) or snapshot.columns.name[inside]) if is_heading else 0
        inside = snapshot.ends[inside] if is_heading else inside + 1
    return 2 * length >= len(cell.text) > 0


def _last_before(places: Sequence[int], at: int) -> int | None:
    return max((place for place in places if place < at), default=None)


def _said_in(line: Line) -> Cell | None:
    """The cell of a line that says something."""
    return next((cell for cell in line if cell and cell.text), None)


def _alerts(snapshot: BaseSnapshot | None, nodes: Sequence[int], lines: Sequence[int]) -> list[str]:
    """What lines say that hold an alert: something went wrong with the rows."""
    if snapshot is None:
        return []
    roles, ends = snapshot.columns.role, snapshot.ends
    return [
        clean(snapshot.nodes[at].text)
        for line in lines
        for at in range(nodes[line], ends[nodes[line]])
        if roles[at] == "alert"
    ]


def _is_one_cell(line: Line) -> bool:
    """Whether a line of several columns is one cell, at most with blank ones before and after it, as an indent is."""
    if not any(map(is_, line, line[1:])):
        return False
    wide = [cell for cell, after in pairwise(line) if cell is not None and cell is after]
    return bool(wide) and all(cell is wide[0] or not (cell and cell.text) for cell in line)


def _said(grid: Sequence[Line], across: Sequence[int]) -> str:
    texts = [cell.text for at in across if (cell := _said_in(grid[at])) is not None]
    rows = f"{counted(len(across), 'row')} of one cell across all columns"
    return f"left out: {rows}" + (f" ({listed(texts)})" if texts else "")


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


def lines_as_shown(
    snapshot: BaseSnapshot, grid: list[Line], nodes: list[int], heads: int, placed: bool
) -> Between:
    """Lines without those across all columns; each cell is under the header that it is shown under."""
    if placed:
        return without_lines_between(None, grid, nodes, heads)
    if heads:
        grid = [*grid[:heads], *under_their_heads(snapshot, grid[heads - 1], grid[heads:])]
    return without_lines_between(snapshot, *with_lines_between_rows(snapshot, grid, nodes, heads), heads)


def under_their_heads(snapshot: BaseSnapshot, heads: Line, lines: list[Line]) -> list[Line]:
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
