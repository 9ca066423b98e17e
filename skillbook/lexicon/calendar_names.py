"""Names of months and weekdays in the lexicon's languages, from the Unicode CLDR by way of Babel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from skillbook.lexicon.folding import bare, fold
from skillbook.lexicon.table import languages

_LEAST = 3
"""Letters of a short name; "lu" and "su" are too many other things."""


@cache
def months(language: str | None = None, *, short: bool = False) -> Mapping[str, int]:
    """The months' names with and without accents, folded, and their numbers.

    Names that two languages use differently are left out.

    Parameters
    ----------
    language : a code such as "de"; all languages by default.
    short : whether abbreviations count; many are other words too ("pro" is December in Czech).

    Examples
    --------
    >>> months()["märz"], months()["июня"], months("en", short=True)["oct"]
    (3, 6, 10)
    """
    return _names("months", language, short)


@cache
def weekdays(language: str | None = None, *, short: bool = False) -> Mapping[str, int]:
    """The same of weekdays; Monday is 0."""
    return _names("days", language, short)


def _names(kind: Literal["months", "days"], language: str | None, short: bool) -> Mapping[str, int]:
    from babel import Locale

    found: dict[str, set[int]] = {}
    for code in [language] if language else languages():
        for context in getattr(Locale.parse(code), kind).values():
            for width in ("wide", "abbreviated") if short else ("wide",):
                for number, name in context[width].items():
                    for form in (fold(name), bare(name)):
                        found.setdefault(form.rstrip("."), set()).add(number)
    return {
        name: number
        for name, (number, *others) in found.items()
        if not others
        and not any(char.isdigit() for char in name)
        and (len(name) >= _LEAST or not name.isascii())
    }
