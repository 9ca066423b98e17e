"""Columns of JSON values as what they are: nothing has to be read out of texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.extraction.frames.dtypes import Typed
from skillbook.extraction.json_answers.json_rows import Scalar

if TYPE_CHECKING:
    import pandas as pd

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")


def typed_values(values: Sequence[Scalar]) -> Typed:
    """A column of JSON values; ISO dates become dates, and values of several kinds texts."""
    return Typed(_series(values))


def _series(values: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    given = [value for value in values if value is not None]
    kinds = {type(value) for value in given}
    is_whole = len(given) == len(values)
    if kinds == {bool}:
        return pd.Series(values, dtype="bool" if is_whole else "boolean")
    if kinds == {int} and max(abs(int(value)) for value in given) < 2**63:
        return pd.Series(values, dtype="int64" if is_whole else "Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    if kinds == {str} and all(_DAY.fullmatch(str(value)) for value in given):
        dates = pd.to_datetime(pd.Series(values), errors="coerce", format="ISO8601", utc=_has_zone(given))
        if dates.notna().sum() == len(given):
            return dates
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pd.Series(texts, dtype="str")


def _has_zone(values: Sequence[Scalar]) -> bool:
    return any(re.search(r"(?:Z|[+-]\d{2}:?\d{2})$", str(value)[10:]) for value in values)
