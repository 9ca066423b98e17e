"""Where a frame's cells came from as plain data, so that another process knows it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey
from skillbook.extraction.frames.row_log import KeptRows, lines_of

if TYPE_CHECKING:
    import pandas as pd


def sources_of(frame: pd.DataFrame | None) -> dict[str, Any] | None:
    """A frame's sources as JSON has them; None where nobody knows them."""
    key = None if frame is None else frame.attrs.get(KEY)
    if not isinstance(key, OriginKey):
        return None
    origin = key.origin
    return {
        "name": origin.name,
        "units": dict(origin.units),
        "rules": dict(origin.rules),
        "lines": list(lines_of(origin)),
    }


def with_sources(frame: pd.DataFrame, data: dict[str, Any]) -> pd.DataFrame:
    """A frame as it was read, with the sources that `sources_of` made of it.

    Raises KeyError, TypeError, ValueError: it made no such data.
    """
    kept = KeptRows.of_lines(data["lines"])
    known = frame.copy()
    known.attrs[KEY] = OriginKey.of(
        Origin(
            tuple(kept.columns),
            tuple(kept.rows),
            name=str(data["name"]),
            units=data["units"],
            rules=data["rules"],
            completeness=kept.completeness,
            run=kept.run,
            values=frame.copy(),
        )
    )
    return known
