"""How numbers and dates are written: dates in texts, and how to read what can be read in two ways, by the page."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from skillbook import lexicon
from skillbook.errors import ExtractionError
from skillbook.perception.escape import LONGEST_NAME

if TYPE_CHECKING:
    import pandas as pd


_SEVERAL_POINTS = {"es"}
"""Languages whose countries don't agree on the decimal point: without a country they say nothing about it."""
_SEVERAL_ORDERS = {"en"}
"""Languages whose countries don't agree on day and month."""


@dataclass(frozen=True)
class Habit:
    """One way to write, and what shows it, in words."""

    value: str
    why: str
    from_language: bool = False


@dataclass(frozen=True)
class Notation:
    """How numbers and dates are written; None where nothing shows it.

    first: what numeric dates such as 03/04/2025 begin with: `day` or `month`.
    """

    decimal_point: Habit | None = None
    first: Habit | None = None

    def with_shown(self, points: Iterable[str], orders: Iterable[str]) -> Notation:
        """The same, where what columns show beyond doubt counts more; columns that differ show nothing."""
        return Notation(_agreed(points) or self.decimal_point, _agreed(orders) or self.first)


@dataclass(frozen=True)
class NotationGiven:
    """What the caller says of how a page writes values.

    decimal_point: `.` or `,`; None where that is found by itself.
    blanks: more texts that stand for no value.
    """

    decimal_point: str | None = None
    blanks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, thousands: str | None, na_values: Sequence[str]) -> NotationGiven:
        """From the caller's `thousands` and `na_values`.

        Raises ExtractionError: thousands are separated by something else than a point or a comma.
        """
        if thousands not in {None, ".", ","}:
            raise ExtractionError(
                f"thousands={thousands!r}", hint="give '.' or ','; blanks and apostrophes are known"
            )
        point = None if thousands is None else "," if thousands == "." else "."
        values = [na_values] if isinstance(na_values, str) else na_values
        return cls(point, frozenset(value.strip() for value in values))

    def without_blanks(self, texts: Sequence[str | None]) -> list[str | None]:
        """A column's texts without those that stand for no value."""
        if not self.blanks:
            return list(texts)
        return [None if text is None or text.strip() in self.blanks else text for text in texts]

    def or_shown(self, shown: Notation) -> Notation:
        """What the caller says, else what the page shows."""
        return (
            shown
            if self.decimal_point is None
            else Notation(Habit(self.decimal_point, "as given"), shown.first)
        )


def _agreed(found: Iterable[str]) -> Habit | None:
    several = set(found)
    return Habit(several.pop(), "as in another column") if len(several) == 1 else None


@lru_cache(maxsize=64)
def notation_of(lang: str) -> Notation:
    """How a language writes numbers and dates.

    lang: a tag (BCP 47) such as `de-AT`; what is none, or "", gives nothing.
    """
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(lang.replace("_", "-"), sep="-")
    except (ValueError, UnknownLocaleError):
        return Notation()
    why = f"the page's language is {locale.english_name}"
    alone = locale.language if not locale.territory else ""
    point = "." if locale.language == "en" else locale.number_symbols["latn"]["decimal"]
    pattern = locale.date_formats["short"].pattern.lstrip("'")
    first = {"d": "day", "m": "month"}.get(pattern[:1].casefold())
    return Notation(
        Habit(point, why, from_language=True)
        if point in {".", ","} and alone not in _SEVERAL_POINTS
        else None,
        Habit(first, why, from_language=True) if first and alone not in _SEVERAL_ORDERS else None,
    )


_LONGEST_ARTICLE = 3  # letters of what may stand before a day: "the", "den"
_WORD = r"(?P<month>[^\W\d_]+(?:\u0301[^\W\d_]*)?)\.?"
_DAY = r"(?P<day>\d{1,2})(?:\s?(?:er|re|e|st|nd|rd|th|º|ª|°)(?![^\W\d]))?\.?"
_YEAR = r"(?P<year>\d{4})"
_YEAR_IN = re.compile(r"\d{4}")  # every form below has one
_BEFORE = r"(?P<before>(?:[^\W\d_]+[.,]{0,2}\s+){0,2})"
_TIME = (
    r"(?:,?\s+(?:[^\W\d_]{1,3}\.?\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?)?\Z"
)


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    of = rf"(?:\s*[-/ ]\s*|\s+{lexicon.alternation('of')}\s+|\s*)"
    day, month, year = (lexicon.alternation(name) for name in ("day_word", "month_word", "year_word"))
    before = rf"(?P<before>(?:(?!{day})[^\W\d_]+[.,]{{0,2}}\s+){{0,2}})"
    texts = (
        rf"{_BEFORE}{_DAY}{of}{_WORD},?{of}{_YEAR}(?:\s*{lexicon.alternation('year_mark')}\.?)?",
        rf"{_BEFORE}{_WORD}[-\s]\s*{_DAY}(?:,?\s+|-){_YEAR}",
        rf"{_YEAR}\.?[-\s]\s*{_WORD}[-\s]\s*{_DAY}",
        rf"{_YEAR}\s*[年년]\s*(?P<number>\d{{1,2}})\s*[月월]\s*(?P<day>\d{{1,2}})\s*[日일]",
        rf"{before}(?:{day}\s+)?{_DAY}\s+{month}\s+(?P<number>\d{{1,2}}),?\s+(?:{year}\s+)?{_YEAR}",
        rf"{_YEAR}(?P<sign>[-/])(?P<number>\d{{1,2}})(?P=sign)(?P<day>\d{{1,2}})",
        rf"{_YEAR}\.\s(?P<number>\d{{1,2}})\.\s(?P<day>\d{{1,2}})\.",
    )
    return tuple(re.compile(text + _TIME, re.I) for text in texts)


@cache
def _months() -> dict[str, int]:
    """Full and short names of months without accents and dots; those that mean several are left out."""
    from babel import Locale, UnknownLocaleError

    found: dict[str, set[int]] = {"sept": {9}}
    for language in lexicon.languages():
        try:
            months = Locale.parse(language).months
        except (ValueError, UnknownLocaleError):
            continue
        for kind in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in months[kind][width].items():
                    found.setdefault(lexicon.bare(name).replace(".", ""), set()).add(number)
    return {
        name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1 and not name.isdigit()
    }


def read_date(text: str) -> datetime.datetime | None:
    """One date in words, or that begins with the year; None where the text is none."""
    text = text.strip()
    if (
        not _YEAR_IN.search(text)
        or len(text) > LONGEST_NAME
        or (not text[-1:].isalnum() and text[-1:] != ".")
    ):
        return None
    for form in _forms():
        match = form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        month = (
            int(parts["number"])
            if "number" in parts
            else _months().get(lexicon.bare(parts["month"]).replace(".", ""))
        )
        if not _may_come_before(parts.get("before") or ""):
            continue
        try:
            return datetime.datetime(int(parts["year"]), month or 0, int(parts["day"]), *_time(parts))
        except ValueError:
            continue
    return None


def _may_come_before(text: str) -> bool:
    """Whether the words before a date belong to it: weekdays and articles."""
    words = [lexicon.bare(word.strip(".,")) for word in text.split()]
    known = lexicon.weekdays(short=True)
    return " ".join(words) in known or all(len(word) <= _LONGEST_ARTICLE or word in known for word in words)


def _time(parts: Mapping[str, str | None]) -> tuple[int, int, int]:
    """Hours, minutes and seconds."""
    hour = int(parts["hour"] or 0)
    if half := parts["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + 12 * (half.casefold() == "p")
    return hour, int(parts["minute"] or 0), int(parts["second"] or 0)


def read_dates(texts: Sequence[str | None]) -> list[datetime.datetime | None] | None:
    """Dates in words; None where one of the texts that aren't blank is none."""
    found: list[datetime.datetime | None] = []
    for text in texts:
        one = read_date(text) if text and text.strip() else None
        if one is None and text and text.strip():
            return None
        found.append(one)
    return found if any(found) else None


_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?\Z")
NUMERIC_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\Z")


def dates_of(
    texts: Sequence[str | None], filled: Sequence[str], notation: Notation
) -> tuple[pd.Series[Any], str] | None:
    """A column of dates, and the rule that they were read by; texts if they can be two days, None if they are none."""
    found = _sure_dates(texts, filled)
    return _numeric_dates(texts, filled, notation) if found is None else (found, "")


def _sure_dates(texts: Sequence[str | None], filled: Sequence[str]) -> pd.Series[Any] | None:
    import pandas as pd

    if filled and all(_ISO.match(text.strip()) for text in filled):
        try:
            values = pd.to_datetime(
                pd.Series([text or None for text in texts], dtype="str"), format="ISO8601"
            )
        except ValueError:
            return None
        is_date = isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M"
        return values if is_date else None
    found = read_dates(texts)
    return None if found is None else pd.to_datetime(pd.Series(found))


def is_numeric_date(text: str) -> bool:
    """Whether a text is a date in digits: 2024-12-31, 31.12.2024, 12/31/2024."""
    return bool(_ISO.match(text.strip()) or NUMERIC_DATE.match(text.strip()))


def order_shown(dates: Sequence[re.Match[str]]) -> str | None:
    """What numeric dates begin with: "day" or "month"; "" where they contradict each other, None where none shows."""
    shown = {
        "day" if int(match[1]) > 12 else "month" for match in dates if max(int(match[1]), int(match[3])) > 12
    }
    return None if not shown else shown.pop() if len(shown) == 1 else ""


def _numeric_dates(
    texts: Sequence[str | None], filled: Sequence[str], notation: Notation
) -> tuple[pd.Series[Any], str] | None:
    """Dates such as 31.12.2024 and 12/31/2024; where nothing shows which is the day, text that says so."""
    import pandas as pd

    read: list[re.Match[str]] = []
    for text in filled:
        if (match := NUMERIC_DATE.match(text.strip())) is None:
            return None
        read.append(match)
    if len({match[2] for match in read}) != 1:
        return None
    separator = read[0][2]
    order = "day" if separator == "." else order_shown(read)
    if order == "":
        return None
    rule = f"{order} first"
    if order is None and notation.first is not None:
        order = notation.first.value
        rule = f"{order} first: {notation.first.why}"
    if order is None:
        rule = f"ambiguous: {filled[0].strip()!r} may have its day or its month first, and no date here shows which"
        return pd.Series(list(texts), dtype="str"), rule
    form = separator.join(("%d", "%m", "%Y") if order == "day" else ("%m", "%d", "%Y"))
    try:
        values = pd.to_datetime(
            pd.Series([text or None for text in texts], dtype="str").str.strip(), format=form
        )
    except ValueError:
        return None
    return values, rule
