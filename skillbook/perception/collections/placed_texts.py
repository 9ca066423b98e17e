"""The law of texts: each visible text of what was read is in a cell, in a column's name, or is of a kind that is known.

Readers note where they put an element (`Collection.rows`, `Collection.aside`). This compares with the texts that are
there: by node, not by word. It knows nothing of how rows are found, so that it holds for whatever finds them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from operator import itemgetter
from typing import NamedTuple

from skillbook.perception.collections.cells import cell_text, cells_of, tag_of
from skillbook.perception.collections.collection import Cell, Collection, Row
from skillbook.perception.collections.telling_looks import TellingLooks, telling_looks
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.roles import (
    DIALOGS,
    FIELDS,
    GAUGES,
    IMAGES,
    INTERACTIVE,
    LANDMARKS,
    RECORDS,
    SPEAKING,
    TABLES,
    words,
)
from skillbook.protocol.snapshot import State

_UNSEEN = int(State.UNSEEN)
_WHOLES = words("list feed tree listbox") | TABLES
"""Each is read as a whole: rows may be but a part of it."""
_RECORDS = RECORDS | words("cell gridcell")
_CONTROLS = (INTERACTIVE | FIELDS) - {"link", "treeitem"}
_KINDS = {**dict.fromkeys(_CONTROLS, "control"), "caption": "heading", "heading": "heading"}
"""What a text is by the role of what it stands in, where no reader has put it anywhere."""
_CALLED_BY_CONTENT = (
    INTERACTIVE | FIELDS | LANDMARKS | DIALOGS | TABLES | words("heading list rowgroup document iframe")
)
"""What a name of theirs says is what they show, or what they hold as a whole."""
_WORDS = re.compile(r"\w+")
_MESSAGES = words("status alert log progressbar tooltip note")


@dataclass(frozen=True)
class PlacedTexts:
    """Where the texts of a collection went.

    Attributes
    ----------
    left : indexes of the texts that are nowhere.
    kinds : how many elements are no cells, by kind.
    names : by column, "" for whole rows, names, titles and values that no cell says, where these tell rows apart.
    looks : how parts without words look where this alone tells rows apart.
    """

    left: Sequence[int]
    kinds: Counter[str] = field(default_factory=Counter)
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    looks: TellingLooks = field(default_factory=lambda: TellingLooks({}, {}))


def placed_texts(found: Collection, others: Iterable[Collection] = ()) -> PlacedTexts:
    """Compare the texts of a collection with where its reader put them.

    Parameters
    ----------
    found : the collection.
    others : the page's collections; texts of those that lie in this one are in their rows.
    """
    snapshot = found.node.snapshot
    regions = _merged(_regions(found))
    kinds = Counter(kind for kind, _ in found.aside if kind != "cell")
    spans = [*_spans_of_rows(found), *((at, snapshot.ends[at]) for _, at in found.aside)]
    others = list(others)
    spans += _spans_of_others(found, others)
    left = []
    around = {up for row in found.rows for up in snapshot.columns.around(row.node.index)}
    heads = {clean(part) for name in found.fields for part in name.split(" / ")}
    for first, last in _gaps(regions, _merged(spans)):
        for at in _texts_in(snapshot, first, last):
            if (kind := _kind_of(snapshot, at, around)) is None:
                # Where the rows scroll beneath their headers, these stand in the rows' table a second time.
                kind = (
                    "repeated" if _heads(snapshot, at) and clean(snapshot.columns.name[at]) in heads else None
                )
            if kind is None:
                left.append(at)
            else:
                kinds[kind] += 1
    names = _placed_names(found, regions)
    kinds.update(name.kind for name in names if not name.is_said)
    kinds["nested"] = _nested(found, others)
    kinds["canvas"] = sum(snapshot.columns.role[first:last].count("canvas") for first, last in regions)
    return PlacedTexts(left, +kinds, _telling_names(found, names), telling_looks(found))


def _heads(snapshot: BaseSnapshot, at: int) -> bool:
    """Whether a text is in the header of a column."""
    return any(snapshot.columns.role[up] == "columnheader" for up in snapshot.columns.around(at))


class _Name(NamedTuple):
    """What something is called by more than its text: its row and column, -1 for none, and whether a cell says it."""

    row: int
    column: int
    kind: str
    text: str
    is_said: bool


def _placed_names(found: Collection, regions: Sequence[tuple[int, int]]) -> list[_Name]:
    """Names of images, titles and the like: a cell with words says these alone. A whole row's have no column."""
    called = _names_in(found.node.snapshot, regions)
    if not called:
        return []
    snapshot = found.node.snapshot
    cells = sorted(
        [(line.node.index, row, -1, "") for row, line in enumerate(found.rows)]
        + [
            (cell.index, row, column, cell.text)
            for row, line in enumerate(found.rows)
            for column, cell in enumerate(line.cells)
            if cell is not None and cell.snapshot is snapshot
        ]
    )
    placed = []
    for at, kind, text in called:
        place = bisect_right(cells, at, key=itemgetter(0)) - 1
        _, row, column, shown = cells[place] if place >= 0 else (-1, -1, -1, "")
        is_said = re.search(rf"(?<!\d){re.escape(clean(text))}(?!\d)", shown) is not None
        placed.append(_Name(row, column, kind, clean(text), is_said))
    return placed


def _names_in(snapshot: BaseSnapshot, regions: Sequence[tuple[int, int]]) -> list[tuple[int, str, str]]:
    """What is called something in parts of a page by more than its text: where, of which kind, and what."""
    columns = snapshot.columns
    roles, names, flags, ends = columns.role, columns.name, columns.flags, columns.ends
    called = [
        (at, "image" if roles[at] in IMAGES else "title", names[at])
        for first, last in regions
        for at in range(first, last)
        if names[at].strip()
        and (flags[at] & _UNSEEN or ends[at] > at + 1 or roles[at] in IMAGES)
        and roles[at] not in _CALLED_BY_CONTENT
    ]
    for at, facts in columns.extra.items():
        naming = [("title", title) for _, title in facts.get("titled") or ()]
        if roles[at] not in _CONTROLS and facts.get("description"):
            naming.append(("title", facts["description"]))
        if roles[at] in GAUGES and facts.get("value"):
            naming.append(("value", facts["value"]))
        if naming and any(first <= at < last for first, last in regions):
            called += [(at, kind, text) for kind, text in naming]
    return called


def _telling_names(found: Collection, names: Iterable[_Name]) -> dict[str, Sequence[str]]:
    """By column, "" for whole rows, what the names in it say that tells rows apart, beside the words of their cells."""
    by_column: dict[int, dict[int, list[_Name]]] = {}
    for name in names:
        if name.row >= 0:
            by_column.setdefault(name.column, {}).setdefault(name.row, []).append(name)
    telling: dict[str, Sequence[str]] = {}
    for column, by_row in by_column.items():
        news = {
            row: [(words, name.text) for name in line if (words := _news(found.rows[row], name))]
            for row, line in by_row.items()
        }
        rows = range(len(found.rows))
        if _differ(tuple(name.text for name in by_row.get(row, ())) for row in rows) and _differ(
            tuple(words for words, _ in news.get(row, ())) for row in rows
        ):
            naming = dict.fromkeys(text for line in news.values() for _, text in line)
            telling[found.fields[column] if column >= 0 else ""] = list(naming)
    return telling


def _differ(lines: Iterable[object]) -> bool:
    return len(set(lines)) > 1


def _news(row: Row, name: _Name) -> tuple[str, ...]:
    """The words of a name that the cells of its row don't say."""
    known = {word for cell in row.cells if cell for word in _WORDS.findall(cell.text)}
    return () if name.is_said else tuple(word for word in _WORDS.findall(name.text) if word not in known)


def unsaid_in(cell: Cell) -> list[int]:
    """The texts of a cell's element that the cell doesn't say, if it says what the element shows."""
    snapshot, first = cell.snapshot, cell.index
    if snapshot is None or snapshot.ends[first] == first + 1 or snapshot.columns.role[first] in FIELDS:
        return []
    if cell.text != cell_text(snapshot, first):
        return []
    return [
        at
        for at in _texts_in(snapshot, first, snapshot.ends[first])
        if clean(snapshot.columns.name[at]) not in cell.text and _kind_of(snapshot, at, {first}) is None
    ]


def texts_of(snapshot: BaseSnapshot, indexes: Iterable[int]) -> list[str]:
    """What texts say."""
    return [clean(snapshot.columns.name[at]) for at in indexes]


def _regions(found: Collection) -> list[tuple[int, int]]:
    """What was read: a table or list as a whole; of other things that repeat, each with what is between two of them."""
    snapshot, node = found.node.snapshot, found.node.index
    roles, ends = snapshot.columns.role, snapshot.ends
    if found.kind in TABLES or found.kind == "definitions":
        return [(node, ends[node])]
    rows = sorted(row.node.index for row in found.rows)
    regions = [*_around_rows(snapshot, rows)]
    for index in rows:
        around = takewhile(lambda up: roles[up] not in _RECORDS, snapshot.columns.around(index))
        whole = next((up for up in around if roles[up] in _WHOLES), index)
        regions.append((whole, ends[whole]))
    return regions


def _around_rows(snapshot: BaseSnapshot, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cards of which rows are parts, and what is between these: a card has no other row, and comes with each row.

    What stands between two groups of rows is of neither.
    """
    ends = snapshot.ends
    heights = []
    for before, after in pairwise(rows):
        first = _up_to(snapshot, before, after)
        second = _up_to(snapshot, after, before)
        if _count(rows, first[-1], ends[second[-1]]) == 2 and ends[before] <= after:
            yield ends[before], after
            heights.append(min(len(first), len(second)))
    for row in rows if heights else ():
        card = [row, *snapshot.columns.around(row)][: min(heights)][-1]
        if _count(rows, card, ends[card]) == 1:
            yield card, ends[card]


def _up_to(snapshot: BaseSnapshot, index: int, other: int) -> list[int]:
    """An element and what is around it and not around another one, from the inside."""
    way = [index]
    for up in snapshot.columns.around(index):
        if up <= other < snapshot.ends[up]:
            break
        way.append(up)
    return way


def _count(rows: Sequence[int], first: int, last: int) -> int:
    return bisect_left(rows, last) - bisect_left(rows, first)


def _spans_of_rows(found: Collection) -> Iterator[tuple[int, int]]:
    """The nodes that cells stand for."""
    snapshot, is_table = found.node.snapshot, found.kind in TABLES
    ends = snapshot.ends
    for row in found.rows:
        cells = cells_of(snapshot, row.node.index) if is_table else ()
        if isinstance(cells, range) and len(row.cells) >= len(cells):
            yield row.node.index, ends[row.node.index]  # plain cells, each of which is there
            if len(row.cells) == len(cells):
                continue
        for cell in row.cells:
            if cell is not None and cell.snapshot is snapshot:
                yield cell.index, ends[cell.index]


def _spans_of_others(found: Collection, others: Iterable[Collection]) -> Iterator[tuple[int, int]]:
    """Rows and cells of other collections, and tables as a whole; what is around a row of this one is none of these."""
    ends = found.node.snapshot.ends
    known = sorted(row.node.index for row in found.rows)
    first, last = known[0], ends[known[-1]]
    for other in others:
        if other is found or not other.rows or other.node.snapshot is not found.node.snapshot:
            continue
        if other.kind in TABLES and not other.node.index <= first < ends[other.node.index]:
            yield other.node.index, ends[other.node.index]
        placed = {row.node.index for row in other.rows}
        placed |= {
            cell.index
            for row in other.rows
            for cell in row.cells
            if cell and cell.snapshot is other.node.snapshot
        }
        for at in placed:
            if first < at < last and bisect_left(known, at) == bisect_left(known, ends[at]):
                yield at, ends[at]


def _nested(found: Collection, others: Iterable[Collection]) -> int:
    """How many rows of other collections are inside of rows, and in nothing that was read of them."""
    snapshot, rows = found.node.snapshot, {row.node.index for row in found.rows}
    inside = [
        row.node.index
        for other in others
        if other.node.snapshot is snapshot and rows.isdisjoint(row.node.index for row in other.rows)
        for row in other.rows
    ]
    if not inside:
        return 0
    spans = _merged((at, snapshot.ends[at]) for at in rows)
    read = _merged([*_spans_of_rows(found), *((at, snapshot.ends[at]) for _, at in found.aside)])
    return sum(_covers(spans, at) and not _covers(read, at) for at in inside)


def _covers(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a node is in one of some spans, which are in order."""
    place = bisect_right(spans, at, key=itemgetter(0)) - 1
    return place >= 0 and at < spans[place][1]


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            if last > merged[-1][1]:
                merged[-1] = merged[-1][0], last
        else:
            merged.append((first, last))
    return merged


def _gaps(regions: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of regions that no span covers; both are in order."""
    place = 0
    for first, last in regions:
        while place < len(spans) and spans[place][1] <= first:
            place += 1
        at, after = first, place
        while at < last:
            if after == len(spans) or spans[after][0] >= last:
                yield at, last
                break
            if at < spans[after][0]:
                yield at, spans[after][0]
            at = spans[after][1]
            after += 1


def _texts_in(snapshot: BaseSnapshot, first: int, last: int) -> Iterator[int]:
    """The visible texts among some nodes."""
    columns = snapshot.columns
    for at in range(first, last):
        role = columns.role[at]
        if role != "text" and role not in SPEAKING:
            continue
        if columns.flags[at] & _UNSEEN or not columns.name[at].strip():
            continue
        if role == "text" or speaks(columns, at):
            yield at


def _kind_of(snapshot: BaseSnapshot, index: int, around: Container[int]) -> str | None:
    """What a text is by what it stands in, up to what is around a row; None where that says nothing."""
    for at in takewhile(lambda up: up not in around, chain((index,), snapshot.columns.around(index))):
        role = snapshot.columns.role[at]
        if role in _KINDS:
            return _KINDS[role]
        if tag_of(snapshot, at) == "caption":
            return "heading"
        if role in _MESSAGES:
            return "message"
    return None
