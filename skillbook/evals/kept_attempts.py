"""Results as they come, one line each in a file, so that a killed evaluation goes on where it was."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from skillbook.errors import EvalError
from skillbook.evals.attempt import Attempt
from skillbook.storage import storing

FILE = "attempts.jsonl"


class KeptAttempts:
    """The attempts of a folder.

    Parameters
    ----------
    folder : where they are kept; None keeps them in memory only.
    """

    def __init__(self, folder: Path | str | None) -> None:
        self._path = None if folder is None else Path(folder) / FILE
        self._lock = threading.Lock()
        self._known: dict[str, Attempt] = {}
        if self._path is not None:
            with storing(self._path):
                self._path.parent.mkdir(parents=True, exist_ok=True)
            self._read(self._path)

    def _read(self, path: Path) -> None:
        """Take in what is there; a last line that a kill cut short is taken off."""
        if not path.exists():
            return
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            with path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.decode("utf-8").splitlines(), 1):
            try:
                attempt = Attempt.from_json(line)
            except ValueError:
                raise EvalError(
                    f"{path}, line {number}: no result of an evaluation",
                    hint="remove it, or use another folder",
                ) from None
            self._known[attempt.key] = attempt

    def find(self, key: str) -> Attempt | None:
        """The attempt of that key, if it was made."""
        return self._known.get(key)

    def keep(self, attempt: Attempt) -> None:
        """Write an attempt at once."""
        with self._lock:
            self._known[attempt.key] = attempt
            if self._path is None:
                return
            with storing(self._path):
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(attempt.to_json() + "\n")
                    file.flush()
                    os.fsync(file.fileno())
