"""The rows of a map: which were begun and which are done, kept in a folder so that none is repeated."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["ok", "failed", "unknown"]


@dataclass
class RowResult:
    """What became of one row of inputs.

    Parameters
    ----------
    status : `unknown` where it was begun, its worker was lost, and doing it again could do it twice.
    frame : the rows that the skill read, also what it read before a failure.
    values : the facts that the skill read.
    attempts : how often it was begun.
    worker : the process that did it last.
    """

    status: Status
    error: str = ""
    frame: pd.DataFrame | None = None
    values: dict[str, Any] | None = None
    url: str = ""
    attempts: int = 1
    elapsed_ms: float = 0.0
    worker: str = ""


def key_of(digest: str, place: int, inputs: Mapping[str, Any]) -> str:
    """Names a row: the skill's version, its place and its inputs."""
    said = json.dumps([digest, place, sorted((name, str(value)) for name, value in inputs.items())])
    return hashlib.sha256(said.encode()).hexdigest()[:24]


class RowStore:
    """A folder with a file for each attempt and each result; every write is whole or not there.

    Parameters
    ----------
    folder : one that all workers see.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def begin(self, key: str, *, once: bool) -> int:
        """Note that a row is begun, and return which attempt it is; 0 where it must not be begun again.

        Parameters
        ----------
        once : whether it may be begun once only, whatever became of that.
        """
        attempt = 1
        while True:
            try:
                handle = os.open(
                    self.folder / f"{key}.{attempt}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600
                )
            except FileExistsError:
                if once:
                    return 0
                attempt += 1
                continue
            os.fsync(handle)
            os.close(handle)
            return attempt

    def begun(self, key: str) -> bool:
        """Whether a row was begun."""
        return (self.folder / f"{key}.1").exists()

    def keep(self, key: str, result: RowResult) -> None:
        """Write a row's result."""
        data = asdict(replace(result, frame=None))
        data |= {"values": _plain(result.values), "frame": _frame_data(result.frame)}
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(self.folder / f"{key}.json")

    def result(self, key: str) -> RowResult | None:
        """A row's result; None where there is none.

        Raises
        ------
        InvalidInput : the file isn't one that `keep` wrote.
        """
        path = self.folder / f"{key}.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return RowResult(**{**data, "values": _valued(data["values"]), "frame": _frame_of(data["frame"])})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(
                f"{path} holds no result of a row: {type(error).__name__}",
                hint="remove it, or use another folder",
            ) from None


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
