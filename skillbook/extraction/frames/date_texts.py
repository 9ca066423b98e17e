"""Dates in words, in the languages that Babel knows, and with the year first: "Sept. 14, 1999", "2021年3月4日"."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from functools import cache

from skillbook import lexicon

_HALF_A_DAY = 12  # hours
_LONGEST = 50  # characters
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
    if not _YEAR_IN.search(text) or len(text) > _LONGEST or (not text[-1:].isalnum() and text[-1:] != "."):
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
        if not 1 <= hour <= _HALF_A_DAY:
            raise ValueError(hour)
        hour = hour % _HALF_A_DAY + _HALF_A_DAY * (half.casefold() == "p")
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
