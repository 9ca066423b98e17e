"""The rows of a map: their names, and what became of each, also as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import ConfigError, InvalidInput
from skillbook.storage import private_folder, storing

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd


Status = Literal["ok", "failed", "sent, not confirmed", "unknown", "cancelled"]


@dataclass
class RowResult:
    """What became of one row of inputs.

    status: `sent, not confirmed` if all that the skill sends was sent and the page didn't confirm it as it was
        recorded; `unknown` if it was claimed, its worker was lost, and doing it again could do it twice; `cancelled` if
        the map ended before it was done.
    frame: the rows that the skill read, or that its code returned; also what it read before a failure.
    values: the facts that the skill read; `value` is what its code returned, if that isn't rows.
    sources: where the frame's cells came from, as plain data, for frames lose it between processes.
    attempts: how often it was begun.
    worker, host: the process that did it last, and its machine.
    steps, screenshot: of a row that failed, what became of each step, and the page at the end as a small JPEG.
    is_final: whether another attempt would come to the same: it was refused what nobody allowed or approved.
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
    is_final: bool = False

    @property
    def known_frame(self) -> pd.DataFrame | None:
        """The frame, which knows its sources."""
        if self.frame is None or self.sources is None:
            return self.frame
        from skillbook.extraction.frames.row_sources import with_sources

        return with_sources(self.frame, self.sources)


def key_of(digest: str, place: int, inputs: Mapping[str, Any]) -> str:
    """Names a row: the skill's version, its place and its inputs."""
    identity = json.dumps([digest, place, sorted((name, str(value)) for name, value in inputs.items())])
    return hashlib.sha256(identity.encode()).hexdigest()[:24]


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

    Raises ValueError, TypeError, KeyError, AttributeError: it isn't one that `write_row` made.
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


class RowStore(ABC):
    """Claims and results by row; only the client of a map writes it."""

    @abstractmethod
    def claim(self, key: str) -> bool:
        """Write durably that a row is claimed; False if it was before."""

    @abstractmethod
    def is_claimed(self, key: str) -> bool:
        """Whether a row was claimed."""

    @abstractmethod
    def keep(self, key: str, result: RowResult) -> None:
        """Keep a row's result."""

    @abstractmethod
    def result(self, key: str) -> RowResult | None:
        """A row's result; None if there is none.

        Raises InvalidInput: what is there isn't what `keep` wrote.
        """


def open_store(place: Path | str | None) -> RowStore:
    """The store of a folder or of an SQL address such as `sqlite:///rows.db`; in memory if there is none.

    Raises StorageError: the folder can't be written. ConfigError : the database can't be reached.
    """
    if place is None:
        return MemoryStore()
    return SqlStore(str(place)) if "://" in str(place) else FolderStore(place)


class MemoryStore(RowStore):
    """Keeps nothing beyond the map."""

    def __init__(self) -> None:
        self._claimed: set[str] = set()

    def claim(self, key: str) -> bool:
        """Note a claim."""
        was = key in self._claimed
        self._claimed.add(key)
        return not was

    def is_claimed(self, key: str) -> bool:
        """Whether a row was claimed."""
        return key in self._claimed

    def keep(self, key: str, result: RowResult) -> None:
        """Keep nothing: the map has the result."""

    def result(self, key: str) -> RowResult | None:
        """Nothing."""
        return None


class FolderStore(RowStore):
    """A folder with a file for each claim and each result; every write is whole or not there.

    folder: only this process needs to see it.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        with self._writing():
            private_folder(self.folder)
            with tempfile.TemporaryFile(dir=self.folder):
                pass

    def claim(self, key: str) -> bool:
        """Write a claim to disk."""
        with self._writing():
            try:
                handle = os.open(self._claim_of(key), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError:
                return False
            os.fsync(handle)
            os.close(handle)
            _sync_folder(self.folder)
            return True

    def is_claimed(self, key: str) -> bool:
        """Whether a row was claimed."""
        return self._claim_of(key).exists()

    def keep(self, key: str, result: RowResult) -> None:
        """Write a row's result."""
        with self._writing():
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(write_row(result))
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.folder / f"{key}.json")

    def result(self, key: str) -> RowResult | None:
        """Read a row's result."""
        path = self.folder / f"{key}.json"
        try:
            return read_row(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InvalidInput(
                f"{path} holds no result of a row: {type(error).__name__}",
                hint="remove it, or use another folder",
            ) from None

    def _claim_of(self, key: str) -> Path:
        return self.folder / f"{key}.1"

    def _writing(self) -> AbstractContextManager[None]:
        return storing(self.folder, "folder")


def _sync_folder(folder: Path) -> None:
    """A new file's name is on disk only once its folder is."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class SqlStore(RowStore):
    """Two tables in any database that SQLAlchemy reaches."""

    def __init__(self, address: str) -> None:
        try:
            import sqlalchemy as sql
        except ImportError:
            raise ConfigError(
                "a database for `folder` needs SQLAlchemy", hint='pip install "skillbook[scale]"'
            ) from None
        self._sql = sql
        tables = sql.MetaData()
        self._claims = sql.Table(
            "skillbook_claims", tables, sql.Column("key", sql.String(40), primary_key=True)
        )
        self._results = sql.Table(
            "skillbook_results", tables, sql.Column("key", sql.String(40), primary_key=True),
            sql.Column("data", sql.Text, nullable=False),
        )  # fmt: skip
        with self._using():
            self._engine = sql.create_engine(address)
            tables.create_all(self._engine)

    def claim(self, key: str) -> bool:
        """Commit a claim."""
        with self._using():
            try:
                with self._engine.begin() as connection:
                    connection.execute(self._claims.insert().values(key=key))
            except self._sql.exc.IntegrityError:
                return False
            return True

    def is_claimed(self, key: str) -> bool:
        """Whether a row was claimed."""
        return self._one(self._claims, key) is not None

    def keep(self, key: str, result: RowResult) -> None:
        """Write a row's result in place of an earlier one."""
        with self._using(), self._engine.begin() as connection:
            connection.execute(self._results.delete().where(self._results.c.key == key))
            connection.execute(self._results.insert().values(key=key, data=write_row(result)))

    def result(self, key: str) -> RowResult | None:
        """Read a row's result."""
        row = self._one(self._results, key)
        try:
            return None if row is None else read_row(row.data)
        except (ValueError, TypeError, KeyError, AttributeError, json.JSONDecodeError) as error:
            raise InvalidInput(
                f"the database holds no result of the row {key}: {type(error).__name__}",
                hint="delete it, or use another database",
            ) from None

    def _one(self, table: Any, key: str) -> Any:
        with self._using(), self._engine.connect() as connection:
            return connection.execute(self._sql.select(table).where(table.c.key == key)).one_or_none()

    @contextmanager
    def _using(self) -> Iterator[None]:
        try:
            yield
        except self._sql.exc.SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or type(error).__name__)
            raise ConfigError(
                f"the database for the rows can't be used: {reason}", hint="check the address in `folder`"
            ) from error
