"""The rows that a cell ended with, as a frame that knows where each value came from, if that is certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.agents.state.cell_history import Cell, place_of
from skillbook.cells.crossing import SkillResult, from_plain
from skillbook.cells.traced_rows import RowPlace, trace_rows
from skillbook.cells.written_keys import written_keys
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.composed_frames import CellOrigin, compose_frame, same_source
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.state.step_records import StepRecord

_MOST_NAMED = 5
_READ_ROWS = {"extract", "run_skill"}

Rows = list[dict[str, Any]]


def frame_of_rows(value: Any, cells: Sequence[Cell], steps: Sequence[StepRecord]) -> pd.DataFrame | None:
    """The rows that a cell ended with; None where it ended with something else, or none of them was read.

    Parameters
    ----------
    value : the cell's last expression.
    cells : the run's cells up to that one, with the answers that their code got.
    steps : the run's, with what was extracted.
    """
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) and row for row in value):
        return None
    read = _readings(cells, steps)
    traced = trace_rows(value, [rows for rows, _ in read], written_keys(str(cell["code"]) for cell in cells))
    if not any(traced):
        return None
    origins = [origin for _, origin in read]
    columns = list(dict.fromkeys(key for row in value for key in row))
    sources = {name: [_certain(row.get(name, []), origins) for row in traced] for name in columns}
    kept = {name: column for name, column in sources.items() if any(column)}
    return compose_frame(_values(value, sources), kept, _completeness(value, sources, read, traced))


def _readings(cells: Sequence[Cell], steps: Sequence[StepRecord]) -> list[tuple[Rows, Origin | None]]:
    """The rows that each extraction gave the code, and where they came from, if this kernel extracted them."""
    extracted = {place_of(step.call_id): step for step in steps if step.tool in _READ_ROWS}
    found: list[tuple[Rows, Origin | None]] = []
    for cell in cells:
        for number, answer in enumerate(cell["answers"]):
            step = extracted.get((str(cell["id"]), number))
            rows = from_plain(answer["value"]) if step is not None and "value" in answer else None
            rows = rows.rows if isinstance(rows, SkillResult) else rows
            if step is None or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                continue
            frame = step.extra.get("frame")
            key = None if frame is None else frame.attrs.get(KEY)
            found.append((rows, key.origin if isinstance(key, OriginKey) else None))
    return found


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
    read: Sequence[tuple[Rows, Origin | None]],
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
