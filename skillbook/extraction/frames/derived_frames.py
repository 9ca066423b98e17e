"""Frames made of others: what they keep of where their rows came from, and what differs between two reads."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import Completeness, IncompleteFrame
from skillbook.extraction.frames.provenance import KEY, KeptCell, Origin, OriginKey, new_run, source_of
from skillbook.perception.collections import Cell, Row

if TYPE_CHECKING:
    import pandas as pd


PUT_TOGETHER = Completeness(False, "put together from rows that were read; `_source` says where each is from")
"""Of frames that merges and the like made, which keep nothing but the rows' ids."""


def completeness_of(frame: pd.DataFrame, origin: Origin) -> Completeness:
    """Whether a frame has all that its page claims to have; one that lacks rows doesn't claim those read before."""
    read, count = origin.completeness, len(origin.rows)
    kept = keeps_labels(frame, origin)
    if len(frame) == count and (count == 0 or kept or _has_same_rows(frame, origin)):
        return read
    if len(frame) < count and kept:
        reason = f"a part: {len(frame):,} of the {count:,} rows that were read"
    else:
        reason = f"made of the {count:,} rows that were read, and not these rows any more"
    more = "" if read.complete else f"; the page has more: {read.reason}"
    return replace(read, complete=False, reason=reason + more, expected={})


def renamed_columns(frame: pd.DataFrame, origin: Origin) -> dict[str, str]:
    """The columns that a frame has under another name, by the name that they were extracted with.

    A column is the one that the frame lacks and that has its values in every row; of several, the one in its place.
    """
    lacking = [name for name in origin.columns if name not in frame.columns]
    new = [name for name in frame.columns if name not in origin.columns]
    labels = frame.index
    if not (lacking and new) or labels.nlevels > 1 or not labels.isin(range(len(origin.rows))).all():
        return {}
    before = origin.values.loc[labels]
    is_whole = len(frame.columns) == len(origin.columns) and frame.columns.is_unique
    found: dict[str, str] = {}
    for name in new:
        if list(frame.columns).count(name) > 1:
            continue
        fitting = [old for old in lacking if old not in found and frame[name].array.equals(before[old].array)]
        if len(fitting) > 1 and is_whole:
            in_place = origin.columns[list(frame.columns).index(name)]
            fitting = [old for old in fitting if old == in_place]
        if len(fitting) == 1:
            found[fitting[0]] = name
    return found


def keeps_labels(frame: pd.DataFrame, origin: Origin) -> bool:
    """Whether the labels stand for the rows that they were given to; a fresh range may count other ones."""
    index = frame.index
    shared = shared_columns(frame, origin)
    if (
        not shared
        or len(set(shared)) < len(shared)
        or index.nlevels > 1
        or index.name is not None
        or not index.is_unique
    ):
        return False
    if not index.isin(range(len(origin.rows))).all():
        return False
    if not isinstance(index, pd.RangeIndex):
        return True
    before = origin.values[shared].loc[index]
    in_place = [name for name in shared if frame[name].equals(before[name])]
    return in_place == shared or bool(in_place and not origin.values[in_place].duplicated().any())


def shared_columns(frame: pd.DataFrame, origin: Origin) -> list[str]:
    """The columns that were extracted, as far as the frame has them still."""
    return [name for name in frame.columns if name in origin.columns]


def _has_same_rows(frame: pd.DataFrame, origin: Origin) -> bool:
    """Whether rows, as many as were extracted, are the same: some columns in place and none twice, or in any order."""
    shared = shared_columns(frame, origin)
    if not shared or len(set(shared)) < len(shared):
        return False
    try:
        varying = [name for name in shared if origin.values[name].nunique() > 1]
        in_place = any(frame[name].array.equals(origin.values[name].array) for name in varying)
        if in_place and not frame[shared].duplicated().any():
            return True
        now, before = (
            pd.util.hash_pandas_object(each[shared], index=False).sort_values(ignore_index=True)
            for each in (frame, origin.values)
        )
    except TypeError:
        return False  # values that can't be compared were put in
    return bool(now.equals(before))


class CellOrigin(NamedTuple):
    """Where a cell was: the frame that it was extracted with, its row and its column there."""

    origin: Origin
    row: int
    column: str


def compose_frame(
    frame: pd.DataFrame,
    cells: Mapping[str, Sequence[CellOrigin | None]],
    completeness: Completeness,
) -> pd.DataFrame:
    """A frame whose cells have sources.

    frame: the values; its index counts from 0.
    cells: by column, where each row's cell was; None where that isn't known. Other columns have no sources.
    completeness: what is to be said of the rows.
    """
    rows = [_row([column[at] for column in cells.values()]) for at in range(len(frame))]
    known = [each for column in cells.values() for each in column if each is not None]
    units = {
        name: found.pop()
        for name, column in cells.items()
        if len(found := {each.origin.units.get(each.column, "") for each in column if each}) == 1
    }
    origin = Origin(
        tuple(cells),
        rows,
        name=known[0].origin.name if known else "",
        units={name: unit for name, unit in units.items() if unit},
        page=known[0].origin.page if known else None,
        completeness=completeness,
        run=new_run(),
        values=frame.copy(),
    )
    frame.attrs[KEY] = OriginKey.of(origin)
    return frame


def same_source(one: CellOrigin, other: CellOrigin) -> bool:
    """Whether two cells are the same element of the same document, and said the same."""
    first, second = (each.origin.source(each.row, each.column) for each in (one, other))
    return (
        first is not None
        and second is not None
        and first.ref is not None
        and (first.document, first.ref, first.text) == (second.document, second.ref, second.text)
    )


def _row(places: Sequence[CellOrigin | None]) -> Row:
    """A row has the node of the first that it was made of; cells of other rows are known by their sources alone."""
    first = next((each for each in places if each is not None), None)
    cells: list[Cell | None] = []
    for each in places:
        cell = None if each is None else each.origin.cell(each.row, each.column)
        here = (
            each is not None and first is not None and each.origin is first.origin and each.row == first.row
        )
        source = None if cell is None or here else source_of(cell)
        cells.append(cell if here else None if source is None else KeptCell(source))
    return Row(None if first is None else first.origin.rows[first.row].node, cells)  # type: ignore[arg-type]


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
        name = tuple(None if is_missing(row[key]) else row[key] for key in keys)
        if name in found:
            listed = ", ".join(f"{key}={value!r}" for key, value in zip(keys, name, strict=True))
            raise ExtractionError(
                f"two rows of the {which} read have {listed}", hint="give key=[...] with more columns"
            )
        found[name] = row
    return found


def _same(one: Any, other: Any) -> bool:
    missing = is_missing(one), is_missing(other)
    return all(missing) or (not any(missing) and bool(one == other))


def is_missing(value: Any) -> bool:
    """Whether a frame has no value there."""
    return value is None or bool(pd.isna(value))
