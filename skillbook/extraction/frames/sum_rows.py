"""Rows that sum up others — "Total", "Subtotal North", a last line of sums — are no items: left out, and noted.

The numbers decide: a row is left out only if they are the sums of rows before it, since the sum before it, or of all
rows, as a first line may have. The words of the lexicon say which rows are looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from skillbook import lexicon
from skillbook.extraction.frames.number_texts import read_number, value_of
from skillbook.perception.collections import GROUP, Row
from skillbook.perception.collections.measures import MOST_NAMED, SEVERAL
from skillbook.perception.escape import quote

_FEWEST_CALLED = (
    3  # rows that a sum is of, if it is called so among other words ("Total Recall" may be a film)
)
_UNCALLED = SEVERAL  # the same if its first cell is blank or says "All": all its numbers are sums then
_MOST_BLANK = 200  # rows that are looked at though nothing calls them sums
_NAMED = re.compile(r"([^\d:]+):\s*(.*\d.*)")
_ROUNDED = 0.011  # by which a sum of rounded numbers may differ


@dataclass
class _Numbers:
    """The numbers of rows by column, if numbers are written with this decimal point."""

    rows: Sequence[Row]
    point: str

    @cached_property
    def _read(self) -> dict[int, list[float | None]]:
        return {}

    def of(self, place: int) -> list[float | None]:
        """A column's."""
        if place not in self._read:
            self._read[place] = [self._value(row, place) for row in self.rows]
        return self._read[place]

    def _value(self, row: Row, place: int) -> float | None:
        """A cell's number; `nan` if it is written with the other decimal point."""
        cell = row.cells[place]
        text = cell.text if cell else ""
        if (named := _NAMED.match(text)) and _is_called(named[1]):
            text = named[2]  # "Sum: 39"
        number = read_number(text) if text else None
        value = None if number is None else value_of(number, self.point)
        return math.nan if number is not None and value is None else value

    def are_sums(self, at: int, others: Sequence[int], *, all_of_them: bool) -> bool:
        """Whether most numbers of a row, or all, are the sums of those in other rows."""
        compared = right = 0
        for place in range(len(self.rows[at].cells)):
            total = self._value(self.rows[at], place)
            if total is None:
                continue
            column = self.of(place)
            values = [value for other in others if (value := column[other]) is not None]
            compared += 1
            is_whole = isinstance(total, int) and all(isinstance(value, int) for value in values)
            right += bool(values) and abs(sum(values) - total) <= (0 if is_whole else _ROUNDED) and total != 0
        return right == compared > 0 if all_of_them else right > 0 and compared <= 2 * right


def without_sum_rows(every: Sequence[Row], fields: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Rows without those that sum up others, and what says so; the group that a row is in says nothing of that."""
    rows = [Row(row.node, row.cells[1:]) for row in every] if list(fields[:1]) == [GROUP] else every
    firsts = [next((cell.text for cell in row.cells if cell and cell.text), "") for row in rows]
    spoken = lexicon.places_that_may_say(("sum", "total"), firsts)
    fewest = {at: _fewest(firsts[at]) for at in spoken if _is_called(firsts[at])}
    if firsts and lexicon.is_all("every", firsts[-1]):
        fewest[len(rows) - 1] = _UNCALLED
    blank = _blank_first(rows)
    if not fewest and not blank:
        return list(every), _may_be_sum(rows)
    tried = [{**dict.fromkeys(blank, _UNCALLED), **fewest}]
    if len(blank) > 1:
        # Not all of them are sums: the last one may be.
        tried.append({blank[-1]: _UNCALLED, **fewest})
    for fewest in tried:
        left_out = max((_sums(_Numbers(rows, point), fewest) for point in ".,"), key=len)
        if left_out.issuperset(blank):
            break
    if not left_out or len(left_out) == len(rows):
        return list(every), []
    beside = _lines_beside(rows, left_out)
    kept = [row for at, row in enumerate(every) if at not in left_out | beside]
    notes = [_said([rows[at] for at in sorted(left_out)])]
    return kept, [*notes, _said_of_lines([rows[at] for at in sorted(beside)])] if beside else notes


def _may_be_sum(rows: Sequence[Row]) -> list[str]:
    """A note of a first or last row that nothing calls a sum, though the numbers of several columns are all sums."""
    last = len(rows) - 1
    if not _FEWEST_CALLED <= last <= _MOST_BLANK:
        return []
    for point in ".,":
        numbers = _Numbers(rows, point)
        for which, at, others in (("last", last, range(last)), ("first", 0, range(1, last + 1))):
            places = [place for place in range(len(rows[at].cells)) if numbers.of(place)[at] is not None]
            if len(places) >= SEVERAL and numbers.are_sums(at, others, all_of_them=True):
                shown = _quoted(rows[at : at + 1])
                return [f"the {which} row ({shown}) may sum up the others: its numbers are their sums"]
    return []


def _lines_beside(rows: Sequence[Row], sums: Set[int]) -> set[int]:
    """Rows beside the sums that end a table, made as these and as no item is: a tax, a discount.

    A label over several columns is such a form. One after blank cells is only between sums, for an item of a group may
    begin with blank cells, too.
    """
    last = len(rows) - 1
    form = _form(rows[last])
    if last not in sums or not (any(form) or _is_blank(rows[last], 2)):
        return set()
    first = last
    while first > 0 and _form(rows[first - 1]) == form and _blanks(rows[first - 1]) == _blanks(rows[last]):
        first -= 1
    if not any(form):
        first = min(at for at in range(first, last + 1) if at in sums)
    return set(range(first, last)) - sums if 0 < first < last else set()


def _form(row: Row) -> tuple[bool, ...]:
    """Which cells go on over the next column."""
    return tuple(cell is not None and cell is after for cell, after in pairwise(row.cells))


def _blanks(row: Row) -> tuple[bool, ...]:
    return tuple(not (cell and cell.text) for cell in row.cells)


def _is_blank(row: Row, count: int) -> bool:
    """Whether so many cells at a row's beginning say nothing."""
    return len(row.cells) > count and all(_blanks(row)[:count])


def _blank_first(rows: Sequence[Row]) -> list[int]:
    """Rows whose first cell says nothing, where the last is one: each group may end with its sums."""
    blank = [at for at, row in enumerate(rows) if not (row.cells and row.cells[0] and row.cells[0].text)]
    if len(rows) <= _UNCALLED or not blank or blank[-1] < len(rows) - 1:
        return []
    return blank if len(blank) <= min(len(rows) / 2, _MOST_BLANK) else blank[-1:]


def _is_called(first: str) -> bool:
    return lexicon.matches("sum", first) or lexicon.matches("total", first)


def _fewest(first: str) -> int:
    """How many rows at least a row must sum up that says this first."""
    first = named[1] if (named := _NAMED.match(first)) else first
    return 1 if lexicon.is_all("sum", first) or lexicon.is_all("total", first) else _FEWEST_CALLED


def _sums(numbers: _Numbers, fewest: Mapping[int, int]) -> set[int]:
    """Which rows are sums of those before them, since the sum before or from the start; the first row may be of all.

    If there is one, others of the table that are called so, or have a blank as it does, may be the sums of one row.
    """
    uncalled = {at for at, least in fewest.items() if least == _UNCALLED}
    found = _sums_of(numbers, fewest, uncalled)
    more = {at: 1 for at in fewest if at not in uncalled or found & uncalled}
    return _sums_of(numbers, {**fewest, **more}, uncalled) if found else found


def _sums_of(numbers: _Numbers, fewest: Mapping[int, int], uncalled: Set[int]) -> set[int]:
    found: set[int] = set()
    for at, least in sorted(fewest.items()):
        before = [other for other in range(at) if other not in found]
        since = [other for other in before if other > max(found, default=-1)]
        items = [other for other in range(len(numbers.rows) if at == 0 else at) if other not in fewest]
        spans = [span for span in (since, before, items) if len(span) >= least]
        if any(numbers.are_sums(at, span, all_of_them=at in uncalled) for span in spans):
            found.add(at)
    return found


def _said(rows: Sequence[Row]) -> str:
    many = "1 row that sums" if len(rows) == 1 else f"{len(rows):,} rows that sum"
    return f"left out: {many} up others ({_quoted(rows)})"


def _said_of_lines(rows: Sequence[Row]) -> str:
    many = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    return f"left out: {many} beside the sums, made as these are ({_quoted(rows)})"


def _quoted(rows: Sequence[Row]) -> str:
    shown = []
    for row in rows[:MOST_NAMED]:
        texts = dict.fromkeys((id(cell), cell.text) for cell in row.cells if cell and cell.text)
        shown.append(quote(" | ".join(text for _, text in texts), 80))
    return ", ".join(shown) + (", …" if len(rows) > MOST_NAMED else "")
