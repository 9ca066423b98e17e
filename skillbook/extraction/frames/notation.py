"""How a page writes numbers and dates where they can be read in two ways: by its language, or what else it shows.

Source: the locale data of Unicode's CLDR, as Babel has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from skillbook.errors import ExtractionError

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
