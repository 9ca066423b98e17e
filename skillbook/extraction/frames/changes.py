"""What differs between two reads of the same rows, by key."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.extraction.frames.provenance import KEY, OriginKey

_LINES = ("change", "column", "before", "after")


def changes(frame: pd.DataFrame, older: pd.DataFrame, key: str | Sequence[str] | None) -> pd.DataFrame:
    """One line for each added or removed row and each changed cell; see `df.skillbook.changes`.

    Raises ExtractionError: no such key, or rows that it doesn't tell apart.
    """
    keys = _keys(frame, older, key)
    now, before = _by_key(frame, keys, "newer"), _by_key(older, keys, "older")
    shared = [column for column in frame.columns if column in older.columns and column not in keys]
    lines: list[dict[str, Any]] = []
    for name, row in now.items():
        head = dict(zip(keys, name, strict=True))
        if name not in before:
            lines.append({**head, "change": "added"})
            continue
        lines += [
            {
                **head,
                "change": "changed",
                "column": column,
                "before": before[name][column],
                "after": row[column],
            }
            for column in shared
            if not _same(before[name][column], row[column])
        ]
    lines += [
        {**dict(zip(keys, name, strict=True)), "change": "removed"} for name in before if name not in now
    ]
    for which, read in (("newer", frame), ("older", older)):
        origin = read.attrs.get(KEY)
        if isinstance(origin, OriginKey) and not origin.origin.completeness.complete:
            reason = origin.origin.completeness.reason
            warnings.warn(
                f"the {which} read isn't whole, so that rows may be missing in it without having been added or "
                f"removed: {reason}",
                IncompleteFrame,
                stacklevel=3,
            )
    return pd.DataFrame(lines, columns=[*keys, *_LINES])


def _keys(frame: pd.DataFrame, older: pd.DataFrame, key: str | Sequence[str] | None) -> list[str]:
    keys = [key] if isinstance(key, str) else list(key or ())
    lost = [name for name in keys if name not in frame.columns or name not in older.columns]
    if lost:
        raise ExtractionError(f"{', '.join(map(repr, lost))} is no column of both reads")
    taken = [name for name in _LINES if name in keys]
    if taken:
        raise ExtractionError(f"a key can't be called {taken[0]!r}", hint="rename the column in both reads")
    if keys:
        return keys
    for column in frame.columns:
        if (
            column not in _LINES
            and column in older.columns
            and _names(frame[column])
            and _names(older[column])
        ):
            return [column]
    raise ExtractionError(
        "no column has another value in every row", hint="give key=[...]: the columns that name a row"
    )


def _names(column: pd.Series[Any]) -> bool:
    return bool(column.notna().all() and column.is_unique)


def _by_key(
    frame: pd.DataFrame, keys: Sequence[str], which: str
) -> dict[tuple[Any, ...], dict[Hashable, Any]]:
    """Rows by what their key columns say."""
    found: dict[tuple[Any, ...], dict[Hashable, Any]] = {}
    for row in frame.to_dict("records"):
        name = tuple(None if _blank(row[key]) else row[key] for key in keys)
        if name in found:
            listed = ", ".join(f"{key}={value!r}" for key, value in zip(keys, name, strict=True))
            raise ExtractionError(
                f"two rows of the {which} read have {listed}", hint="give key=[...] with more columns"
            )
        found[name] = row
    return found


def _same(one: Any, other: Any) -> bool:
    return (_blank(one) and _blank(other)) or (not _blank(one) and not _blank(other) and bool(one == other))


def _blank(value: Any) -> bool:
    return value is None or bool(pd.isna(value))
