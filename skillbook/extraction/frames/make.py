"""Rows of a page as a DataFrame with types and provenance."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from skillbook.extraction.frames.completeness import Completeness, assess, claims_of
from skillbook.extraction.frames.date_columns import Notation, NotationGiven, notation_of
from skillbook.extraction.frames.dtypes import (
    Typed,
    check_columns,
    check_types,
    convert,
    convert_to,
    notation_shown,
)
from skillbook.extraction.frames.evidence import TextLaw
from skillbook.extraction.frames.odd_rows import STRAY, notes_of, strays_of, without_sum_rows
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey, lang_of, new_run
from skillbook.extraction.frames.validation import INVALID, Problem, check_rows, convert_by, is_text, kinds_of
from skillbook.perception.collections import (
    Cell,
    Collection,
    EmptyTable,
    Row,
    check_in,
    find_collections,
    has_unnamed_icon,
)
from skillbook.perception.escape import clean, counted, quote
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.visible_text import struck_texts
from skillbook.protocol.snapshot import State
from skillbook.session.page.page_rest import STILL_LOADING, is_loading_text

if TYPE_CHECKING:
    import pandas as pd


def make_frame(
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    name: str = "",
    typed: bool = True,
    page: Any = None,
    completeness: Completeness | None = None,
    types: Mapping[str, type] | None = None,
    run: str = "",
    problems: Sequence[Problem] = (),
    schema: Any = None,
    crops: Mapping[int, bytes] | None = None,
    na_values: Sequence[str] = (),
    thousands: str | None = None,
    parse_dates: Sequence[str] = (),
    known: Mapping[str, Typed] | None = None,
) -> pd.DataFrame:
    """Rows as a frame; its index counts from 0.

    typed: read numbers, dates and booleans; else everything is text as the page has it.
    page: where cells can be shown again.
    types: `str`, `bool` or `Decimal` for columns that shall be these, whatever they look like.
    run: names the extraction.
    problems: what is known to be wrong with cells.
    schema: a pydantic model or a pandera schema, which says types, and what rows are checked against.
    crops: screenshots of rows by their place.
    na_values, thousands, parse_dates: as for `skillbook.extract`.
    known: the columns' values, where they aren't to be read out of the texts.
    Raises ExtractionError: a column isn't there, or has values that its type can't hold.
    """
    import pandas as pd

    wanted = check_types(types, columns)
    kinds = {} if schema is None else kinds_of(schema)
    texts = {
        column: [cell.text if (cell := row.cells[place]) else None for row in rows]
        for place, column in enumerate(columns)
    }
    given = NotationGiven.of(thousands, na_values)
    texts_read = {column: given.without_blanks(shown) for column, shown in texts.items()}
    notation = given.or_shown(
        notation_shown({} if known is not None else texts_read, notation_of(lang_of(rows)))
    )
    kinds |= dict.fromkeys(check_columns(parse_dates, columns), datetime.datetime)
    found: list[Problem] = []
    read = dict(known or {})
    if known is None:
        read, found = _typed(texts_read, rows, wanted, kinds, typed, notation)
    wrong = [*problems, *found]
    series = {column: result.values for column, result in read.items()}
    units = {column: result.unit for column, result in read.items() if result.unit}
    rules = {column: result.rule for column, result in read.items() if result.rule}
    for column, rule in _rules_of_struck(columns, rows).items():
        rules[column] = "; ".join(filter(None, [rules.get(column), rule]))
    frame = pd.DataFrame(series, columns=list(columns), index=pd.RangeIndex(len(rows)))
    whole = completeness or Completeness()
    stray = [problem for problem in found if problem.problem == STRAY]
    notes = [*_unread_icons(columns, rows), *([] if schema is not None else notes_of(rows, texts, stray))]
    whole = replace(whole, notes=[*whole.notes, *notes])
    if schema is not None:
        wrong = check_rows(schema, frame, texts, wrong)
        failed = len({problem.row for problem in wrong if problem.row >= 0})
        notes = [f"{failed:,} of {len(rows):,} rows {INVALID}"] if failed else []
        whole = replace(whole, notes=[*whole.notes, *notes])
    origin = Origin(
        tuple(columns), tuple(rows), clean(name), units, rules, page, whole, run or new_run(), frame.copy(),
        tuple(wrong), crops or {},
    )  # fmt: skip
    frame.attrs[KEY] = OriginKey.of(origin)
    return frame


def _typed(
    texts: Mapping[str, Sequence[str | None]],
    rows: Sequence[Row],
    wanted: Mapping[str, type],
    kinds: Mapping[str, Any],
    typed: bool,
    notation: Notation,
) -> tuple[dict[str, Typed], list[Problem]]:
    """Columns of texts as what they are, and the cells that can't be what a schema wants, or the column is."""
    problems: list[Problem] = []
    read: dict[str, Typed] = {}
    free: list[str] = []
    for place, (column, shown) in enumerate(texts.items()):
        if column in wanted:
            read[column] = convert_to(wanted[column], column, shown, notation=notation)
        elif not typed:
            read[column] = convert_to(str, column, shown)
        elif any(_is_check(row, place) for row in rows[:3]):
            read[column] = convert(column, shown, from_checkboxes=True)
        else:
            read[column], found = convert_by(kinds.get(column), column, shown, notation)
            problems += found
            free += [column] if column not in kinds else []
    if left := [column for column in free if is_text(read[column].values)]:
        measured = [column for column in free if read[column].values.dtype.kind in "iufM"]
        strays = strays_of(texts, rows, measured)
        for column in left:
            if column not in strays.cells:
                continue
            fitting = convert(column, strays.without(column, texts[column]), notation=notation)
            if not is_text(fitting.values):
                read[column] = fitting
                problems += strays.problems(column, texts[column])
    return read, problems


def _rules_of_struck(columns: Sequence[str], rows: Sequence[Row]) -> dict[str, str]:
    """What says which columns are read without struck-out texts beside their values, or have values that are."""
    rules: dict[str, str] = {}
    every = filter(None, chain.from_iterable(row.cells for row in rows))
    known = {id(each): each for each in map(attrgetter("snapshot"), every) if each is not None}
    if not any(flags & State.STRUCK for each in known.values() for flags in set(each.columns.flags)):
        return rules
    for place, column in enumerate(columns):
        cells = [cell for row in rows if (cell := row.cells[place]) and cell.snapshot is not None]
        beside, whole = [], 0
        for cell in cells:
            struck = struck_texts(cell.snapshot.columns, cell.index) if cell.snapshot else []
            beside += [text for text in struck if text not in cell.text][:1]
            whole += bool(struck) and all(text in cell.text for text in struck)
        some, more = counted(len(beside), "struck-out text"), ", …" * (len(beside) > 1)
        says = [f"without {some} beside ({quote(beside[0], 40)}{more})"] if beside else []
        says += [f"{whole:,} of {len(cells):,} values are struck out"] if 0 < whole < len(cells) else []
        if says:
            rules[column] = "; ".join(says)
    return rules


def _unread_icons(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """What says which columns have blank cells that show an icon."""
    return [
        f"column {clean(column)!r} has icons that no text names"
        for place, column in enumerate(columns)
        if any(map(_is_unread, [cell for row in rows if (cell := row.cells[place]) and not cell.text]))
    ]


def _is_unread(cell: Cell) -> bool:
    return cell.snapshot is not None and has_unnamed_icon(cell.snapshot, cell.index)


def _is_check(row: Row, place: int) -> bool:
    cell = row.cells[place]
    node: Node | None = cell.node if cell else None
    return node is not None and check_in(node.snapshot, node.index) is not None


def frame_of(
    collection: Collection,
    *,
    typed: bool = True,
    page: Any = None,
    faults: Sequence[str] = (),
    more: str = "",
    run: str = "",
    others: Sequence[Sequence[Row]] = (),
) -> pd.DataFrame:
    """A whole collection as a frame.

    faults, more: what of it is missing or broken, and what says that there are others.
    """
    snapshot = collection.node.snapshot
    claims = claims_of(snapshot, collection.rows, others)
    if collection.width:
        claims["columns"] = max(collection.width, claims.get("columns", 0))
    width = len(collection.places) or len(collection.fields)
    completeness = assess(
        pages=1,
        rows=collection.count,
        columns=width,
        claims=claims,
        stopped="",
        more=more,
        faults=[*faults, *collection.faults],
    )
    rows, sums = without_sum_rows(collection.rows, collection.fields)
    texts = TextLaw()
    texts.add(collection, find_collections(snapshot))
    completeness = replace(completeness, notes=[*collection.notes, *sums, *texts.notes]).checked(
        *texts.checks()
    )
    return make_frame(
        collection.fields,
        rows,
        name=collection.name,
        typed=typed,
        page=page,
        completeness=completeness,
        run=run,
    )


def claims_of_empty(table: EmptyTable) -> tuple[dict[str, int], str]:
    """What a table without rows claims to have of them, and why it isn't whole; "" where nothing says that."""
    claimed = int(table.node.extra.get("setsize") or 0) - 1
    is_loading = is_loading_text(table.says) or bool(table.node.flags & State.BUSY)
    closed = f"{table.lines:,} lines across all columns stand where rows would: groups may be closed"
    fault = STILL_LOADING if is_loading else closed if table.lines > 1 else ""
    return {"rows": claimed} if claimed > 0 else {}, fault


def empty_frame(table: EmptyTable, page: Any = None, loading: str = "") -> pd.DataFrame:
    """A table without rows: it has the columns, and isn't whole where it is still loading or claims to have rows."""
    claims, fault = claims_of_empty(table)
    faults = [reason for reason in (fault or loading,) if reason]
    completeness = assess(pages=1, rows=0, columns=None, claims=claims, stopped="", more="", faults=faults)
    notes = [f"it says {quote(table.says, 80)}"] if table.says else []
    return make_frame(
        table.fields, [], name=table.name, page=page, completeness=replace(completeness, notes=notes)
    )
