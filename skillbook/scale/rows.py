"""The rows of a map: which were begun and which are done, kept in a folder so that none is repeated."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

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
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            pickle.dump(asdict(result), file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(self.folder / f"{key}.result")

    def result(self, key: str) -> RowResult | None:
        """A row's result; None where there is none. The folder is the person's own: it is unpickled."""
        try:
            with (self.folder / f"{key}.result").open("rb") as file:
                return RowResult(**pickle.load(file))  # noqa: S301 - written here, into a folder of the person's
        except FileNotFoundError:
            return None
