"""Which row a cell came from, where labels don't say it any more: by a column that travels with the rows.

A source is only given where it is sure: the row is known by its id, or by a label that still stands for it, and the
cell says what the page said there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import pandas as pd

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.date_columns import notation_of
from skillbook.extraction.frames.derived_frames import is_missing, shared_columns
from skillbook.extraction.frames.dtypes import convert, notation_shown
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey, lang_of
from skillbook.extraction.frames.row_log import lines_of, log_folder, origin_of, prune, read_origins
from skillbook.storage import HOME, private_folder, storing

if TYPE_CHECKING:
    import pandas as pd

SOURCE = "_source"
"""The column of row ids."""
_SUFFIX = ".sources.jsonl"
_MOST_KEPT = 50
_known: dict[str, Origin] = {}
_alive: WeakValueDictionary[str, Origin] = WeakValueDictionary()


def source_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of row ids: `_source`, or `_source_x` and `_source_y` after a merge."""
    return [name for name in frame.columns if str(name).startswith(SOURCE)]


def find_by_column(frame: pd.DataFrame, row: Hashable, column: str) -> tuple[Origin, int, str]:
    """The origin of a cell, and its row and column there, by the row ids beside it.

    Raises ExtractionError: it isn't known.
    """
    if row not in frame.index or column not in frame.columns:
        raise ExtractionError(f"there is no cell {row!r}, {column!r}", hint="give an index label")
    rows: Any = frame.loc
    line = rows[row]
    if isinstance(line, pd.DataFrame):
        raise ExtractionError(f"{len(line)} rows have the label {row!r}", hint="use reset_index() first")
    found: list[tuple[Origin, int, str]] = []
    for name in source_columns(frame):
        suffix = name.removeprefix(SOURCE)
        if not isinstance(line[name], str):
            continue
        run, _, place = line[name].rpartition(":")
        origin = find_origin(run)
        if origin is None or not place.isdecimal() or int(place) >= len(origin.rows):
            continue
        known = column.removesuffix(suffix) if suffix and column not in origin.columns else column
        if known not in origin.columns or (
            suffix and column in origin.columns and known + suffix in frame.columns
        ):
            continue
        source = origin.source(int(place), known)
        as_shown = source is not None and line[column] == source.text
        if as_shown or _says_the_same(line[column], origin.values[known].iloc[int(place)]):
            found.append((origin, int(place), known))
    if len(found) != 1:
        raise ExtractionError(
            f"the source of {row!r}, {column!r} isn't known",
            hint="the cell was computed, changed or filled from another row, or its sources aren't on this machine: "
            "df.skillbook.load_sources(path)",
        )
    return found[0]


def check_same(frame: pd.DataFrame, origin: Origin, row: Hashable, column: str) -> None:
    """Refuse to give the source of another row, or of a value that was changed since.

    Raises ExtractionError: the label may stand for another row, or the value isn't the page's.
    """
    if row not in frame.index or column not in frame.columns:
        return
    rows: Any = frame.loc
    line = rows[row]
    if isinstance(line, pd.DataFrame):
        raise ExtractionError(f"{len(line)} rows have the label {row!r}", hint=_HINT)
    before = origin.values.loc[row]
    if not _says_the_same(line[column], before[column]):
        raise ExtractionError(
            f"row {row!r} isn't the one that was extracted under this label, or {column!r} was changed",
            hint=_HINT,
        )
    if not isinstance(frame.index, pd.RangeIndex) or len(frame) == 1 or is_in_place(frame, origin):
        return
    shared = shared_columns(frame, origin)
    if any(not _says_the_same(line[name], before[name]) for name in shared) or _repeats(origin, shared, row):
        raise ExtractionError(f"the label {row!r} may stand for another row by now", hint=_HINT)


_HINT = "resetting the index, merging and concat give rows new labels: df.skillbook.with_sources() before keeps them"


def check_labels(frame: pd.DataFrame, origin: Origin) -> None:
    """Refuse where labels may stand for other rows.

    Raises ExtractionError: the first such label.
    """
    shared = shared_columns(frame, origin)
    if not frame.index.is_unique:
        raise ExtractionError("several rows have the same label", hint=_HINT)
    if not frame.index.isin(range(len(origin.rows))).all():
        raise ExtractionError("there are rows that weren't extracted", hint=_HINT)
    if not isinstance(frame.index, pd.RangeIndex) or is_in_place(frame, origin):
        return
    before = origin.values[shared]
    if before.duplicated(keep=False).any() or not frame[shared].equals(before.loc[frame.index]):
        raise ExtractionError("labels may stand for other rows by now", hint=_HINT)


def is_in_place(frame: pd.DataFrame, origin: Origin) -> bool:
    """Whether the frame has the rows as they were extracted, in a row."""
    shared = shared_columns(frame, origin)
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.step != 1 or not shared:
        return False
    first, last = frame.index.start, frame.index.stop
    return (
        first >= 0
        and last <= len(origin.rows)
        and frame[shared].equals(origin.values[shared].iloc[first:last])
    )


def _repeats(origin: Origin, shared: Sequence[str], row: Hashable) -> bool:
    """Whether another row says the same."""
    values = origin.values[list(shared)]
    return bool(values.duplicated(keep=False).to_dict()[row])


def _says_the_same(now: Any, before: Any) -> bool:
    """Whether a value is still what it was; files may have made text or a float of it."""
    blank = [is_missing(value) or value == "" for value in (now, before)]
    if any(blank):
        return all(blank)
    if isinstance(before, pd.Timestamp):
        try:
            return bool(pd.Timestamp(now) == before)
        except (TypeError, ValueError):
            return False
    if isinstance(now, str) or isinstance(before, str):
        return str(now) == str(before)
    try:
        return bool(now == before) or Decimal(str(now)) == Decimal(str(before))
    except (TypeError, ValueError, InvalidOperation):
        return False


def origins_of(frame: pd.DataFrame) -> list[Origin]:
    """The origins that a frame's row ids name, as far as they are known."""
    ids = {
        value.rpartition(":")[0]
        for name in source_columns(frame)
        for value in frame[name].dropna().astype(str)
    }
    return [origin for run in sorted(ids) if (origin := find_origin(run)) is not None]


def find_origin(run: str) -> Origin | None:
    """The origin of a name: in use in this kernel, or kept on disk."""
    found = _alive.get(run)
    if found is None and run.replace("-", "").isalnum():
        path = log_folder() / "sources" / f"{run}{_SUFFIX}"
        if path.exists():
            load_origins(path)
            found = _alive.get(run)
    return found


def keep_origin(origin: Origin) -> None:
    """Keep an origin on disk, for frames of it that are read in another kernel."""
    _hold(origin)
    folder = log_folder() / "sources"
    with storing(folder, HOME):
        private_folder(folder)
    path = folder / f"{origin.run}{_SUFFIX}"
    if not path.exists():
        prune(folder, _MOST_KEPT - 1)
        save_origins([origin], path)


def save_origins(origins: Sequence[Origin], path: Path) -> None:
    """Write origins to a file that only its owner can read."""
    with (
        storing(path),
        os.fdopen(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file,
    ):
        for origin in origins:
            for line in lines_of(origin):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def load_origins(path: Path) -> None:
    """Read origins from a file.

    Raises ExtractionError: it has none.
    """
    for kept in read_origins(path):
        texts = {
            name: [cell and cell.text for cell in cells]
            for name, *cells in zip(kept.columns, *(row.cells for row in kept.rows), strict=True)
        }
        notation = notation_shown(texts, notation_of(lang_of(kept.rows)))
        values = pd.DataFrame(
            {name: convert(name, column, notation=notation).values for name, column in texts.items()}
        )
        _hold(replace(kept, values=values))


def _hold(origin: Origin) -> None:
    _alive[origin.run] = origin
    _known[origin.run] = origin
    while len(_known) > _MOST_KEPT:
        _known.pop(next(iter(_known)))


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
    known = frame.copy()
    facts = {name: data[name] for name in ("units", "rules")}
    kept = replace(origin_of(data["lines"]), name=str(data["name"]), values=frame.copy(), **facts)
    known.attrs[KEY] = OriginKey.of(kept)
    return known
