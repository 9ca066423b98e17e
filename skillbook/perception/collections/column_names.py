"""Names of columns where the markup gives none: headers above the rows, labels in them, names that are values."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from skillbook.perception.collections.cells import cell_text, cells_of, head_text, is_named_head
from skillbook.perception.collections.collection import Cell, Collection, Row, unique_names
from skillbook.perception.collections.grid import Grid, first_column
from skillbook.perception.collections.measures import NUMBER, SAMPLE, SEVERAL
from skillbook.perception.collections.parts import Part
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.roles import FIELDS, INTERACTIVE, LANDMARKS, RECORDS, TABLES, words

_OF_COLUMNS = re.compile(r"columns (.+?) (count texts that are alike.*)")
_NAMES = {"text", "button"}
_ENDS = " :：\u00a0"


def heads_over(columns: Sequence[Sequence[Cell]], heads: Sequence[Cell]) -> list[Cell | None]:
    """By column, the only one of these headers that all its values stand below; None where there is none."""
    found: list[Cell | None] = []
    for cells in columns:
        above = [head for head in heads if all(_is_over(head, cell) for cell in cells[:SAMPLE])]
        found.append(above[0] if len(above) == 1 and cells else None)
    return found


def _is_over(head: Cell, cell: Cell) -> bool:
    """Whether a header and a cell share a part of the page's width."""
    if head.snapshot is None or cell.snapshot is None:
        return False
    box, other = head.snapshot.box_of(head.index), cell.snapshot.box_of(cell.index)
    return box.x < other.x + other.width and other.x < box.x + box.width


def with_loose_heads(
    snapshot: BaseSnapshot, table: int, grid: Grid, nodes: list[int]
) -> tuple[Grid, list[int]]:
    """Lines with one more above them for the headers that are in no row, each in its place by number or by where it is.

    The first of them stands for its row.
    Lines are left as they are where a row has headers, or where it isn't sure which column each of these names.
    """
    roles, ends = snapshot.columns.role, snapshot.ends
    heads = list(_heads_outside_of_rows(snapshot, table))
    if not heads or not grid or any("columnheader" in roles[row : ends[row]] for row in nodes):
        return grid, nodes
    width = max(map(len, grid))
    line: list[Cell | None] = [None] * width
    first = first_column(snapshot, nodes)
    numbers = [snapshot.columns.extra.get(head.index, {}).get("posinset") for head in heads]
    if first is not None and None not in numbers:
        places = [int(number) - first for number in numbers if number is not None]
        if min(places) < 0 or max(places) >= width or len(set(places)) < len(places):
            return grid, nodes
        for head, place in zip(heads, places, strict=True):
            line[place] = head
    else:
        over = heads_over([[cell] if cell and cell.snapshot else [] for cell in grid[0]], heads)
        if len([head for head in over if head]) != len(heads) or len({*over} - {None}) < len(heads):
            return grid, nodes
        line[: len(over)] = over
    return [line, *grid], [heads[0].index, *nodes]


def _heads_outside_of_rows(snapshot: BaseSnapshot, table: int) -> Iterator[Cell]:
    roles, ends = snapshot.columns.role, snapshot.ends
    if "columnheader" not in roles[table : ends[table]]:
        return
    at = table + 1
    while at < ends[table]:
        is_head = roles[at] == "columnheader"
        if is_head:
            yield Cell(cell_text(snapshot, at), snapshot, at)
        at = ends[at] if is_head or roles[at] == "row" or roles[at] in TABLES else at + 1


def with_heads_above(found: Collection, heads: Sequence[Part]) -> Collection:
    """A list whose values stand below headers right above it, each below its own, with these names."""
    lines = (part.lines[-1] for part in heads)
    return next((named for line in lines if (named := _named_by(found, line)) is not None), found)


def with_heads_before(found: Collection, rows: Container[int]) -> Collection:
    """A list whose values stand below the line of texts that comes before it, each below its own, with these names.

    rows: the rows of the page's collections, which name nothing.
    """
    if found.minor or found.labelled or found.kind == "definitions":
        return found
    line = _texts_before(found.node.snapshot, min(row.node.index for row in found.rows), rows)
    named = _named_by(found, line) if len(line) <= SAMPLE else None
    return found if named is None else named


def _texts_before(snapshot: BaseSnapshot, row: int, rows: Container[int]) -> list[int]:
    """The texts of what stands right before a row and all that it is the first one of."""
    columns, at = snapshot.columns, row
    while (parent := snapshot.parents[at]) >= 0:
        before = [child for child in snapshot.child_indexes(parent) if child < at]
        if before:
            inside = range(before[-1], snapshot.ends[before[-1]])
            if any(each in rows for each in inside):
                return []
            return [each for each in inside if columns.role[each] == "text" or speaks(columns, each)]
        at = parent
    return []


def _named_by(found: Collection, line: Sequence[int]) -> Collection | None:
    """A list with the names that stand right above it, if each of its columns is below one of them."""
    if not SEVERAL <= len(found.fields) <= len(line):
        return None
    snapshot = found.node.snapshot
    rows = [snapshot.box_of(row.node.index) for row in found.rows]
    top, bottom = min(box.y for box in rows), max(box.y + box.height for box in rows)
    heads = [Cell(cell_text(snapshot, at), snapshot, at) for at in line]
    lowest = max(box.y + box.height for box in map(snapshot.box_of, line))
    # Rows that were scrolled up stand behind the headers.
    if not top - max(box.height for box in rows) / 2 <= lowest < bottom:
        return None
    above = heads_over(_columns(found.rows), heads)
    names = [head_text(head) for head in above if head]
    is_each = len({*above}) == len(names) == len(found.fields) and all(names)
    return replace(found, fields=unique_names(names)) if is_each else None


def _columns(rows: Sequence[Row]) -> list[list[Cell]]:
    return [[cell for cell in cells if cell] for cells in zip(*(row.cells for row in rows), strict=True)]


def with_named_fields(collection: Collection) -> Collection:
    """A list without its first item if that alone is called a header: its texts name the fields of the others.

    They do so as values of the same fields, or by where they stand: a header may be made of other parts.
    """
    rows, snapshot = collection.rows, collection.node.snapshot
    if len(rows) <= SEVERAL or not (
        _is_called_head(snapshot, rows[0].node.index) or _is_made_as_head(collection)
    ):
        return collection
    if any(_is_called_head(snapshot, row.node.index) for row in rows[1:]):
        return collection
    first = rows[0].node.index
    # A checkbox in a header chooses all rows.
    if not (FIELDS - {"checkbox"}).isdisjoint(snapshot.columns.role[first : snapshot.ends[first]]):
        return collection
    own, columns = rows[0].cells, _columns(rows[1:])
    heads = _line_of_names(snapshot, first)
    # Each name stands over values: else the item is made otherwise, as the header of a card is.
    is_alike = all(cells for cell, cells in zip(own, columns, strict=True) if cell)
    named = own if is_alike and sum(map(bool, own)) >= SEVERAL else heads_over(columns, heads)
    uses = Counter(head.index for head in named if head)
    if len(uses) < SEVERAL:
        return collection
    places = [at for at, cells in enumerate(columns) if cells]
    fields = unique_names(
        [
            head.text if (head := named[at]) is not None and uses[head.index] == 1 else collection.fields[at]
            for at in places
        ]
    )
    # What stands below one name, or below none, hasn't moved.
    unsure = {
        collection.fields[at]: field
        for at, field in zip(places, fields, strict=True)
        if named is own
        or (named[at] is None and any(_is_over(head, cell) for head in heads for cell in columns[at]))
    }
    notes, faults = (
        [now for each in every if (now := _with_names(each, unsure))]
        for every in (collection.notes, collection.faults)
    )
    names = quote(" | ".join(clean(head.text) for head in (heads or own) if head), 80)
    notes += [f"left out: the first item, which names what stands below it ({names})"]
    return replace(
        collection,
        fields=fields,
        rows=[Row(row.node, [row.cells[at] for at in places]) for row in rows[1:]],
        notes=notes,
        faults=faults,
        aside=[*collection.aside, ("header", first)],
    )


def _is_made_as_head(collection: Collection) -> bool:
    """Whether the first item alone is called something, or its texts are, and these are words over numbers."""
    snapshot, rows = collection.node.snapshot, collection.rows
    tags = snapshot.columns.tag
    heads = _line_of_names(snapshot, rows[0].node.index)
    if len(heads) < SEVERAL or any(map(str.isdigit, "".join(head.text for head in heads))):
        return False
    if tags[rows[0].node.index] in {tags[row.node.index] for row in rows[1:]}:
        others = {tags[cell.index] for row in rows[1:] for cell in row.cells if cell}
        if any(tags[head.index] in others for head in heads):
            return False
    columns = [cells for cells in _columns(rows[1:]) if cells]
    over = [head for head in heads_over(columns, heads) if head]
    numbers = [all(map(NUMBER.match, (cell.text for cell in cells))) for cells in columns]
    return len(over) == len(columns) == len({head.index for head in over}) and True in numbers


def _is_called_head(snapshot: BaseSnapshot, item: int) -> bool:
    """Whether an item, or what holds nothing but it, is called a header."""
    around = snapshot.parents[item]
    if is_named_head(snapshot, item):
        return True
    return around >= 0 and len(list(snapshot.child_indexes(around))) == 1 and is_named_head(snapshot, around)


def _with_names(note: str, unsure: dict[str, str]) -> str:
    """A note of columns that aren't sure with the names that they have now; "" if none is left."""
    found = _OF_COLUMNS.match(note)
    if not found:
        return note
    names = found[1].split(", ")
    left = [clean(after) for before, after in unsure.items() if clean(before) in names]
    return f"columns {', '.join(left)} {found[2]}" if left else ""


def _line_of_names(snapshot: BaseSnapshot, item: int) -> list[Cell]:
    """The texts and buttons of an item, if all of them stand on one line."""
    roles, names = snapshot.columns.role, snapshot.columns.name
    found, at = [], item + 1
    while at < snapshot.ends[item]:
        is_name = roles[at] in _NAMES and bool(names[at].strip())
        found += [Cell(snapshot.text_of(at) or clean(names[at]), snapshot, at)] * is_name
        at = snapshot.ends[at] if is_name else at + 1
    boxes = [snapshot.box_of(head.index) for head in found]
    is_line = bool(boxes) and max(box.y for box in boxes) < min(box.y + box.height for box in boxes)
    return found if is_line else []


def named_by_cells(rows: Sequence[Row]) -> tuple[list[str], list[Row]] | None:
    """The columns' names and the rows without them, if every cell begins with an element that says its column's name.

    Columns without any text keep no name. None where a column's cells begin in different ways: then these are values.
    """
    rows = _with_parts(rows)
    width = max((len(row.cells) for row in rows), default=0)
    if len(rows) < SEVERAL or width < SEVERAL:
        return None
    names = []
    for place in range(width):
        cells = [cell for row in rows if place < len(row.cells) and (cell := row.cells[place]) and cell.text]
        firsts = {_first_text(cell) for cell in cells}
        if len(firsts) > 1 or (firsts and len(cells) < len(rows)):
            return None
        names.append(firsts.pop() if firsts else "")
    given = [name for name in names if name]
    is_named = len(given) >= SEVERAL and len(set(given)) == len(given) and all(map(_is_worded, given))
    if not is_named:
        return None
    without = [
        Row(row.node, [_without_name(cell, name) for cell, name in zip(row.cells, names, strict=False)])
        for row in rows
    ]
    values = {cell.text for row in without for cell in row.cells if cell}
    return ([name.rstrip(_ENDS) for name in names], without) if len(values) > SEVERAL else None


def _with_parts(rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of one cell each as rows of the blocks in it, if all have as many, with a name and a value in each."""
    parted = [_parts_of(row) for row in rows]
    counts = {len(parts) for parts in parted}
    if len(counts) != 1 or counts.pop() < SEVERAL:
        return rows
    return [Row(row.node, parts) for row, parts in zip(rows, parted, strict=True)]


def _parts_of(row: Row) -> list[Cell]:
    cell = row.cells[0] if len(row.cells) == 1 else None
    if cell is None or cell.snapshot is None:
        return []
    snapshot, at = cell.snapshot, cell.index
    inside = list(snapshot.child_indexes(at))
    while len(inside) == 1:
        inside = list(snapshot.child_indexes(inside[0]))
    roles = snapshot.columns.role
    if any(roles[part : snapshot.ends[part]].count("text") < SEVERAL for part in inside):
        return []
    return [Cell(snapshot.text_of(part), snapshot, part) for part in inside]


def _first_text(cell: Cell) -> str:
    """The first of a cell's texts, which is an element of its own; the only one, where that has no value beside it."""
    snapshot = cell.snapshot
    if snapshot is None:
        return ""
    columns, index = snapshot.columns, cell.index
    inside = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return clean(columns.name[inside[0]]) if inside else cell.text


def _is_worded(text: str) -> bool:
    return any(map(str.isalpha, text))


def _without_name(cell: Cell | None, name: str) -> Cell | None:
    if cell is None or not name:
        return cell
    return Cell(cell.text.removeprefix(name).lstrip(_ENDS), cell.snapshot, cell.index)


_WORD = re.compile(r"\w")
_CONTROLS = (INTERACTIVE | FIELDS) - {"link"}
_NEVER = (
    _CONTROLS
    | TABLES
    | LANDMARKS
    | (RECORDS - words("article treeitem"))
    | words("heading list rowgroup document iframe")
)


class _Sign(NamedTuple):
    """What an element shows, and how its author calls it."""

    shown: str
    name: str
    is_link: bool


def with_names_as_values(found: Collection) -> Collection:
    """A collection in whose cells signs are their names, in each column in which names tell more apart than signs do.

    Where the signs differ and their names don't, the signs stay. What a link with words is called says no more than
    where it leads.
    """
    rich = _rich_rows(found)
    rows = _with_signs_named(found.rows, rich, range(len(found.fields) if rich else 0))
    return found if rows is found.rows else replace(found, rows=rows)


def rows_with_names(rows: Sequence[Row], places: Sequence[int]) -> Sequence[Row]:
    """The same for some places of rows whose cells were chosen one by one."""
    return _with_signs_named(rows, list(enumerate(rows)), places)


def _with_signs_named(
    rows: Sequence[Row], rich: Sequence[tuple[int, Row]], places: Sequence[int]
) -> Sequence[Row]:
    """Rows with names for signs; the same ones where no column has such signs."""
    columns = {
        place: signs
        for place in places
        if (signs := _signs_of(rich, place)) and _names_tell_more(list(signs.values()))
    }
    if not columns:
        return rows
    named = []
    for at, row in enumerate(rows):
        cells = list(row.cells)
        for place, signs in columns.items():
            cell = cells[place] if place < len(cells) else None
            if cell is not None and at in signs:
                cells[place] = _named(cell, signs[at])
        named.append(Row(row.node, cells))
    return named


def _rich_rows(found: Collection) -> list[tuple[int, Row]]:
    """Rows, with their places, that may have signs: cells with nothing in them but text have none without titles."""
    snapshot, rows = found.node.snapshot, list(enumerate(found.rows))
    if found.kind not in TABLES:
        return rows
    ends, extra = snapshot.ends, snapshot.columns.extra
    titled = sorted(at for at, facts in extra.items() if facts.keys() & {"titled", "description"})
    return [
        (at, row)
        for at, row in rows
        if not isinstance(cells_of(snapshot, row.node.index), range)
        or bisect_left(titled, row.node.index) < bisect_left(titled, ends[row.node.index])
    ]


def _signs_of(rows: Sequence[tuple[int, Row]], place: int) -> dict[int, list[_Sign]]:
    """By row, the signs of a column's cells."""
    found: dict[int, list[_Sign]] = {}
    for at, row in rows:
        cell = row.cells[place] if place < len(row.cells) else None
        if cell is None or cell.snapshot is None or not cell.text:
            continue
        if signs := list(_signs_in(cell.snapshot, cell, row.node.index)):
            found[at] = signs
    return found


def _signs_in(snapshot: BaseSnapshot, cell: Cell, row: int) -> Iterator[_Sign]:
    """The outermost named elements in a cell that show something else, or the one around that shows just the cell."""
    columns, ends, parents = snapshot.columns, snapshot.ends, snapshot.parents
    up = parents[cell.index]
    while up > row and ends[up] - up <= ends[cell.index] - cell.index + 1:
        around = _signs_of_node(snapshot, up)
        if len(around) == 1 and around[0].shown == cell.text:
            yield around[0]
            return
        up = parents[up]
    at, last = cell.index, ends[cell.index]
    if last == at + 1 and at not in columns.extra:
        return
    while at < last:
        signs = _signs_of_node(snapshot, at) if columns.name[at] or at in columns.extra else []
        yield from signs
        at = ends[at] if signs else at + 1


def _signs_of_node(snapshot: BaseSnapshot, index: int) -> list[_Sign]:
    """A node with a name that it doesn't show, or those of its parts without words that have titles."""
    columns = snapshot.columns
    role, name, facts = columns.role[index], clean(columns.name[index]), columns.extra.get(index, {})
    if role in _NEVER:
        return []
    if name and role != "text" and snapshot.ends[index] > index + 1:
        shown = snapshot.text_of(index)
        if shown and shown != name:
            return [_Sign(shown, name, role == "link")]
    parts = [(clean(shown), clean(title)) for shown, title in facts.get("titled") or ()]
    if role != "link" and (title := clean(facts.get("description") or "")):
        parts.append((snapshot.text_of(index), title))
    # A title only adds to words; of a sign it says what it means.
    return [_Sign(shown, title, False) for shown, title in parts if shown and not _WORD.search(shown)]


def _names_tell_more(rows: Sequence[Sequence[_Sign]]) -> bool:
    """Whether rows differ by the names of their signs, and less by what these show."""
    shown = {tuple(sign.shown for sign in signs) for signs in rows}
    named = {tuple(sign.name for sign in signs) for signs in rows}
    has_words = any(_WORD.search(text) for each in shown for text in each)
    if has_words and (len(shown) > 1 or any(sign.is_link for signs in rows for sign in signs)):
        return False
    return len(named) > len(shown)


def _named(cell: Cell, signs: Sequence[_Sign]) -> Cell:
    text = cell.text
    for sign in signs:
        text = text.replace(sign.shown, sign.name, 1)
    return Cell(text, cell.snapshot, cell.index)
