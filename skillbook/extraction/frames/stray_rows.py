"""Rows that are none of the others' kind — an advert, a heading, units, a sum — don't decide a column's type.

Such a row stays. It is blank in the columns of numbers and dates that it says something else in, and a note names it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from skillbook import lexicon
from skillbook.extraction.frames.date_columns import is_numeric_date, read_date
from skillbook.extraction.frames.dtypes import blanks_in, names_codes
from skillbook.extraction.frames.number_texts import read_number
from skillbook.extraction.frames.problems import Problem
from skillbook.perception.collections import GROUP, Row
from skillbook.perception.collections.measures import MOST_NAMED, NEARLY_ALL, SEVERAL
from skillbook.perception.escape import quote
from skillbook.perception.nodes.cards import FEWEST

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
        if names_codes(column):
            continue
        blanks = blanks_in(filter(None, column_texts))
        there = {at: text for at, text in enumerate(column_texts) if text and text not in blanks}
        if column in read:
            fitting.update(there if len(there) >= FEWEST else ())
            continue
        if (measured := _kinds(there, across[column])) is None:
            continue
        alone = [kind for at, kind in measured.items() if kind or at not in across[column]]
        best = max(set(alone) - {""}, key=alone.count, default="")
        if not best or alone.count(best) < max(FEWEST, NEARLY_ALL * len(alone)):
            continue
        fitting |= {at for at, kind in measured.items() if kind == best}
        if others := {at for at, kind in measured.items() if not kind}:
            odd[column] = others
    counts: dict[int, int] = {}
    for ats in odd.values():
        for at in ats - fitting:
            counts[at] = counts.get(at, 0) + 1
    strays = {at for at, count in counts.items() if count >= SEVERAL}
    strays = strays if len(strays) <= max(1, _FEW * len(rows)) else set()
    found = {column: ats & (strays | across[column]) for column, ats in odd.items()}
    return Strays({column: ats for column, ats in found.items() if ats})


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
            ends = "1 text ends" if cut == 1 else f"{cut:,} texts end"
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
