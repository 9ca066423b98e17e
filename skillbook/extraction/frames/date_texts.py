"""Dates in words, in the languages that Babel knows: "Sept. 14, 1999", "3. März 2021", "2021年3月4日"."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import cache

from skillbook import lexicon

_LONGEST = 40  # characters
_WORD = r"(?P<month>[^\W\d_]+(?:\u0301[^\W\d_]*)?)\.?"
_DAY = r"(?P<day>\d{1,2})(?:\s?(?:er|re|e|st|nd|rd|th|º|ª|°)(?![^\W\d]))?\.?"
_OF = r"(?:\s*[-/ ]\s*|\s+(?:de|del|of|d['’])\s*|\s*)"
_WEEKDAY = r"(?:[^\W\d_]+\.?,?\s+)?"
_FORMS = (
    re.compile(rf"{_WEEKDAY}{_DAY}{_OF}{_WORD},?{_OF}(?P<year>\d{{4}})(?:\s*(?:г\.?|р\.?|r\.?))?\Z", re.I),
    re.compile(rf"{_WEEKDAY}{_WORD}\s+{_DAY},?\s+(?P<year>\d{{4}})\Z", re.I),
    re.compile(r"(?P<year>\d{4})\s*[年년]\s*(?P<number>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日일]\Z"),
)


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
    """One date in words; None where the text is none."""
    text = text.strip()
    if len(text) > _LONGEST or (not text[-1:].isalnum() and text[-1:] not in ".日일"):
        return None
    for form in _FORMS:
        match = form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        month = (
            int(parts["number"])
            if "number" in parts
            else _months().get(lexicon.bare(parts["month"]).replace(".", ""))
        )
        try:
            return datetime.datetime(int(parts["year"]), month or 0, int(parts["day"]))
        except ValueError:
            continue
    return None


def read_dates(texts: Sequence[str | None]) -> list[datetime.datetime | None] | None:
    """Dates in words; None where one of the texts that aren't blank is none."""
    found = [read_date(text) if text and text.strip() else None for text in texts]
    if not any(found) or any(
        text and text.strip() and not one for text, one in zip(texts, found, strict=True)
    ):
        return None
    return found
