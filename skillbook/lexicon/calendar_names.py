"""Names of months and weekdays in the lexicon's languages, from the Unicode CLDR by way of Babel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from skillbook.lexicon.folding import bare
from skillbook.lexicon.table import languages

_LEAST = 3
"""Letters of a short name; "lu" and "su" are too many other things."""


@cache
def months() -> Mapping[str, int]:
    """Each month's names, as `bare` folds them, and its number; names that two languages use differently are left out.

    Examples
    --------
    >>> months()["marz"], months()["oct"], months()["июня"]
    (3, 10, 6)
    """
    return _names("months")


@cache
def weekdays() -> Mapping[str, int]:
    """The same of weekdays; Monday is 0."""
    return _names("days")


def _names(kind: Literal["months", "days"]) -> Mapping[str, int]:
    from babel import Locale

    found: dict[str, set[int]] = {}
    for language in languages():
        contexts = getattr(Locale.parse(language), kind)
        for context in contexts.values():
            for width in ("wide", "abbreviated"):
                for number, name in context[width].items():
                    found.setdefault(bare(name).rstrip("."), set()).add(number)
    return {
        name: number
        for name, (number, *others) in found.items()
        if not others
        and not any(char.isdigit() for char in name)
        and (len(name) >= _LEAST or not name.isascii())
    }
