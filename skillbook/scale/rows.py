"""The rows of a map: their names, and what became of each, also as JSON."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["ok", "failed", "unknown", "cancelled"]


@dataclass
class RowResult:
    """What became of one row of inputs.

    Parameters
    ----------
    status : `unknown` if it was claimed, its worker was lost, and doing it again could do it twice; `cancelled` if the
        map ended before it was done.
    frame : the rows that the skill read, or that its code returned; also what it read before a failure.
    values : the facts that the skill read; `value` is what its code returned, if that isn't rows.
    sources : where the frame's cells came from, as plain data, for frames lose it between processes.
    attempts : how often it was begun.
    worker, host : the process that did it last, and its machine.
    steps, screenshot : of a row that failed, what became of each step, and the page at the end as a small JPEG.
    """

    status: Status
    error: str = ""
    frame: pd.DataFrame | None = None
    values: dict[str, Any] | None = None
    url: str = ""
    attempts: int = 1
    elapsed_ms: float = 0.0
    worker: str = ""
    host: str = ""
    steps: pd.DataFrame | None = None
    screenshot: bytes = b""
    sources: dict[str, Any] | None = None

    @property
    def known_frame(self) -> pd.DataFrame | None:
        """The frame, which knows its sources."""
        if self.frame is None or self.sources is None:
            return self.frame
        from skillbook.extraction.frames.sent_sources import with_sources

        return with_sources(self.frame, self.sources)


def key_of(digest: str, place: int, inputs: Mapping[str, Any]) -> str:
    """Names a row: the skill's version, its place and its inputs."""
    said = json.dumps([digest, place, sorted((name, str(value)) for name, value in inputs.items())])
    return hashlib.sha256(said.encode()).hexdigest()[:24]


def write_row(result: RowResult) -> str:
    """A row's result as JSON."""
    data = asdict(replace(result, frame=None, steps=None))
    return json.dumps(
        data
        | {"values": _plain(result.values), "screenshot": b64encode(result.screenshot).decode("ascii")}
        | {"frame": _frame_data(result.frame), "steps": _frame_data(result.steps)}
    )


def read_row(text: str) -> RowResult:
    """A row's result of its JSON; nothing is unpickled.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError : it isn't one that `write_row` made.
    """
    data = json.loads(text)
    read = {
        "values": _valued(data["values"]),
        "frame": _frame_of(data["frame"]),
        "steps": _frame_of(data.get("steps")),
        "screenshot": b64decode(data.get("screenshot", "")),
    }
    return RowResult(**(data | read))


_TIME = "$time"
"""Marks a time in the JSON of a row."""


def _plain(value: Any) -> Any:
    """A value as JSON has it: times are marked, what JSON hasn't is text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if str(value) in {"nan", "NaT", "<NA>"}:
        return None
    if isinstance(value, datetime):
        return {_TIME: value.isoformat()}
    if hasattr(value, "item"):
        return _plain(value.item())
    return value if isinstance(value, float) else str(value)


def _valued(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {_TIME}:
            import pandas as pd

            return pd.Timestamp(value[_TIME])
        return {name: _valued(one) for name, one in value.items()}
    return [_valued(one) for one in value] if isinstance(value, list) else value


def _frame_data(frame: pd.DataFrame | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
    return {
        "columns": [str(name) for name in frame.columns],
        "dtypes": [str(column.dtype) for column in columns],
        "cells": [_plain(column.tolist()) for column in columns],
    }


def _frame_of(data: dict[str, Any] | None) -> pd.DataFrame | None:
    if data is None:
        return None
    import pandas as pd

    made = []
    for cells, dtype in zip(data["cells"], data["dtypes"], strict=True):
        column = pd.Series(_valued(cells), dtype="object")
        try:
            made.append(column.astype(dtype))
        except (TypeError, ValueError):
            made.append(column)
    frame = pd.concat(made, axis=1) if made else pd.DataFrame()
    return frame.set_axis(data["columns"], axis=1)
