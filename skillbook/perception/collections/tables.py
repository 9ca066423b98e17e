"""Tables and ARIA grids as collections: header rows, spans, nested tables, cells that are fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from skillbook.perception.collections.between import GROUP, in_order, lines_as_shown
from skillbook.perception.collections.cells import (
    cells_of,
    column_shown,
    head_text,
    is_called_head,
    is_head,
    is_named_head,
    says_nothing,
    texts_beside,
)
from skillbook.perception.collections.collection import (
    Aside,
    Cell,
    Collection,
    Kind,
    Row,
    name_of,
    unique_names,
)
from skillbook.perception.collections.column_names import named_by_cells, with_loose_heads
from skillbook.perception.collections.faults import (
    misplaced,
    repeated,
    with_closed_reported,
    without_cells,
    without_known_cells,
    without_texts,
)
from skillbook.perception.collections.grid import Grid, first_column, grid_of, spread_across, spread_heads
from skillbook.perception.collections.measures import NEARLY_ALL, NUMBER, SEVERAL
from skillbook.perception.collections.parts import Part, heads_of
from skillbook.perception.collections.row_kinds import (
    MOST_HEADS,
    every_row,
    is_controls_only,
    is_in,
    rows_of,
    without_ways_on,
)
from skillbook.perception.collections.side_by_side import (
    join_beside,
    join_rows,
    named_from_above,
    with_icons_reported,
    with_room_reported,
)
from skillbook.perception.escape import clean, counted, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import IMAGES, INTERACTIVE, TABLES

_YEAR = re.compile(r"(?:19|20)\d\d\Z")


def tables_of_heads(snapshot: BaseSnapshot) -> dict[int, list[Part]]:
    """Tables that are nothing but headers, by index."""
    tables = [i for i, role in enumerate(snapshot.columns.role) if role in TABLES]
    return {i: heads for i in tables if (heads := _only_heads(snapshot, i))}


def find_tables(snapshot: BaseSnapshot, headings: Mapping[int, list[Part]]) -> list[Collection]:
    """Every table and grid with data in it, in page order; a table that only lays out others isn't one.

    headings: tables that are nothing but headers (`tables_of_heads`).
    """
    tables = [i for i, role in enumerate(snapshot.columns.role) if role in TABLES]
    found = [table for i in tables if i not in headings and (table := read_table(snapshot, i))]
    found = [table for table in found if not _is_layout(snapshot, table, found)]
    apart = [part for heads in headings.values() for part in heads]
    found = join_beside(snapshot, found, apart)
    found = [with_icons_reported(named_from_above(table, apart)) for table in found]
    return [with_closed_reported(with_room_reported(table)) for table in found]


def _only_heads(snapshot: BaseSnapshot, index: int) -> list[Part]:
    """The headers of a table that is nothing but headers: some pages have one above each table."""
    rows = [row for row in every_row(snapshot, index) if any(cells_of(snapshot, row))]
    if rows and is_head(snapshot, rows[0]) and _is_headless(snapshot, index, rows[0]):
        rows = [row for row in rows if not is_controls_only(snapshot, row, needs_field=True)]
    if not 0 < len(rows) <= MOST_HEADS:
        return []
    if not all(is_head(snapshot, row) or is_called_head(snapshot, row) for row in rows):
        return []
    return heads_of(snapshot, rows)


def read_table(snapshot: BaseSnapshot, index: int) -> Collection | None:
    """One table, or None where it has no rows of data."""
    sorted_out = rows_of(snapshot, index)
    every, indexes, left_out = sorted_out.every, sorted_out.items, sorted_out.left_out
    if not indexes:
        return None
    notes, aside = [*sorted_out.notes, *_folded(snapshot, every)], sorted_out.aside
    joined = None if _numbered(snapshot, indexes) else join_rows(snapshot, index, indexes)
    if joined is not None:
        return replace(joined, left_out=left_out, notes=notes, aside=[*aside, *joined.aside])
    indexes = _heads_first(snapshot, indexes)
    grid, nodes = with_loose_heads(snapshot, index, *grid_of(snapshot, indexes))
    aside += _aside("repeated", indexes, nodes)
    heads, guessed = _heads_of(snapshot, nodes, grid)
    grid = spread_across(spread_heads(grid, heads), heads)
    notes = [*notes, *guessed, *texts_beside(snapshot, nodes[heads:])]
    placed = _has_column_numbers(snapshot, grid[heads:])
    between = lines_as_shown(snapshot, grid, nodes, heads, placed)
    group_of = dict(zip(between.nodes, between.groups, strict=False))
    aside += _aside("heading", nodes, between.nodes)
    grid, nodes, again = _without_heads_again(snapshot, between.grid, between.nodes, heads)
    aside += _aside("repeated", between.nodes, nodes)
    notes = [*notes, *between.notes, *again]
    there, names = _columns_of(snapshot, index, grid, heads, placed)
    aside += _heads_aside(grid[:heads] if any(names) else _titles(grid[:heads]))
    lines = in_order(snapshot, list(zip(nodes[heads:], grid[heads:], strict=True)))
    rows, leading = without_ways_on(snapshot, _rows_of(snapshot, lines, there))
    aside += _aside("control", [node for node, _ in lines], [row.node.index for row in rows])
    notes = [*notes, *leading]
    if not rows or not any(cell and cell.text for row in rows for cell in row.cells):
        return None
    if not placed and not any(names) and (stacked := named_by_cells(rows)) is not None:
        names, rows = stacked
    if group_of:
        rows = [Row(row.node, [group_of[row.node.index], *row.cells]) for row in rows]
    if heads and _is_one_message(rows):
        return None
    kind: Kind = "table" if snapshot.columns.role[index] == "table" else "grid"
    places = [place + 1 for place in there] if placed else ()
    name = name_of(snapshot, index) or " ".join(
        cell.text for line in _titles(grid[:heads]) for cell in line[:1] if cell
    )
    node, fields = snapshot.nodes[index], unique_names([GROUP, *names] if group_of else names)
    faults = [*between.faults, *repeated(snapshot, [row.node.index for row in rows])]
    faults += _faults_of_heads(snapshot, grid, nodes, heads, placed)
    faults += without_known_cells(snapshot, every) + without_texts(snapshot, rows)
    if kind == "grid" and not placed:
        faults += without_cells(names, grid[heads:])
    found = Collection(kind, name, node, fields, rows, places=places, left_out=left_out)
    return replace(found, faults=faults, notes=notes, aside=aside)


def _faults_of_heads(
    snapshot: BaseSnapshot, grid: Grid, nodes: Sequence[int], heads: int, placed: bool
) -> list[str]:
    """What says that columns may be called wrongly."""
    if placed:
        fault = "headers of one row have the same column numbers: columns may be called wrongly"
        return [fault] if repeated(snapshot, nodes[:heads]) else []
    return list(misplaced(snapshot, grid[heads - 1], grid[heads:])) if heads else []


def _rows_of(
    snapshot: BaseSnapshot, lines: Sequence[tuple[int, list[Cell | None]]], there: list[int]
) -> list[Row]:
    """Lines as rows of the columns that are there."""
    every_place = list(range(len(there))) == there
    return [
        Row(
            Node(snapshot, node),
            cells
            if every_place and len(cells) == len(there)
            else [cells[place] if place < len(cells) else None for place in there],
        )
        for node, cells in lines
    ]


def _aside(kind: str, before: Iterable[int], after: Iterable[int] = ()) -> list[Aside]:
    """The rows that a step left out, as what it takes them for."""
    return [(kind, row) for row in set(before).difference(after)]


def _folded(snapshot: BaseSnapshot, rows: Iterable[int]) -> list[str]:
    """A note of columns that the page folds away, or hides."""
    count = max((snapshot.columns.extra.get(at, {}).get("folded") or 0 for at in rows), default=0)
    columns = counted(count, "column isn't", "columns aren't")
    return [f"{columns} shown on the page: open the rows, or show the columns there"] if count else []


def _heads_aside(heads: Iterable[Sequence[Cell | None]]) -> list[Aside]:
    return [("header", cell.index) for line in heads for cell in dict.fromkeys(line) if cell]


def _columns_of(
    snapshot: BaseSnapshot, index: int, grid: Grid, heads: int, placed: bool
) -> tuple[list[int], list[str]]:
    """The places of a table's columns in its lines, and their names; "" for one that has none."""
    if placed and not _has_column_numbers(snapshot, grid[:heads]):
        named = max(map(len, grid[:heads]), default=0)
        width = max([snapshot.columns.extra.get(index, {}).get("colcount") or 0, *map(len, grid[heads:])])
        names = [_head(grid[:heads], place) if named == width else "" for place in range(width)]
    else:
        names = [
            _head(grid[:heads], place) or _column_shown(grid[heads:], place)
            for place in range(max(map(len, grid)))
        ]
    there = [
        place
        for place in range(len(names))
        if not placed or any(place < len(cells) and cells[place] for cells in grid[heads:])
    ]
    there = [place for place in there if not _is_one_with_the_last(grid, heads, place)]
    return there, [names[place] or (f"column {place + 1}" if placed else "") for place in there]


@dataclass(frozen=True)
class EmptyTable:
    """A table that has headers and no rows.

    fields: names of its columns.
    says: what stands in the rows' place; empty where nothing does.
    lines: how many lines stand in the rows' place; several may be the headings of groups that are closed.
    """

    node: Node
    kind: str
    name: str
    fields: Sequence[str]
    says: str
    lines: int = 0

    def __str__(self) -> str:
        words = (
            f"the {self.kind} {quote(self.name, 40)} ({', '.join(map(clean, self.fields[:6]))}) has no rows"
        )
        return f"{words}; it says {quote(self.says, 80)}" if self.says else words


def tables_without_rows(snapshot: BaseSnapshot, known: Container[int]) -> list[EmptyTable]:
    """Tables that have headers and no rows, in page order; `known` are indexes of those that have rows."""
    found = []
    tables = [index for index, role in enumerate(snapshot.columns.role) if role in TABLES]
    for index in tables:
        if index in known or read_table(snapshot, index) is not None:
            continue
        grid, nodes = grid_of(snapshot, [at for at in every_row(snapshot, index) if cells_of(snapshot, at)])
        heads = _header_rows(snapshot, nodes, grid) if grid else 0
        width = max(map(len, grid[:heads]), default=0)
        names = [name for place in range(width) if (name := _head(grid[:heads], place))]
        if len(names) < SEVERAL:
            continue
        texts = [cell.text for line in grid[heads:] for cell in line[:1] if cell and cell.text]
        name, says = name_of(snapshot, index), texts[0] if texts else ""
        kind = snapshot.columns.role[index]
        found.append(EmptyTable(snapshot.nodes[index], kind, name, unique_names(names), says, len(texts)))
    return found


def has_blank_rows_only(snapshot: BaseSnapshot) -> bool:
    """Whether a table has rows under its headers, and none of them says anything: they keep room for what comes."""
    roles = snapshot.columns.role
    return any(
        role in TABLES and _are_rows_blank(snapshot, every_row(snapshot, index))
        for index, role in enumerate(roles)
    )


def _are_rows_blank(snapshot: BaseSnapshot, rows: Sequence[int]) -> bool:
    heads = blank = 0
    for row in rows:
        cells = cells_of(snapshot, row)
        if all(says_nothing(snapshot, cell) for cell in cells):
            # One cell across all columns is a line between rows, or room below them.
            blank += len(cells) != 1 and snapshot.box_of(row).height > 0
        elif not blank and is_head(snapshot, row):
            heads += 1
        else:
            return False
    return heads > 0 and blank > 0


def _is_one_message(rows: Sequence[Row]) -> bool:
    """Whether the only row is one cell across all columns: it says why there are no rows."""
    return len(rows) == 1 and len(rows[0].cells) > 1 and len({id(cell) for cell in rows[0].cells}) == 1


def _numbered(snapshot: BaseSnapshot, rows: Sequence[int]) -> bool:
    """Whether the page numbers rows and columns."""
    extras = snapshot.columns.extra
    last = rows[-1] if rows else -1
    return "posinset" in extras.get(last, {}) and first_column(snapshot, rows) is not None


def _heads_first(snapshot: BaseSnapshot, rows: list[int]) -> list[int]:
    """Rows with those of headers first that the page has after the others, but doesn't show below them."""
    numbers = [snapshot.columns.extra.get(row, {}).get("posinset") for row in rows]
    if None not in numbers:
        return sorted(rows, key=lambda row: int(snapshot.columns.extra[row]["posinset"]))
    last = next((place for place in range(len(rows), 0, -1) if not is_head(snapshot, rows[place - 1])), 0)
    if last in {0, len(rows)} or is_head(snapshot, rows[0]):
        return rows
    # Headers that stay in view may stand below rows that were scrolled up.
    lowest = max(snapshot.box_of(row).y for row in rows[:last])
    above = [row for row in rows[last:] if snapshot.box_of(row).y < lowest]
    return [*above, *(row for row in rows if row not in above)]


def _has_column_numbers(snapshot: BaseSnapshot, grid: Grid) -> bool:
    """Whether the page numbers the columns of these rows' cells (`aria-colindex`)."""
    extras = snapshot.columns.extra
    return snapshot.has_places and any(
        cell and "posinset" in extras.get(cell.index, {}) for line in grid for cell in line
    )


def _is_headless(snapshot: BaseSnapshot, index: int, head: int) -> bool:
    """Whether the table after this one has no headers, and its columns stand below this one's head."""
    roles, ends = snapshot.columns.role, snapshot.ends
    after = next((at for at in range(ends[index], len(roles)) if roles[at] in TABLES), None)
    if after is None or "columnheader" in roles[after : ends[after]]:
        return False
    first = next(iter(every_row(snapshot, after)), None)
    return first is not None and _lefts(snapshot, first) == _lefts(snapshot, head)


def _lefts(snapshot: BaseSnapshot, row: int) -> list[int]:
    return [snapshot.box_of(cell).x for cell in cells_of(snapshot, row)]


def _header_rows(snapshot: BaseSnapshot, rows: Sequence[int], grid: Grid) -> int:
    """How many rows at the top are headers by their markup."""
    roles = snapshot.columns.role
    count = 0
    for row, cells in zip(rows, grid, strict=True):
        indexes = cells_of(snapshot, row)
        cells = [cell for cell in cells if cell]
        in_head = roles[row] == "columnheader" or is_in(snapshot, row, "thead")
        of_rows = sum(roles[index] == "rowheader" for index in indexes)
        # Beside a blank cell a header is one of its row, unless there are several.
        heads = [
            roles[index] == "columnheader" or (of_rows >= SEVERAL and roles[index] == "rowheader")
            for index in indexes
        ]
        spans_all = len({id(cell) for cell in cells}) == 1 and len(cells) > 1
        blank_corner = [h or not snapshot.text_of(i) for h, i in zip(heads, indexes, strict=True)]
        is_heading = spans_all and count > 0 and not in_head
        if in_head or (any(heads) and not is_heading and (all(blank_corner) or spans_all)):
            count += 1
        else:
            break
    if count == len(rows):
        all_heads = all(is_in(snapshot, row, "thead") for row in rows)
        return count if all_heads or count == 1 else count - 1
    return count


def _is_one_with_the_last(grid: Grid, heads: int, place: int) -> bool:
    """Whether no line has a cell of its own in this column: the headers divide one, or span more than there are."""
    if place == 0 or any(
        place < len(line) and not _goes_on(line, place) for line in islice(grid, heads, None)
    ):
        return False
    lines = sum(place < len(line) for line in grid[heads:])
    if not lines and any(place < len(line) and not _goes_on(line, place) for line in grid[:heads]):
        return False
    return lines in {0, len(grid) - heads}


def _goes_on(line: Sequence[Cell | None], place: int) -> bool:
    """Whether a cell spans this place and the one before it."""
    return place > 0 and line[place] is not None and line[place] is line[place - 1]


def _without_heads_again(
    snapshot: BaseSnapshot, grid: Grid, nodes: list[int], heads: int
) -> tuple[Grid, list[int], list[str]]:
    """Lines without those that say the headers again between the rows, and what says so."""
    known = {_texts_of(line) for line in grid[:heads]}
    firsts = {line[:1] for line in known}
    again = {
        at
        for at in range(heads, len(grid))
        if _texts_of(grid[at][:1]) in firsts
        and (texts := _texts_of(grid[at])) in known
        and (is_head(snapshot, nodes[at]) or len(set(texts) - {""}) > 1)
    }
    kept = [at for at in range(len(grid)) if at not in again]
    notes = [f"left out: {counted(len(again), 'row says', 'rows say')} the headers again"] if again else []
    return [grid[at] for at in kept], [nodes[at] for at in kept], notes


def _texts_of(line: Sequence[Cell | None]) -> tuple[str, ...]:
    return tuple([cell.text if cell else "" for cell in line])


def _heads_of(snapshot: BaseSnapshot, rows: Sequence[int], grid: Grid) -> tuple[int, list[str]]:
    """How many rows at the top are headers, and what says so if only their texts show it."""
    heads = _header_rows(snapshot, rows, grid)
    if heads:
        return heads, []
    if _is_first_called_head(snapshot, rows):
        return 1, []
    over = _named_kinds(grid)
    return (1, [f"the first row is read as headers: it has words over {over}"]) if over else (0, [])


def _is_first_called_head(snapshot: BaseSnapshot, rows: Sequence[int]) -> bool:
    """Whether the first row, and no other, is called a header by its class or by those of all its cells."""
    called = [is_named_head(snapshot, row) or is_called_head(snapshot, row) for row in rows]
    return len(rows) > 1 and called[0] and not any(called[1:]) and len(cells_of(snapshot, rows[0])) > 1


def _named_kinds(grid: Grid) -> str:
    """What the first row of a table without header cells has its words over; "" where it names no columns.

    Words over numbers do, and words over what is no text in several columns.
    """
    first = [cell for cell in grid[0] if cell and cell.text]
    grid = [line for line in grid if len({id(cell) for cell in line}) > 1]
    if len(grid) < 3 or not 2 <= len(first) == len(grid[0]) or len({cell.text for cell in first}) == 1:
        return ""
    if any(_column_shown(grid[:1], place) for place in range(len(first))):
        return ""
    kinds = ["words" if _is_year(grid, place) else _kind(cell) for place, cell in enumerate(first)]
    if {*kinds} != {"words"}:
        return ""
    others = []
    for place in range(len(first)):
        below = Counter(_kind(cell) for line in grid[1:] if place < len(line) and (cell := line[place]))
        kind, count = below.most_common(1)[0] if below else ("words", 0)
        others += [kind] if kind != "words" and count > NEARLY_ALL * below.total() else []
    return "numbers" if "numbers" in others else " and ".join(sorted(set(others))) if len(others) > 1 else ""


def _is_year(grid: Grid, place: int) -> bool:
    """Whether the first row has a year over what is none, as in columns of 2022 and 2023."""
    texts = [cell.text for line in grid if place < len(line) and (cell := line[place])]
    return bool(_YEAR.match(texts[0])) and place > 0 and not any(map(_YEAR.match, texts[1:]))


def _kind(cell: Cell) -> str:
    """What a cell has in it."""
    if NUMBER.match(cell.text):
        return "numbers"
    if cell.snapshot is None:
        return "words"
    roles = cell.snapshot.columns.role[cell.index : cell.snapshot.ends[cell.index]]
    is_plain = "text" in roles or (IMAGES | INTERACTIVE).isdisjoint(roles)
    return "words" if is_plain else "links" if "link" in roles else "pictures or controls"


def _head(heads: Sequence[Sequence[Cell | None]], place: int) -> str:
    """A column's name from its header cells, top to bottom, each said once."""
    texts: list[str] = []
    for line in heads[len(_titles(heads)) :]:
        cell = line[place] if place < len(line) else None
        text = head_text(cell) if cell else ""
        if text and (not texts or texts[-1] != text):
            texts.append(text)
    return " / ".join(texts)


def _titles(heads: Sequence[Sequence[Cell | None]]) -> list[Sequence[Cell | None]]:
    """Header lines above the others that are one cell across all columns: the table's own title."""
    width = max(map(len, heads), default=0)
    return list(takewhile(lambda line: width == len(line) > len({id(cell) for cell in line}) == 1, heads))


def _column_shown(lines: Sequence[Sequence[Cell | None]], place: int) -> str:
    """What the cells themselves say their column is; "" where they don't, or not the same."""
    cells = [cell for line in lines if place < len(line) and (cell := line[place]) is not None]
    names = {column_shown(cell.snapshot, cell.index) for cell in cells if cell.snapshot} - {""}
    return names.pop().rstrip(" :：") if len(names) == 1 else ""


def _is_layout(snapshot: BaseSnapshot, table: Collection, others: Sequence[Collection]) -> bool:
    """Whether a table without names of columns holds others in its rows, and not in details below these."""
    inside = range(table.node.index + 1, snapshot.ends[table.node.index])
    inner = [other.node.index for other in others if other.node.index in inside]
    if not inner or not all(name.startswith("column ") for name in table.fields):
        return False
    spans = [range(row.node.index, snapshot.ends[row.node.index]) for row in table.rows]
    return any(index in span for index in inner for span in spans)
