"""Other ways in which a page shows a value that was typed: dates in words, numbers with separators and decimals."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from skillbook import lexicon
from skillbook.perception.escape import clean

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?")
_DATES = ("short", "medium", "long", "full", "MMMM d", "d MMMM", "MMM d", "d MMM", "MM/dd/yyyy", "dd.MM.yyyy")
_NUMBERS = ("#,##0.##", "#,##0.00", "0.00")
_ALWAYS = ("en_US", "en_GB")
_LEAST = 4
"""Shorter ones are other things, too."""


@cache
def renderings(value: str, language: str = "") -> frozenset[str]:
    """What a page may show for a value, folded; without the value itself, and empty for a text.

    Parameters
    ----------
    language : the page's, such as `de-AT`.
    """
    from babel import Locale, UnknownLocaleError
    from babel.dates import format_date
    from babel.numbers import format_decimal

    day, number = _day(value), _NUMBER.fullmatch(value)
    shown: set[str] = set()
    for name in dict.fromkeys((language.replace("-", "_"), *_ALWAYS)):
        try:
            locale = Locale.parse(name)
        except (ValueError, UnknownLocaleError):
            continue
        if day is not None:
            shown |= {format_date(day, kind, locale=locale) for kind in _DATES}
        elif number is not None:
            shown |= {format_decimal(value, kind, locale=locale) for kind in _NUMBERS}
    folded = {lexicon.fold(clean(text)) for text in shown}
    return frozenset(text for text in folded if len(text) >= _LEAST and text != lexicon.fold(value))


def _day(value: str) -> date | None:
    found = _DATE.fullmatch(value)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def shows_otherwise(text: str, value: str, language: str = "") -> bool:
    """Whether a text has a value in it in another way than it was typed."""
    folded = lexicon.fold(clean(text))
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", folded) for one in renderings(value, language))
