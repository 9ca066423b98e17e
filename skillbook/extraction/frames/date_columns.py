"""Columns of dates: ISO, in words, and in digits if something shows which is the day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.extraction.frames.date_texts import read_dates
from skillbook.extraction.frames.notation import Notation

if TYPE_CHECKING:
    import pandas as pd

_MONTHS = 12
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
        "day" if int(match[1]) > _MONTHS else "month"
        for match in dates
        if max(int(match[1]), int(match[3])) > _MONTHS
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
