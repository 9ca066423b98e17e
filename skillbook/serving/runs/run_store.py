"""What is kept of runs on disk, so that the history outlives the kernel."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path

import pandas as pd
from pydantic import ValidationError

from skillbook.protocol.asks.run_asks import RunSummary, RunView
from skillbook.serving.given.rows_output import RowsOutput
from skillbook.storage import HOME, private_folder, storing

_KEPT_RUNS = 500
_KEPT_ROWS = 100
_MOST_ROWS = 20_000
_TABLES = """
CREATE TABLE IF NOT EXISTS shown (
    run TEXT PRIMARY KEY, kernel TEXT NOT NULL, started REAL NOT NULL, state TEXT NOT NULL, summary TEXT NOT NULL,
    view TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS rows (
    run TEXT NOT NULL, output TEXT NOT NULL, title TEXT NOT NULL, frame TEXT NOT NULL, PRIMARY KEY (run, output)
);
"""


class RunStore:
    """The runs of all kernels of this user, the newest ones.

    Parameters
    ----------
    path : an SQLite file, made with mode 0600.
    kernel : whose runs are written.
    """

    def __init__(self, path: Path, kernel: str) -> None:
        self.path, self.kernel = path, kernel

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, for one transaction.

        Raises
        ------
        StorageError : it can't be written.
        """
        with storing(self.path, HOME):
            private_folder(self.path.parent)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, timeout=10)) as db, db:
                db.executescript(_TABLES)
                yield db

    def keep(self, view: RunView, rows: Sequence[RowsOutput] = ()) -> None:
        """Write down a run as it is, and what rows it gave."""
        summary = RunSummary.model_validate(view.model_dump(include=set(RunSummary.model_fields)))
        record = (
            view.id, self.kernel, view.started, view.state, summary.model_dump_json(), view.model_dump_json(),
        )  # fmt: skip
        with self._opened() as db:
            db.execute("INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?, ?, ?)", record)
            for each in rows:
                frame = each.frame.head(_MOST_ROWS).to_json(
                    orient="split", date_format="iso", force_ascii=False
                )
                db.execute(
                    "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", (view.id, each.id, each.title, frame)
                )
            newest = "SELECT run FROM shown ORDER BY started DESC LIMIT ?"
            db.execute(f"DELETE FROM shown WHERE run NOT IN ({newest})", (_KEPT_RUNS,))  # noqa: S608
            db.execute(f"DELETE FROM rows WHERE run NOT IN ({newest})", (_KEPT_ROWS,))  # noqa: S608

    def summaries(self, before: float | None, limit: int) -> list[tuple[str, RunSummary]]:
        """The newest runs that began before a time, with the kernel of each."""
        if not self.path.exists():
            return []
        with self._opened() as db:
            found = db.execute(
                "SELECT kernel, summary FROM shown WHERE ? IS NULL OR started < ? ORDER BY started DESC LIMIT ?",
                (before, before, limit),
            ).fetchall()
        summaries = []
        for kernel, summary in found:
            try:
                summaries.append((kernel, RunSummary.model_validate_json(summary)))
            except ValidationError:  # of another version
                continue
        return summaries

    def view(self, run: str) -> tuple[str, RunView] | None:
        """A run as it was kept last, and its kernel."""
        if not self.path.exists():
            return None
        with self._opened() as db:
            row = db.execute("SELECT kernel, view FROM shown WHERE run = ?", (run,)).fetchone()
        try:
            return None if row is None else (row[0], RunView.model_validate_json(row[1]))
        except ValidationError:
            return None

    def rows(self, run: str) -> list[RowsOutput]:
        """The rows that are kept of a run; types such as dates are texts by now."""
        if not self.path.exists():
            return []
        with self._opened() as db:
            kept = db.execute("SELECT output, title, frame FROM rows WHERE run = ?", (run,)).fetchall()
        found = []
        for output, title, text in kept:
            parts = json.load(StringIO(text))
            frame = pd.DataFrame(parts["data"], columns=parts["columns"], index=parts["index"])
            found.append(RowsOutput(output, title, frame))
        return found
