"""The day, month or year that a goal names: "last month's invoice", "statement of March 2025"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from skillbook.perception.escape import clean
from skillbook.perception.summary.kind_words import word_pattern

_MONTHS = (
    "january januar janvier enero gennaio janeiro januari styczeń",
    "february februar février febrero febbraio fevereiro februari luty",
    "march märz mars marzo março maart marzec",
    "april avril abril aprile kwiecień",
    "may mai mayo maggio maio mei maj",
    "june juni juin junio giugno junho czerwiec",
    "july juli juillet julio luglio julho lipiec",
    "august août agosto augustus augusti sierpień",
    "september septembre septiembre settembre setembro wrzesień",
    "october oktober octobre octubre ottobre outubro październik",
    "november novembre noviembre novembro listopad",
    "december dezember décembre diciembre dicembre dezembro grudzień",
)
_NAMES = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_SHORT = {name[:3]: number for number, names in enumerate(_MONTHS, 1) for name in names.split()[:1]}
_RELATIVE: dict[str, Callable[[date], Period]] = {
    "last month|previous month|letzt* monat*|vorig* monat*|mois dernier|dernier mois|mes pasado|último mes|mese scorso|"
    "mês passado|vorige maand|zeszł* miesiąc*|förra månaden|прошл* месяц*|先月|上个月|지난달": lambda today: (
        _month_before(today)
    ),
    "this month|current month|dies* monat*|ce mois|este mes|questo mese|este mês|deze maand|今月|这个月|本月": (
        lambda today: Period(today.year, today.month)
    ),
    "last year|previous year|letzt* jahr*|année dernière|an dernier|año pasado|anno scorso|ano passado|vorig jaar|"
    "прошл* год*|去年|작년": lambda today: Period(today.year - 1),
    "this year|current year|dies* jahr*|cette année|este año|quest'anno|este ano|dit jaar|今年|올해": (
        lambda today: Period(today.year)
    ),
    "yesterday|gestern|hier|ayer|ieri|ontem|gisteren|вчера|昨日|昨天|어제": lambda today: _day(
        today - timedelta(1)
    ),
    "today|heute|aujourd'hui|hoy|oggi|hoje|vandaag|сегодня|今日|今天|오늘": lambda today: _day(today),
}


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
    said = clean(text).casefold()
    for words, of in _RELATIVE.items():
        found = word_pattern(words.split("|")).search(said)
        if found:
            return of(today), _without(said, found)
    for match, period in _matches(said):
        return period, _without(said, match)
    return None, clean(text)


def is_relative(text: str) -> bool:
    """Whether a text names a time by the present day, as "last month" does."""
    return period_in(text, date(2001, 5, 15))[0] != period_in(text, date(2003, 8, 20))[0]


def dates_in(text: str) -> list[Period]:
    """The dates that a text names, where there is one way to read them."""
    return [period for _, period in _matches(clean(text).casefold())]


_NAME = "|".join(sorted([*_NAMES, *_SHORT], key=len, reverse=True))
_FORMS = (
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
    r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})",
    r"(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>\d{4})",
    r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?",
    rf"(?P<d>\d{{1,2}})\.?(?:st|nd|rd|th)?(?: of| de)? (?P<n>{_NAME})\.?,?(?: de)? (?P<y>\d{{4}})",
    rf"(?P<n>{_NAME})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})",
    rf"(?P<n>{_NAME})\.?,?(?: de)? (?P<y>\d{{4}})",
    r"(?P<y>\d{4})[-/](?P<m>\d{1,2})",
    r"(?P<m>\d{1,2})/(?P<y>\d{4})",
    r"(?P<y>(?:19|20)\d{2})",
)
_PATTERNS = [re.compile(rf"(?<![\w.-]){form}(?![\w-])") for form in _FORMS]


def _matches(said: str) -> list[tuple[re.Match[str], Period]]:
    found: list[tuple[re.Match[str], Period]] = []
    taken: list[range] = []
    for pattern in _PATTERNS:
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
        name = str(parts["n"])
        month = str(_NAMES.get(name) or _SHORT[name])
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


def _without(said: str, match: re.Match[str]) -> str:
    after = re.sub(r"^['’]s\b", "", said[match.end() :])
    return clean(f"{said[: match.start()]} {after}")


def _month_before(today: date) -> Period:
    last = today.replace(day=1) - timedelta(1)
    return Period(last.year, last.month)


def _day(day: date) -> Period:
    return Period(day.year, day.month, day.day)
