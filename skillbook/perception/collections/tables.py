"""Tables and ARIA grids as collections: header rows, spans, nested tables, cells that are fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from skillbook.perception.collections.collection import Cell, Collection, Kind, Row, name_of, unique_names
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base import BaseSnapshot
from skillbook.perception.roles import CELLS, IMAGES, TABLES, words
from skillbook.protocol.snapshot import State

_MOST_SPAN = 1000
_MOST_COLUMNS = 1000
_NUMBER = re.compile(r"[-+(]?[^\w\s]?\s?\d[\d.,\s]*[%)]?\s?\D{0,3}\Z")

Grid = list[list[Cell | None]]

_FEWEST_TO_COMPARE = 4
_NEAR = 4  # pixels
_MOST_HEADS = 4  # rows above the data
_CHECKS = words("checkbox switch radio menuitemcheckbox")
_ICON = re.compile(
    r"(?i)(?:^|[-_])(?:icons?|glyphicon|material|symbols|fa|fas|far|mdi|sorter|sort)(?:[-_]|$)"
)
_SIGNS = re.compile("[\ue000-\uf8ff▲△▴▼▽▾↑↓⇅⇵↕]+")
_ICON_FONT = re.compile("[\ue000-\uf8ff]")  # pictures have no other place in Unicode
_HEAD_CONTROLS = IMAGES | words("button checkbox combobox menuitem")
_TYPED = words("textbox searchbox spinbutton combobox listbox")


def find_tables(snapshot: BaseSnapshot) -> list[Collection]:
    """Every table and grid with data in it, in page order; a table that only lays out others isn't one."""
    roles = snapshot.columns.role
    tables = [i for i, role in enumerate(roles) if role in TABLES]
    found = [table for i in tables if (table := read_table(snapshot, i))]
    found = [table for table in found if not _is_layout(snapshot, table, found)]
    read = {table.node.index for table in found}
    heads = [line for i in tables if i not in read and (line := _only_heads(snapshot, i))]
    return [_with_heads_of(table, heads) for table in found] if heads else found


def _only_heads(snapshot: BaseSnapshot, index: int) -> list[int]:
    """The cells of a table that is nothing but one row of headers: some pages have one above each table."""
    rows = [cells for row in _rows(snapshot, index) if (cells := _cells(snapshot, row))]
    heads = len(rows) == 1 and all(snapshot.columns.role[cell] == "columnheader" for cell in rows[0])
    return rows[0] if heads else []


def _with_heads_of(table: Collection, heads: Sequence[Sequence[int]]) -> Collection:
    """A table without headers with those of the table right above it, where each stands over its column."""
    if not all(name == f"column {place}" for place, name in enumerate(table.fields, 1)):
        return table
    snapshot = table.node.snapshot
    boxes = [cell.node.box if cell and cell.node else None for cell in table.rows[0].cells]
    top = table.node.box.y
    for cells in heads:
        lefts = [snapshot.box_of(cell) for cell in cells]
        above = lefts[0].y + lefts[0].height
        fits = len(lefts) >= len(boxes) and -_NEAR <= top - above <= _NEAR
        if fits and all(
            box and abs(box.x - left.x) <= _NEAR for box, left in zip(boxes, lefts, strict=False)
        ):
            names = [_head([[Cell(cell_text(snapshot, cell), snapshot, cell)]], 0) for cell in cells]
            return replace(table, fields=unique_names(names[: len(boxes)]))
    return table


def read_table(snapshot: BaseSnapshot, index: int) -> Collection | None:
    """One table, or None where it has no rows of data."""
    columns = snapshot.columns
    indexes = [at for at in _rows(snapshot, index) if any(True for _ in _cells(snapshot, at))]
    if not indexes:
        return None
    indexes = _without_totals(snapshot, indexes)
    indexes = _heads_first(snapshot, indexes)
    grid, nodes = _grid(snapshot, indexes)
    heads = _header_rows(snapshot, nodes, grid)
    placed = _has_column_numbers(snapshot, grid[heads:])
    if placed and not _has_column_numbers(snapshot, grid[:heads]):
        named = max(map(len, grid[:heads]), default=0)
        every = max([columns.extra.get(index, {}).get("colcount") or 0, *map(len, grid[heads:])])
        names = [_head(grid[:heads], place) if named == every else "" for place in range(every)]
    else:
        names = [_head(grid[:heads], place) for place in range(max(map(len, grid)))]
    there = [
        place
        for place in range(len(names))
        if not placed or any(place < len(cells) and cells[place] for cells in grid[heads:])
    ]
    names = [names[place] or (f"column {place + 1}" if placed else "") for place in there]
    filled = _without_spacers(snapshot, list(zip(nodes[heads:], grid[heads:], strict=True)))
    lines = sorted(filled, key=_row_order(snapshot, nodes))
    rows = [
        Row(snapshot.nodes[node], [cells[place] if place < len(cells) else None for place in there])
        for node, cells in lines
    ]
    if not rows or not any(cell and cell.text for row in rows for cell in row.cells):
        return None
    kind: Kind = "table" if columns.role[index] == "table" else "grid"
    places = [place + 1 for place in there] if placed else ()
    name = name_of(snapshot, index)
    return Collection(kind, name, snapshot.nodes[index], unique_names(names), rows, places=places)


def _heads_first(snapshot: BaseSnapshot, rows: list[int]) -> list[int]:
    """Rows with those of headers first that the page has after the others, but doesn't show below them."""

    def is_head(row: int) -> bool:
        return all(snapshot.columns.role[cell] == "columnheader" for cell in _cells(snapshot, row))

    last = next((place for place in range(len(rows), 0, -1) if not is_head(rows[place - 1])), 0)
    if last in {0, len(rows)} or is_head(rows[0]):
        return rows
    # Headers that stay in view may stand below rows that were scrolled up.
    lowest = max(snapshot.box_of(row).y for row in rows[:last])
    above = [row for row in rows[last:] if snapshot.box_of(row).y < lowest]
    return [*above, *(row for row in rows if row not in above)]


def _has_column_numbers(snapshot: BaseSnapshot, grid: Grid) -> bool:
    """Whether the page numbers the columns of these rows' cells (`aria-colindex`)."""
    extras = snapshot.columns.extra
    return any(cell and "posinset" in extras.get(cell.index, {}) for line in grid for cell in line)


def _without_spacers(
    snapshot: BaseSnapshot, lines: list[tuple[int, list[Cell | None]]]
) -> list[tuple[int, list[Cell | None]]]:
    """Without blank rows much higher than the others: virtualised tables keep room by them."""
    if len(lines) < _FEWEST_TO_COMPARE:
        return lines
    heights = [snapshot.box_of(node).height for node, _ in lines]
    most = 2 * sorted(heights)[len(heights) // 2]
    return [
        line
        for line, height in zip(lines, heights, strict=True)
        if height <= most or any(cell and cell.text for cell in line[1])
    ]


def _row_order(snapshot: BaseSnapshot, nodes: Sequence[int]) -> Callable[[tuple[int, Any]], int]:
    """Rows by their number, where each has one of its own; grids that recycle rows don't keep them in order."""
    numbers = [snapshot.columns.extra.get(node, {}).get("posinset") for node in nodes]
    if None in numbers or len(set(numbers)) < len(numbers):
        return lambda pair: 0
    return lambda pair: int(snapshot.columns.extra[pair[0]]["posinset"])


def cell_text(snapshot: BaseSnapshot, index: int) -> str:
    """What a cell says: its text, else its field's value or state, else its image's or link's name."""
    columns = snapshot.columns
    last = snapshot.ends[index]
    check = check_in(snapshot, index)
    if check is not None:
        return check
    if last == index + 1 and columns.role[index] in CELLS:
        return clean(columns.name[index]) or clean(columns.extra.get(index, {}).get("picture") or "")
    if last == index + 2 and columns.role[index + 1] == "text":
        text = clean(columns.name[index + 1])
    else:
        text = snapshot.text_of(index)
    if text:
        return text
    for at in range(index, snapshot.ends[index]):
        value = columns.extra.get(at, {}).get("value")
        if value is not None:
            return clean(value)
        if columns.name[at].strip():
            return clean(columns.name[at])
    return ""


def has_unnamed_picture(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a node without text has a picture in it that nothing says the meaning of."""
    columns = snapshot.columns
    if columns.extra.get(index, {}).get("picture") == "":
        return True
    inside = range(index, snapshot.ends[index])
    return any(columns.role[at] in IMAGES or _ICON_FONT.search(columns.name[at]) for at in inside)


def check_in(snapshot: BaseSnapshot, index: int) -> str | None:
    """The state of a cell's only control where that is a checkbox or the like, and nothing beside it says more."""
    columns, last = snapshot.columns, snapshot.ends[index]
    checks = [at for at in range(index, last) if columns.role[at] in _CHECKS]
    if len(checks) != 1:
        return None
    for at in range(index, last):
        inside = checks[0] <= at < snapshot.ends[checks[0]]
        if not inside and columns.role[at] == "text" and columns.name[at].strip():
            return None
    flags = columns.flags[checks[0]]
    return "true" if flags & State.CHECKED else "mixed" if flags & State.MIXED else "false"


def _rows(snapshot: BaseSnapshot, index: int) -> list[int]:
    """A table's rows, without those of tables in it."""
    roles = snapshot.columns.role
    rows, at = [], index + 1
    while at < snapshot.ends[index]:
        if roles[at] in TABLES:
            at = snapshot.ends[at]
            continue
        if roles[at] == "row":
            rows.append(at)
        at += 1
    return [row for place, row in enumerate(rows) if not _filters(snapshot, rows, place)]


def _filters(snapshot: BaseSnapshot, rows: Sequence[int], place: int) -> bool:
    """Whether a row is where one types what the rows below it shall have: fields under the heads, and no text."""
    if not 0 < place <= _MOST_HEADS or place + 1 >= len(rows):
        return False
    roles = snapshot.columns.role
    above = _cells(snapshot, rows[place - 1])
    if not above or any(roles[cell] != "columnheader" for cell in above):
        return False
    return _is_fields_only(snapshot, rows[place]) and not _is_fields_only(snapshot, rows[place + 1])


def _is_fields_only(snapshot: BaseSnapshot, row: int) -> bool:
    roles = snapshot.columns.role[row : snapshot.ends[row]]
    return not _TYPED.isdisjoint(roles) and "text" not in roles


def _cells(snapshot: BaseSnapshot, row: int) -> list[int]:
    roles, ends = snapshot.columns.role, snapshot.ends
    cells, at, last = [], row + 1, ends[row]
    while at < last:
        role = roles[at]
        if role in CELLS:
            cells.append(at)
            at = ends[at]
        else:
            at = ends[at] if role in TABLES else at + 1
    # Grids that scroll sideways append the cells that come, so that the DOM's order says nothing.
    extras = snapshot.columns.extra
    numbers = [extras[cell].get("posinset") if cell in extras else None for cell in cells]
    if numbers and None not in numbers and len(set(numbers)) == len(numbers):
        return [cell for _, cell in sorted(zip(numbers, cells, strict=True))]
    return cells


def _grid(snapshot: BaseSnapshot, rows: Sequence[int]) -> tuple[Grid, list[int]]:
    """Rows of cells with spans spread out, and the rows' nodes; a cell that spans is in every place it covers.

    Cells whose column the page numbers (`aria-colindex`) are in that place: a virtualised grid leaves columns out.
    Rows of the same number with other columns are parts of one row, as grids with pinned columns have them.
    """
    grid: Grid = []
    nodes: list[int] = []
    extras = snapshot.columns.extra
    first = _first_column(snapshot, rows)
    parts: dict[int, list[Cell | None]] = {}
    covered: dict[int, tuple[int, Cell]] = {}  # column -> rows that a cell above still covers, and the cell
    for row in rows:
        line: list[Cell | None] = []
        below: dict[int, tuple[int, Cell]] = {}
        for index in _cells(snapshot, row):
            if covered:
                _fill(line, covered, below)
            extra = extras.get(index)
            wide = high = 1
            if extra:
                wide = min(max(int(extra.get("colspan") or 1), 1), _MOST_SPAN)
                high = min(max(int(extra.get("rowspan") or 1), 1), _MOST_SPAN)
                if first is not None and "posinset" in extra:
                    line += [None] * (min(int(extra["posinset"]) - first, _MOST_COLUMNS) - len(line))
            cell = Cell(cell_text(snapshot, index), snapshot, index)
            if wide == high == 1 and len(line) < _MOST_COLUMNS:
                line.append(cell)
                continue
            for _ in range(min(wide, _MOST_COLUMNS - len(line))):
                if high > 1:
                    below[len(line)] = (high - 1, cell)
                line.append(cell)
        _fill(line, covered, below)
        covered = below
        number = extras.get(row, {}).get("posinset")
        other = parts.get(number) if first is not None and number is not None else None
        if other is not None and _merge(other, line):
            continue
        if number is not None:
            parts[number] = line
        grid.append(line)
        nodes.append(row)
    return grid, nodes


def _first_column(snapshot: BaseSnapshot, rows: Sequence[int]) -> int | None:
    """The number of a table's first column: 1, or 0 where the page counts from there.

    None where the page numbers no columns, or in a way that contradicts itself.
    """
    extras = snapshot.columns.extra
    lowest: int | None = None
    for row in rows:
        last = None
        for index in _cells(snapshot, row):
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
    """Put the cells of a row's other part into it; False where both have the same column: they are two rows."""
    if any(one and two for one, two in zip(line, other, strict=False)):
        return False
    line += [None] * (len(other) - len(line))
    for place, cell in enumerate(other):
        line[place] = line[place] or cell
    return True


def _fill(
    line: list[Cell | None], covered: dict[int, tuple[int, Cell]], below: dict[int, tuple[int, Cell]]
) -> None:
    """Put cells from rows above where the next places of a line are covered."""
    while len(line) in covered:
        left, cell = covered[len(line)]
        if left > 1:
            below[len(line)] = (left - 1, cell)
        line.append(cell)


def _header_rows(snapshot: BaseSnapshot, rows: Sequence[int], grid: Grid) -> int:
    """How many rows at the top are headers."""
    roles = snapshot.columns.role
    count = 0
    for row, cells in zip(rows, grid, strict=True):
        indexes = _cells(snapshot, row)
        cells = [cell for cell in cells if cell]
        in_head = _is_in(snapshot, row, "thead")
        heads = [roles[index] == "columnheader" for index in indexes]
        spans_all = len({id(cell) for cell in cells}) == 1 and len(cells) > 1
        blank_corner = [h or not snapshot.text_of(i) for h, i in zip(heads, indexes, strict=True)]
        if in_head or (any(heads) and all(blank_corner)) or (count == 0 and spans_all and any(heads)):
            count += 1
        else:
            break
    if count == len(rows):
        all_heads = all(_is_in(snapshot, row, "thead") for row in rows)
        return count if all_heads or count == 1 else count - 1
    return count or int(_looks_like_header(grid))


def _is_in(snapshot: BaseSnapshot, row: int, tag: str) -> bool:
    """Whether a row is in this part of its table."""
    parent = snapshot.nodes[row].parent
    ups = (parent, parent.parent if parent else None)
    return any(up is not None and up.tag.split(".")[0] == tag for up in ups)


def _without_totals(snapshot: BaseSnapshot, rows: list[int]) -> list[int]:
    """Without the rows of a table's foot, which sum up the others or repeat the headers."""
    return [row for row in rows if not _is_in(snapshot, row, "tfoot")] or rows


def _looks_like_header(grid: Grid) -> bool:
    """Whether the first row of a table without header cells names the columns: all words, over numbers."""
    if len(grid) < 3:
        return False
    first = [cell.text if cell else "" for cell in grid[0]]
    if len(first) < 2 or not all(first) or len(set(first)) != len(first) or any(map(_is_number, first)):
        return False
    for place in range(len(first)):
        below = [line[place].text for line in grid[1:] if place < len(line) and line[place]]  # type: ignore[union-attr]
        if below and sum(map(_is_number, below)) > 0.8 * len(below):
            return True
    return False


def _is_number(text: str) -> bool:
    return bool(_NUMBER.match(text))


def _head(heads: Sequence[Sequence[Cell | None]], place: int) -> str:
    """A column's name from its header cells, top to bottom, each said once."""
    said: list[str] = []
    for line in heads:
        cell = line[place] if place < len(line) else None
        text = _head_text(cell) if cell else ""
        if text and (not said or said[-1] != text):
            said.append(text)
    return " / ".join(said)


def _head_text(cell: Cell) -> str:
    """What a column is called: without its buttons to sort and filter, where something else is said."""
    snapshot = cell.snapshot
    if snapshot is None:
        return cell.text
    columns, at, last = snapshot.columns, cell.index + 1, snapshot.ends[cell.index]
    said: list[str] = []
    controls: list[str] = []
    while at < last:
        role = columns.role[at]
        if role in _HEAD_CONTROLS:
            controls.append(snapshot.text_of(at) or clean(columns.name[at]))
            at = snapshot.ends[at]
            continue
        if role == "text":
            is_icon = any(map(_ICON.search, columns.tag[at].split(".")[1:]))
            (controls if is_icon else said).append(columns.name[at])
        elif snapshot.ends[at] == at + 1:
            said.append(columns.name[at])
        at += 1
    told = [text for text in said if not _describes(text, [*said, *controls])]
    is_whole = len(told) == len(said)
    said = [_SIGNS.sub("", text) for text in told]
    if not controls and is_whole:
        return clean(_SIGNS.sub("", cell.text)) or cell.text
    worded = [text for text in (clean(" ".join(said)), *controls) if re.search(r"\w", text)]
    if not worded and check_in(snapshot, cell.index) is not None:
        return ""  # what chooses all rows is no name
    return worded[0] if worded else clean(_SIGNS.sub("", cell.text)) or cell.text


def _describes(text: str, others: Sequence[str]) -> bool:
    """Whether a text says what a header's control does, after the header's own: "Name: activate to sort"."""
    return any(clean(text).startswith(f"{said}:") for other in others if (said := clean(other)))


def _is_layout(snapshot: BaseSnapshot, table: Collection, others: Sequence[Collection]) -> bool:
    inside = range(table.node.index + 1, snapshot.ends[table.node.index])
    holds = any(other.node.index in inside for other in others)
    return holds and all(name.startswith("column ") for name in table.fields)
