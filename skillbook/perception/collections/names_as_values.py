"""Signs whose names differ, such as six ratings that all show "★★★★★": the name is the value."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Cell, Collection, Row
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import FIELDS, INTERACTIVE, LANDMARKS, RECORDS, TABLES, words

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
    rows = _with_names(found.rows, rich, range(len(found.fields) if rich else 0))
    return found if rows is found.rows else replace(found, rows=rows)


def rows_with_names(rows: Sequence[Row], places: Sequence[int]) -> Sequence[Row]:
    """The same for some places of rows whose cells were chosen one by one."""
    return _with_names(rows, list(enumerate(rows)), places)


def _with_names(rows: Sequence[Row], rich: Sequence[tuple[int, Row]], places: Sequence[int]) -> Sequence[Row]:
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
