"""What the words of a goal say: beside itself, in any language, and the day, month or year that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache

from skillbook import lexicon
from skillbook.perception.action_intent import action_intent
from skillbook.perception.escape import clean


def goal_itself(goal: str) -> str:
    """A goal, folded, without "please" and what joins it to the one before."""
    return re.sub(f"^{before_goal()}", "", lexicon.fold(clean(goal)))


@cache
def before_goal() -> str:
    """What may stand before a goal, as a part of a regular expression."""
    return rf"(?:{lexicon.alternation('polite', 'then')}[ ,]+(?=\S))*"


_WORD = re.compile(r"\w+")
_SECTION = re.compile(r"^\s*(?:chapter\s+)?\d+(?:\.\d+)*[.):]?\s+", re.IGNORECASE)
_LEAST_STEM = 4
_OTHER_WORD = 0.8


@lru_cache(maxsize=4096)
def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that say something, folded, without "'s"."""
    found = _WORD.findall(re.sub(r"'s\b", "", lexicon.fold(clean(text))))
    return tuple(word for word in found if word not in _small_words())


@cache
def _small_words() -> frozenset[str]:
    return frozenset(lexicon.words("small_word"))


def covers(text: str, wanted: str) -> bool:
    """Whether a text has every content word of another, in whatever form."""
    words = content_words(wanted)
    return bool(words) and all(_has(text, word) for word in words)


def likeness(text: str, wanted: str) -> float:
    """The share of another text's content words that a text has; a word for the same thing counts a little less."""
    words = content_words(wanted)
    return (
        sum(max(_has(text, word), _OTHER_WORD * _means(text, word)) for word in words) / len(words)
        if words
        else 0.0
    )


def exactness(text: str, wanted: str) -> float:
    """How much of a text is another's content words, from 0 to 1; 0 where it doesn't have them all.

    Numbers of sections count neither for nor against: "4. README" is "README".
    """
    if not covers(text, wanted):
        return 0.0
    words = set(content_words(wanted))
    text_words = [word for word in content_words(_SECTION.sub("", clean(text))) if word]
    extra = sum(not any(_alike(word, one) for one in words) for word in text_words)
    return round(len(words) / (len(words) + extra), 4)


def _means(text: str, word: str) -> bool:
    """Whether a text has another word for it, in whatever language."""
    kind = _kind(word)
    return kind is not None and any(_kind(part) == kind for part in content_words(text))


@lru_cache(maxsize=4096)
def _kind(word: str) -> str | None:
    return action_intent(word)


def _has(text: str, word: str) -> bool:
    return any(_alike(part, word) for part in content_words(text)) or (
        not word.isascii() and word in lexicon.fold(clean(text))
    )


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: equal, or the same but for a short ending; a number is only itself."""
    if one == other:
        return True
    if any(letter.isdigit() for letter in one + other):
        return False
    short, long = sorted((one, other), key=len)
    shared = len(short) - (1 if short.endswith(("e", "y", "s")) else 0)
    return len(short) >= _LEAST_STEM and long.startswith(short[:shared]) and len(long) - shared <= 3


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
    folded = lexicon.fold(clean(text))
    for hit in lexicon.find(folded, is_goal=True):
        if hit.meaning in _RELATIVE:
            return _RELATIVE[hit.meaning](today), _without(folded, hit.start, hit.end)
    for match, period in _matches(folded):
        return period, _without(folded, *match.span())
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


def _matches(folded: str) -> list[tuple[re.Match[str], Period]]:
    found: list[tuple[re.Match[str], Period]] = []
    taken: list[range] = []
    for pattern in _patterns():
        for match in pattern.finditer(folded):
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


def _without(folded: str, start: int, end: int) -> str:
    after = re.sub(r"^'s\b", "", folded[end:])
    return clean(f"{folded[:start]} {after}")


def _month_before(today: date) -> Period:
    last = today.replace(day=1) - timedelta(1)
    return Period(last.year, last.month)


def _day(day: date) -> Period:
    return Period(day.year, day.month, day.day)
