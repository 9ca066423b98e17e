"""Which rows of a frame are no items: sums of the others, and what strays between them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise

from skillbook import lexicon
from skillbook.extraction.frames.date_columns import is_numeric_date, read_date
from skillbook.extraction.frames.dtypes import blanks_in, names_codes
from skillbook.extraction.frames.number_texts import read_number, value_of
from skillbook.extraction.frames.validation import Problem
from skillbook.perception.collections import GROUP, Row
from skillbook.perception.collections.measures import LARGE_SAMPLE, NEARLY_ALL, SEVERAL
from skillbook.perception.escape import MOST_NAMED, counted, listed, quote
from skillbook.perception.nodes.columns import FEWEST

_FEWEST_CALLED = (
    3  # rows that a sum is of, if it is called so among other words ("Total Recall" may be a film)
)
_UNCALLED = SEVERAL  # the same if its first cell is blank or says "All": all its numbers are sums then
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
    # After a subtotal that no row is of come the lines of a bill, whose total is one of them.
    is_bill = fewest.get(0) == 1 and 0 not in left_out
    if not left_out or len(left_out) == len(rows) or is_bill:
        return list(every), []
    beside = _lines_beside(rows, left_out)
    kept = [row for at, row in enumerate(every) if at not in left_out | beside]
    notes = [_said([rows[at] for at in sorted(left_out)])]
    return kept, [*notes, _said_of_lines([rows[at] for at in sorted(beside)])] if beside else notes


def _may_be_sum(rows: Sequence[Row]) -> list[str]:
    """A note of a first or last row that nothing calls a sum, though the numbers of several columns are all sums."""
    last = len(rows) - 1
    if not _FEWEST_CALLED <= last <= LARGE_SAMPLE:
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
    """Rows beside the sums that end a table, made as these and as no item is: a tax, a discount, what is due.

    A label over several columns is such a form. One after blank cells is only between sums, for an item of a group may
    begin with blank cells, too.
    """
    last = len(rows) - 1
    form = _form(rows[last])
    if not any(form) and not (last in sums and _is_blank(rows[last], 2)):
        return set()
    first = last
    while first > 0 and _form(rows[first - 1]) == form and _blanks(rows[first - 1]) == _blanks(rows[last]):
        first -= 1
    if not any(form):
        first = min(at for at in range(first, last + 1) if at in sums)
    beside = set(range(first, last + 1)) if 0 < first < last else set()
    return beside - sums if beside & sums else set()


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
    return blank if len(blank) <= min(len(rows) / 2, LARGE_SAMPLE) else blank[-1:]


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
    return f"left out: {counted(len(rows), 'row that sums', 'rows that sum')} up others ({_quoted(rows)})"


def _said_of_lines(rows: Sequence[Row]) -> str:
    return f"left out: {counted(len(rows), 'row')} beside the sums, made as these are ({_quoted(rows)})"


def _quoted(rows: Sequence[Row]) -> str:
    cells_of_rows = [{id(cell): cell.text for cell in row.cells if cell and cell.text} for row in rows]
    return listed([" | ".join(texts.values()) for texts in cells_of_rows], 80)


_FEW = 0.1  # share of the rows that may be strays; one always may
_CUT = re.compile(r"\w\s?(?:…|\.{3})(?:\W*[^\W\d]+){0,3}\W*\Z")
STRAY = "isn't what the other rows have there"


@dataclass
class Strays:
    """Texts that say nothing of their columns' types."""

    cells: dict[str, set[int]] = field(default_factory=dict)

    def without(self, column: str, texts: Sequence[str | None]) -> list[str | None]:
        """A column's texts with these blank."""
        strays = self.cells.get(column, set())
        return [None if at in strays else text for at, text in enumerate(texts)]

    def problems(self, column: str, texts: Sequence[str | None]) -> list[Problem]:
        """A line for each of a column's cells that is blank in the frame for that reason."""
        return [Problem(at, column, texts[at], STRAY) for at in sorted(self.cells[column])]


def strays_of(
    texts: Mapping[str, Sequence[str | None]], rows: Sequence[Row], read: Collection[str] = ()
) -> Strays:
    """The cells that don't fit columns of numbers or dates, in rows that fit none of them or cells across several.

    texts: what the page says, by column.
    """
    spread = [(at, row) for at, row in enumerate(rows) if len(set(map(id, row.cells))) < len(row.cells)]
    across = {column: _across(spread, place) for place, column in enumerate(texts)}
    odd: dict[str, set[int]] = {}
    fitting: set[int] = set()
    for column, column_texts in texts.items():
        if column in read or names_codes(column):
            continue
        if (measured := _kinds(_filled(column_texts), across[column])) is None:
            continue
        alone = [kind for at, kind in measured.items() if kind or at not in across[column]]
        best = max(set(alone) - {""}, key=alone.count, default="")
        if not best or alone.count(best) < max(FEWEST, NEARLY_ALL * len(alone)):
            continue
        fitting |= {at for at, kind in measured.items() if kind == best}
        if others := {at for at, kind in measured.items() if not kind}:
            odd[column] = others
    for column in read if odd else ():
        there = {} if names_codes(column) else _filled(texts[column])
        fitting.update(there if len(there) >= FEWEST else ())
    counts: dict[int, int] = {}
    for ats in odd.values():
        for at in ats - fitting:
            counts[at] = counts.get(at, 0) + 1
    strays = {at for at, count in counts.items() if count >= SEVERAL}
    strays = strays if len(strays) <= max(1, _FEW * len(rows)) else set()
    found = {column: ats & (strays | across[column]) for column, ats in odd.items()}
    return Strays({column: ats for column, ats in found.items() if ats})


def _filled(texts: Sequence[str | None]) -> dict[int, str]:
    """A column's texts by their rows, without those that say that there is no value."""
    blanks = blanks_in(filter(None, texts))
    return {at: text for at, text in enumerate(texts) if text and text not in blanks}


def _kinds(texts: Mapping[int, str], across: Set[int]) -> dict[int, str] | None:
    """The kind of each text by its row; None where so many are none that the rest can't be most of them."""
    found: dict[int, str] = {}
    others = 0
    for at, text in texts.items():
        found[at] = kind = _kind(text)
        others += not kind and at not in across
        if others > (1 - NEARLY_ALL) * len(texts):
            return None
    return found


def _across(rows: Sequence[tuple[int, Row]], place: int) -> set[int]:
    """Rows in which this column's cell is another column's, too; of those that have several places alike."""
    found = set()
    for at, row in rows:
        cell = row.cells[place]
        if cell is not None and sum(other is cell for other in row.cells) > 1:
            found.add(at)
    return found


def _kind(text: str) -> str:
    """Whether a text is a number or a date; "" for others."""
    if read_number(text) is not None:
        return "number"
    return "date" if is_numeric_date(text) or read_date(text) is not None else ""


def notes_of(
    rows: Sequence[Row], texts: Mapping[str, Sequence[str | None]], problems: Sequence[Problem]
) -> list[str]:
    """What names rows that may be no data: with cells that are blank for that, or with a single cell."""
    notes = []
    if blank := sorted({problem.row for problem in problems}):
        columns = ", ".join(repr(name) for name in dict.fromkeys(problem.column for problem in problems))
        notes.append(
            f"{_named(blank, texts)} other things than numbers or dates: blank in {columns}, and in "
            "df.skillbook.report"
        )
    filled = [sum(map(bool, line)) for line in zip(*texts.values(), strict=True)]
    single = [at for at, count in enumerate(filled) if count == 1]
    if single and sorted(filled)[len(filled) // 2] > SEVERAL and len(single) <= max(1, 3 * _FEW * len(rows)):
        notes.append(f"{_named(single, texts)} one thing only: {_they(single)} may be no data")
    firsts = _firsts(texts, len(rows))
    spoken = lexicon.places_that_may_say(("sum", "total"), firsts)
    if sums := [at for at in spoken if _is_sum(firsts[at])]:
        notes.append(f"{_named(sums, texts)} so: {_they(sums)} may sum up the others")
    return [*notes, *_cut_short(texts)]


def _cut_short(texts: Mapping[str, Sequence[str | None]]) -> list[str]:
    """Notes of columns with texts that end with dots, as those do that go on behind "Read more"."""
    notes = []
    for column, column_texts in texts.items():
        cut = sum(
            _CUT.search(text) is not None for text in column_texts if text and ("…" in text or "..." in text)
        )
        if cut:
            ends = counted(cut, "text ends", "texts end")
            notes.append(f"column {column!r}: {ends} with dots, and may go on elsewhere")
    return notes


def _is_sum(first: str) -> bool:
    return lexicon.is_all("total", first) or lexicon.begins("sum", first)


def _they(rows: Sequence[int]) -> str:
    return "it" if len(rows) == 1 else "they"


def _firsts(texts: Mapping[str, Sequence[str | None]], count: int) -> list[str]:
    """What each row says first, after the name of its group."""
    columns = [
        column_texts for place, (name, column_texts) in enumerate(texts.items()) if place or name != GROUP
    ]
    return [next(filter(None, line), "") for line in islice(zip(*columns, strict=True), count)]


def _named(rows: Sequence[int], texts: Mapping[str, Sequence[str | None]]) -> str:
    firsts = _firsts(texts, max(rows) + 1)
    shown = [f"{at} ({quote(firsts[at], 40)})" for at in rows[:MOST_NAMED]]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return f"{'row' if len(rows) == 1 else 'rows'} {', '.join(shown)}{more} {'says' if len(rows) == 1 else 'say'}"
