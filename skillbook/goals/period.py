"""The day, month or year that a goal names: "last month's invoice", "statement of March 2025"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from skillbook import lexicon
from skillbook.perception.escape import clean

_RELATIVE: dict[str, Callable[[date], Period]] = {
    "last_month": lambda today: _month_before(today),
    "this_month": lambda today: Period(today.year, today.month),
    "last_year": lambda today: Period(today.year - 1),
    "this_year": lambda today: Period(today.year),
    "yesterday": lambda today: _day(today - timedelta(1)),
    "today": lambda today: _day(today),
}
"""Meanings in the lexicon, and the time that each names."""


@dataclass(frozen=True)
class Period:
    """A year, a month of it, or a day of that."""

    year: int
    month: int | None = None
    day: int | None = None

    def shown_in(self, text: str) -> bool:
        """Whether a text names a date in the period; a date whose day and month could be swapped doesn't count.

        Where the period is a day or a month and the text names several dates, one of them is enough.
        """
        return any(self._has(found) for found in dates_in(text))

    def _has(self, other: Period) -> bool:
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(one is None or one == two for one, two in zip(mine, theirs, strict=True))

    def __str__(self) -> str:
        return "-".join(f"{part:02}" for part in (self.year, self.month, self.day) if part is not None)


def period_in(text: str, today: date) -> tuple[Period | None, str]:
    """The period that a goal names, and the goal's text without it."""
    said = lexicon.fold(clean(text))
    for hit in lexicon.find(said, is_goal=True):
        if hit.meaning in _RELATIVE:
            return _RELATIVE[hit.meaning](today), _without(said, hit.start, hit.end)
    for match, period in _matches(said):
        return period, _without(said, *match.span())
    return None, clean(text)


def is_relative(text: str) -> bool:
    """Whether a text names a time by the present day, as "last month" does."""
    return period_in(text, date(2001, 5, 15))[0] != period_in(text, date(2003, 8, 20))[0]


def dates_in(text: str) -> list[Period]:
    """The dates that a text names, where there is one way to read them."""
    return [period for _, period in _matches(lexicon.fold(clean(text)))]


_FORMS = (
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
    r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})",
    r"(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>\d{4})",
    r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?",
    r"(?P<d>\d{1,2})\.?(?:st|nd|rd|th)?(?: of| de)? (?P<n>NAME)\.?,?(?: de)? (?P<y>\d{4})",
    r"(?P<n>NAME)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})",
    r"(?P<n>NAME)\.?,?(?: de)? (?P<y>\d{4})",
    r"(?P<y>\d{4})[-/](?P<m>\d{1,2})",
    r"(?P<m>\d{1,2})/(?P<y>\d{4})",
    r"(?P<y>(?:19|20)\d{2})",
)


@cache
def _months() -> Mapping[str, int]:
    return {**lexicon.months("en", short=True), **lexicon.months()}


@cache
def _patterns() -> Sequence[re.Pattern[str]]:
    names = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    return [re.compile(rf"(?<![\w.-]){form.replace('NAME', names)}(?![\w-])") for form in _FORMS]


def _matches(said: str) -> list[tuple[re.Match[str], Period]]:
    found: list[tuple[re.Match[str], Period]] = []
    taken: list[range] = []
    for pattern in _patterns():
        for match in pattern.finditer(said):
            if any(match.start() in span or match.end() - 1 in span for span in taken):
                continue
            taken.append(range(*match.span()))
            period = _read(match.groupdict())
            if period is not None:
                found.append((match, period))
    return found


def _read(parts: dict[str, str | None]) -> Period | None:
    year, month, day = int(parts["y"] or 0), parts.get("m"), parts.get("d")
    if parts.get("n"):
        month = str(_months()[str(parts["n"])])
    if parts.get("a"):
        one, two = int(parts["a"] or 0), int(parts["b"] or 0)
        if one != two and one <= 12 and two <= 12:
            return Period(year)
        month, day = (str(two), str(one)) if one > 12 else (str(one), str(two))
    try:
        date(year, int(month or 1), int(day or 1))
    except ValueError:
        return None
    return Period(year, int(month) if month else None, int(day) if day else None)


def _without(said: str, start: int, end: int) -> str:
    after = re.sub(r"^'s\b", "", said[end:])
    return clean(f"{said[:start]} {after}")


def _month_before(today: date) -> Period:
    last = today.replace(day=1) - timedelta(1)
    return Period(last.year, last.month)


def _day(day: date) -> Period:
    return Period(day.year, day.month, day.day)
