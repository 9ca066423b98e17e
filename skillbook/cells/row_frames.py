"""Rows that code made of rows that were read, as a frame that knows where each value came from, if that is certain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.cells.traced_rows import RowPlace, trace_rows
from skillbook.cells.written_keys import written_keys
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.composed_frames import CellOrigin, compose_frame, same_source
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMED = 5

Rows = list[dict[str, Any]]
Reading = tuple[Rows, Origin | None]
"""Rows as the code got them, and where they came from, if that is known."""


def are_rows(value: Any) -> bool:
    """Whether a value is rows: a list of dicts that aren't empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def origin_of_frame(frame: Any) -> Origin | None:
    """Where a frame's rows came from; None where it isn't known."""
    key = None if frame is None else frame.attrs.get(KEY)
    return key.origin if isinstance(key, OriginKey) else None


def frame_of_rows(value: Any, read: Sequence[Reading], codes: Iterable[str]) -> pd.DataFrame | None:
    """The rows that code ended with; None where it ended with something else, or none of them was read.

    Parameters
    ----------
    value : what the code ended with.
    read : the rows of each extraction before that.
    codes : all that the code is.
    """
    if not are_rows(value):
        return None
    traced = trace_rows(value, [rows for rows, _ in read], written_keys(codes))
    if not any(traced):
        return None
    origins = [origin for _, origin in read]
    columns = list(dict.fromkeys(key for row in value for key in row))
    sources = {name: [_certain(row.get(name, []), origins) for row in traced] for name in columns}
    kept = {name: column for name, column in sources.items() if any(column)}
    return compose_frame(_values(value, sources), kept, _completeness(value, sources, read, traced))


def _certain(places: Sequence[RowPlace], origins: Sequence[Origin | None]) -> CellOrigin | None:
    """Where a value came from, if all that it can be are one element; else None."""
    found: list[CellOrigin] = []
    for place in places:
        origin = origins[place.reading]
        if origin is None or place.column not in origin.columns:
            return None
        found.append(CellOrigin(origin, place.row, place.column))
    if not found or not all(same_source(found[-1], each) for each in found[:-1]):
        return None
    return found[-1] if found[-1].origin.source(found[-1].row, found[-1].column) is not None else None


def _values(rows: Rows, sources: Mapping[str, Sequence[CellOrigin | None]]) -> pd.DataFrame:
    """The values; a column that is one that was extracted has its type, such as dates."""
    import pandas as pd

    series: dict[str, Any] = {}
    for name, column in sources.items():
        first = column[0]
        one = first is not None and all(
            each is not None and (each.origin is first.origin and each.column == first.column)
            for each in column
        )
        if one and first is not None:
            places = [each.row for each in column if each is not None]
            series[name] = first.origin.values[first.column].iloc[places].reset_index(drop=True)
        else:
            series[name] = pd.Series([row.get(name) for row in rows])
    return pd.DataFrame(series, index=pd.RangeIndex(len(rows)))


def _completeness(
    rows: Rows,
    sources: Mapping[str, Sequence[CellOrigin | None]],
    read: Sequence[Reading],
    traced: Sequence[Mapping[str, Sequence[RowPlace]]],
) -> Completeness:
    """What is to be said of the rows: of how many they are, and which have no source."""
    kept = {(id(each.origin), each.row) for column in sources.values() for each in column if each is not None}
    whose = {origin for origin, _ in kept}
    used = [at for at, (_, origin) in enumerate(read) if id(origin) in whose] or sorted(
        {place.reading for row in traced for places in row.values() for place in places}
    )
    count = sum(len(read[at][0]) for at in used)
    origins = [origin for at in used if (origin := read[at][1]) is not None]
    more = next((each.completeness.reason for each in origins if not each.completeness.complete), "")
    all_read = len(rows) == len(kept) == count
    if all_read:
        said = f"the {count:,} rows that were read"
    elif len(used) > 1 or len(rows) >= count:
        said = f"made by code of the {count:,} rows that were read"
    else:
        said = f"a part: {len(rows):,} of the {count:,} rows that were read"
    unsure = [at for at in range(len(rows)) if not any(column[at] for column in sources.values())]
    without = [name for name, column in sources.items() if not any(column)]
    return Completeness(
        all_read and not more,
        "; ".join(filter(None, [said, f"the page has more: {more}" if more else ""])),
        notes=[
            *([f"{len(unsure):,} rows have no certain source: {_named(unsure)}"] if unsure else []),
            *([f"columns without a source: {_named(without)}"] if without else []),
        ],
    )


def _named(names: Sequence[object]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(repr, names[:_MOST_NAMED])) + more
