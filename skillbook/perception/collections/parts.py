"""Grids that the page renders in several parts: pinned columns, headers apart from the rows, copies laid over them.

Such parts say nothing of how they belong together, except by where they are: rows at the same height are one row,
and a header stands over its column. What doesn't fit together that way is reported, never guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillbook.perception.collections.cells import (
    cell_text,
    cells_of,
    head_text,
    says_nothing,
    scroller_of,
)
from skillbook.perception.collections.collection import Cell, Row
from skillbook.perception.collections.measures import NEAR
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box

MISFIT = "the grid is rendered in parts that don't fit together: rows or columns may be missing"


@dataclass
class Part:
    """Rows in one container of a grid that have the same columns.

    rows: indexes of the rows, from top to bottom.
    """

    rows: list[int] = field(default_factory=list)
    lines: list[list[int]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many cells it has."""
        return sum(map(len, self.lines))


@dataclass(frozen=True)
class Joined:
    """A grid's parts as one.

    places: the number of each column among all that the headers name, from 1.
    width: how many columns the headers name.
    faults: what doesn't fit together.
    copies: rows that say again what these say.
    """

    names: Sequence[str]
    rows: Sequence[Row]
    places: Sequence[int]
    width: int
    faults: Sequence[str]
    copies: Sequence[int] = ()


def containers(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[list[int]]:
    """Rows by what they are in; those beside each other by where they begin, for snapshots leave plain boxes out."""
    roles, parents = snapshot.columns.role, snapshot.parents
    found: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        around = parents[row]
        found[parents[around] if around >= 0 and roles[around] == "rowgroup" else around].append(row)
    return [part for inside in found.values() for part in _sides(snapshot, inside)]


def _sides(snapshot: BaseSnapshot, rows: list[int]) -> list[list[int]]:
    if snapshot.columns.tag[rows[0]].split(".")[0] == "tr":
        return [rows]
    boxes = [snapshot.box_of(row) for row in rows]
    if len({box.y for box in boxes if box.height}) == sum(box.height > 0 for box in boxes):
        return [rows]
    sides: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        cells = cells_of(snapshot, row)
        sides[snapshot.box_of(cells[0] if cells else row).x].append(row)
    return list(sides.values())


def strips_of(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[Part]:
    """Rows by the columns that they have, the strip that scrolls or has most cells first."""
    strips: dict[tuple[tuple[int, int], ...], list[Part]] = defaultdict(list)
    for inside in containers(snapshot, rows):
        found: dict[tuple[tuple[int, int], ...], Part] = {}
        for row in inside:
            cells = cells_of(snapshot, row)
            if not snapshot.box_of(row).height and not any(cell_text(snapshot, cell) for cell in cells):
                continue
            # What keeps room for columns that aren't rendered is no column.
            cells = [cell for cell in cells if not is_spacer(snapshot, cell)]
            boxes = [snapshot.box_of(cell) for cell in cells]
            part = found.setdefault(tuple((box.x, box.width) for box in boxes), Part())
            part.rows.append(row)
            part.lines.append(cells)
        for lefts, part in found.items():
            above = next((other for other in strips[lefts] if not _shares(snapshot, other, part)), None)
            if above is None:
                strips[lefts].append(part)
            else:
                above.rows += part.rows
                above.lines += part.lines
    parts = [_in_order(snapshot, part) for each in strips.values() for part in each]
    return sorted(parts, key=lambda part: (scroller_of(snapshot, part.rows[0]) is None, -part.size))


def is_spacer(snapshot: BaseSnapshot, cell: int) -> bool:
    """Whether a cell only keeps room: it has nothing in it, and hardly any width."""
    return snapshot.box_of(cell).width <= NEAR and says_nothing(snapshot, cell)


def _shares(snapshot: BaseSnapshot, one: Part, other: Part) -> bool:
    return not tops_of(snapshot, one.rows).keys().isdisjoint(tops_of(snapshot, other.rows))


def _in_order(snapshot: BaseSnapshot, part: Part) -> Part:
    order = sorted(range(len(part.rows)), key=lambda at: snapshot.box_of(part.rows[at]).y)
    return Part([part.rows[at] for at in order], [part.lines[at] for at in order])


def tops_of(snapshot: BaseSnapshot, rows: Sequence[int]) -> dict[int, int]:
    """Places of rows by where they begin, in pixels."""
    return {snapshot.box_of(row).y: place for place, row in enumerate(rows)}


def are_beside(snapshot: BaseSnapshot, rows: Sequence[int], others: Sequence[int]) -> bool:
    """Whether two lists of rows stand at the same heights."""
    one, other = tops_of(snapshot, rows), tops_of(snapshot, others)
    return len(rows) == len(one) == len(other) and all(_at(other, top) is not None for top in one)


def _at(tops: Mapping[int, int], top: int) -> int | None:
    return next((tops[near] for near in (top, top - 1, top + 1) if near in tops), None)


def join_parts(snapshot: BaseSnapshot, rows: Sequence[int], heads: Sequence[Part]) -> Joined | None:
    """Rows in several parts as one grid; None where there are no parts beside each other.

    rows: indexes of the rows of data.
    heads: headers, those of each container for itself.
    """
    strips = strips_of(snapshot, rows)
    if not strips:
        return None
    main, *others = strips
    tops = tops_of(snapshot, main.rows)
    beside, faults = [main], []
    copies: list[Part] = []
    shared = False
    for part in others:
        matched = [_at(tops, snapshot.box_of(row).y) for row in part.rows]
        if not any(place is not None for place in matched):
            if part.size >= len(part.rows) * 2:
                faults.append(MISFIT)
            continue
        shared = True
        if _is_copy(snapshot, part, matched, main):
            copies.append(part)
            continue
        beside.append(part)
        if None in matched or len(part.rows) != len(main.rows):
            faults.append(MISFIT)
    if not shared:
        return None
    beside.sort(key=lambda part: _shown_from(snapshot, part))
    named = [names_over(snapshot, part.lines[0], heads) for part in beside]
    if heads:
        named = [_without_margins(snapshot, part, *over) for part, over in zip(beside, named, strict=True)]
    names, places, width = [], [], 0
    for columns, count in named:
        names += [name for name, _ in columns]
        places += [width + place for _, place in columns]
        width += count or len(columns)
    faults += [MISFIT] if heads and not all(count for _, count in named) else []
    lines = _lines(snapshot, main, beside, copies)
    again = [row for part in copies for row in part.rows]
    return Joined(names, lines, places, width, tuple(dict.fromkeys(faults)), again)


def clip_of(snapshot: BaseSnapshot, row: int) -> Box:
    """What a row is shown in: the narrowest box around it."""
    box, at = snapshot.box_of(row), row
    while (at := snapshot.parents[at]) >= 0 and snapshot.columns.role[at] != "document":
        around = snapshot.box_of(at)
        if 0 < around.width < box.width:
            box = around
    return box


def _shown_from(snapshot: BaseSnapshot, part: Part) -> tuple[int, bool]:
    """Where a part's columns begin to be seen: those that were scrolled to the side lie under pinned ones."""
    left, clip = snapshot.box_of(part.lines[0][0]).x, clip_of(snapshot, part.rows[0]).x
    return max(left, clip), left < clip


def _without_margins(
    snapshot: BaseSnapshot, part: Part, columns: list[tuple[str, int]], count: int
) -> tuple[list[tuple[str, int]], int]:
    """Headers without those columns at both sides that have no name and nothing in them; the part loses them too."""
    lost = [0, 0]
    if not count:
        return columns, count
    for side in (0, -1):
        while len(columns) > 1 and not columns[side][0]:
            if not all(says_nothing(snapshot, line[side]) for line in part.lines):
                break
            lost[side] += 1
            columns = columns[1:] if side == 0 else columns[:-1]
            part.lines = [line[1:] if side == 0 else line[:-1] for line in part.lines]
    return [(name, place - lost[0]) for name, place in columns], count - sum(lost)


def _is_copy(snapshot: BaseSnapshot, part: Part, matched: Sequence[int | None], main: Part) -> bool:
    """Whether a part says what the main one says: as a whole, or cell by cell where it lies over it."""
    if all(
        place is not None
        and len(cells) > 1
        and _texts(snapshot, cells) == _texts(snapshot, main.lines[place])
        for place, cells in zip(matched, part.lines, strict=True)
    ):
        return True
    for place, cells in zip(matched, part.lines, strict=True):
        if place is None:
            return False
        below = {snapshot.box_of(cell).x: cell for cell in main.lines[place]}
        for cell in cells:
            under = _at(below, snapshot.box_of(cell).x)
            if under is None or abs(snapshot.box_of(under).width - snapshot.box_of(cell).width) > NEAR:
                return False
            texts = {cell_text(snapshot, cell), cell_text(snapshot, under)} - {""}
            if len(texts) > 1:
                return False
    return True


def _texts(snapshot: BaseSnapshot, cells: Sequence[int]) -> list[str]:
    return [cell_text(snapshot, cell) for cell in cells]


def _lines(snapshot: BaseSnapshot, main: Part, beside: Sequence[Part], copies: Sequence[Part]) -> list[Row]:
    """The main part's rows with the cells of the parts beside it, and where those are blank, of their copies."""
    tops = {id(part): tops_of(snapshot, part.rows) for part in (*beside, *copies)}
    rows = []
    for row in main.rows:
        top = snapshot.box_of(row).y
        cells: list[Cell | None] = []
        for part in beside:
            at = _at(tops[id(part)], top)
            line: Sequence[int | None] = [None] * len(part.lines[0]) if at is None else part.lines[at]
            cells += [
                None if cell is None else Cell(cell_text(snapshot, cell), snapshot, cell) for cell in line
            ]
        for part in copies:
            at = _at(tops[id(part)], top)
            over = {} if at is None else {snapshot.box_of(cell).x: cell for cell in part.lines[at]}
            cells = [_shown(snapshot, cell, over) for cell in cells]
        rows.append(Row(snapshot.nodes[row], cells))
    return rows


def _shown(snapshot: BaseSnapshot, cell: Cell | None, over: Mapping[int, int]) -> Cell | None:
    """A cell, or the copy that lies over it where only that one says something."""
    if cell is None or cell.text:
        return cell
    copy = _at(over, snapshot.box_of(cell.index).x)
    return cell if copy is None else Cell(cell_text(snapshot, copy), snapshot, copy)


def names_over(
    snapshot: BaseSnapshot, cells: Sequence[int], heads: Sequence[Part]
) -> tuple[list[tuple[str, int]], int]:
    """Each column's name and number, and how many columns the headers have; 0 where none fit.

    heads: of which those count that stand over every one of the columns.
    """
    boxes = [snapshot.box_of(cell) for cell in cells]
    for part in heads:
        found = [(snapshot.box_of(cell), cell) for line in part.lines for cell in line]
        found = [(box, cell) for box, cell in found if box.width > 0 and box.height > 0]
        found = [(box, cell) for box, cell in found if not is_spacer(snapshot, cell)]
        leaves = sorted(
            (box for box, _ in found if not any(_is_under(other, box) for other, _ in found)),
            key=lambda box: box.x,
        )
        lefts = {box.x: place for place, box in enumerate(leaves, 1)}
        if len(lefts) < len(leaves):
            continue
        places = [_near(lefts, box.x) for box in boxes]
        if None in places or len(set(places)) < len(places):
            continue
        named = [_name(snapshot, leaf, found) for leaf in leaves]
        last = max(place for place in places if place)
        # Headers without a name after the last column only fill the line.
        count = max([last, *(place for place, name in enumerate(named, 1) if name)])
        return [(named[place - 1], place) for place in places if place], count
    return [("", place) for place in range(1, len(boxes) + 1)], 0


def _is_under(box: Box, other: Box) -> bool:
    """Whether a header stands under another one, as one of a group does."""
    return box.y >= other.y + other.height - NEAR and other.x - NEAR <= box.x < other.x + other.width - NEAR


def _near(lefts: Mapping[int, int], left: int) -> int | None:
    near = [at for at in range(left - NEAR, left + NEAR + 1) if at in lefts]
    return lefts[min(near, key=lambda at: abs(at - left))] if near else None


def _name(snapshot: BaseSnapshot, leaf: Box, heads: Sequence[tuple[Box, int]]) -> str:
    """A header's text after those of its groups; a header that stays in view may lie over others."""
    over = sorted((head.y, cell) for head, cell in heads if head == leaf or _is_under(leaf, head))
    names = [head_text(Cell(cell_text(snapshot, cell), snapshot, cell)) for _, cell in over]
    return " / ".join(dict.fromkeys(text for text in names if text))


def heads_of(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[Part]:
    """Headers by their container."""
    inside = containers(snapshot, rows)
    return [Part(list(each), [list(cells_of(snapshot, row)) for row in each]) for each in inside]
