"""The journal's writer: SQLite in WAL mode, so that a killed kernel loses nothing it wrote."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from skillbook.journal.records import Outcome
from skillbook.storage import HOME, private_folder, storing
from skillbook.warning import warn_user

_log = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE IF NOT EXISTS intents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, time REAL NOT NULL, command TEXT NOT NULL,
    actor TEXT NOT NULL, effect TEXT NOT NULL, verdict TEXT NOT NULL, tab INTEGER, run TEXT, url TEXT NOT NULL,
    params TEXT NOT NULL, target TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS outcomes (
    intent INTEGER PRIMARY KEY REFERENCES intents(id), time REAL NOT NULL, outcome TEXT NOT NULL,
    elapsed_ms REAL NOT NULL, result TEXT NOT NULL, error TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS notes (
    intent INTEGER NOT NULL REFERENCES intents(id), kind TEXT NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS notes_of_intent ON notes(intent);
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, time REAL NOT NULL, tab INTEGER, run TEXT,
    actor TEXT NOT NULL, cause TEXT NOT NULL, fact TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
    count INTEGER
);
CREATE TABLE IF NOT EXISTS request_endings (
    request INTEGER PRIMARY KEY REFERENCES requests(id), time REAL NOT NULL, ending TEXT NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS measures (
    name TEXT NOT NULL, time REAL NOT NULL, elapsed_ms REAL NOT NULL, ok INTEGER NOT NULL
);
CREATE TRIGGER IF NOT EXISTS intents_kept BEFORE DELETE ON intents
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS outcomes_kept BEFORE DELETE ON outcomes
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS requests_kept BEFORE DELETE ON requests
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS requests_append_only BEFORE UPDATE ON requests
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS request_endings_append_only BEFORE UPDATE ON request_endings
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS notes_append_only BEFORE UPDATE ON notes
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS intents_append_only BEFORE UPDATE ON intents
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS outcomes_append_only BEFORE UPDATE ON outcomes
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""
_INSERT_REQUEST = (
    "INSERT INTO requests (session, time, tab, run, actor, cause, fact, verdict, reason, count)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_MAX_TEXT = 4000
_MOST_POSTPONED = 50
_MOST_UNWRITTEN = 1000


class Journal:
    """An append-only record of steps in one SQLite file.

    What is about to happen is written first, or it doesn't happen: `intend` and `request` raise a `StorageError` if
    the disk is full. What has happened is no error afterwards: its record waits in memory until there is space.

    path: the file, made with mode 0600 where it isn't there.
    session: id that this writer's steps carry.
    mask: takes out of a text what no file may have.
    Raises StorageError: the file can't be made.
    """

    def __init__(self, path: Path, session: str, mask: Callable[[str], str] = str) -> None:
        self.path = path
        self._mask = mask
        self.session = session
        self._lock = threading.Lock()
        self._closed = False
        self._postponed: deque[Callable[[], None]] = deque()
        self._unwritten: deque[tuple[tuple[str, tuple[Any, ...]], ...]] = deque(maxlen=_MOST_UNWRITTEN)
        with storing(path, HOME):
            private_folder(path.parent)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(SCHEMA)

    def intend(
        self,
        command: str,
        *,
        actor: str,
        effect: str,
        verdict: str,
        tab: int | None,
        url: str,
        params: Mapping[str, Any],
        target: Mapping[str, Any],
        run: str | None = None,
    ) -> int:
        """Write down that a step is about to happen; returns its id."""
        row = (
            self.session,
            time.time(),
            command,
            actor,
            effect,
            verdict,
            tab,
            run,
            self._mask(url),
            self._json(params),
            self._json(target),
        )
        return self._first(
            "INSERT INTO intents (session, time, command, actor, effect, verdict, tab, run, url, params, target)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )

    def conclude(
        self,
        intent: int,
        outcome: Outcome,
        *,
        elapsed_ms: float,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        """Write down how a step ended."""
        row = (
            intent,
            time.time(),
            outcome.value,
            elapsed_ms,
            self._json(result or {}),
            self._json(error or {}),
        )
        self._afterwards(("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?)", row))

    def request(self, **facts: Any) -> int:
        """Write down that a request is held, before it is decided on; returns its id.

        **facts: see `_request_row`.
        Raises StorageError: it can't be written.
        """
        return self._first(_INSERT_REQUEST, self._request_row(**facts))

    def past_request(self, ending: str, reason: str = "", **facts: Any) -> None:
        """Write down a request that was never held, with what became of it: "sent" or "blocked"."""
        row = (time.time(), ending, reason)
        self._afterwards(
            (_INSERT_REQUEST, self._request_row(**facts)),
            ("INSERT INTO request_endings VALUES (last_insert_rowid(), ?, ?, ?)", row),
        )

    def _request_row(
        self,
        *,
        tab: int | None,
        run: str | None,
        actor: str,
        cause: str,
        fact: Mapping[str, Any],
        verdict: str,
        verdict_reason: str,
        count: int | None = None,
    ) -> tuple[Any, ...]:
        """A request as the table has it.

        cause: the action that it followed, in words.
        fact: what it is, by name; names of fields, never values.
        count: how many messages, where it stands for those of a WebSocket.
        """
        now, kept = time.time(), self._json(fact)
        return (self.session, now, tab, run, actor, cause, kept, verdict, verdict_reason, count)

    def request_ended(self, request: int, ending: str, reason: str = "") -> None:
        """Write down what became of a held request: "sent", "blocked" or "gone"."""
        row = (request, time.time(), ending, reason)
        self._afterwards(("INSERT INTO request_endings VALUES (?, ?, ?, ?)", row))

    def note(self, intent: int, kind: str, data: str | bytes) -> None:
        """Add to a step what became known of it: its "reason", "locator", "observation", "thumbnail", or "requests"."""
        kept = self._mask(data) if isinstance(data, str) else data
        self._afterwards(("INSERT INTO notes VALUES (?, ?, ?)", (intent, kind, kept)))

    def thumbnail(self, run: str) -> bytes | None:
        """The last small JPEG screenshot of what a run did; None where there is none."""
        with self._lock:
            if self._closed:
                return None
            row = self._db.execute(
                "SELECT n.data FROM notes n JOIN intents i ON n.intent = i.id WHERE i.run = ? AND n.kind = 'thumbnail'"
                " ORDER BY i.id DESC LIMIT 1",
                (run,),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def later(self, work: Callable[[], None]) -> None:
        """Have something noted that takes time to find out: at the next `catch_up`, or when too much of it waits."""
        self._postponed.append(work)
        if len(self._postponed) > _MOST_POSTPONED:
            self._postponed.popleft()()

    def catch_up(self) -> Path:
        """Note what was put off; returns the file, which has everything then."""
        while self.note_next():
            pass
        return self.path

    def note_next(self) -> bool:
        """Note the first of what was put off; False where there is nothing more."""
        if not self._postponed:
            return False
        self._postponed.popleft()()
        return True

    def measure(self, name: str, elapsed_ms: float, ok: bool) -> None:
        """Write down how long a reading took that is no step of its own; a full disk stops no reading."""
        with self._lock, suppress(sqlite3.OperationalError):
            if not self._closed:
                self._db.execute(
                    "INSERT INTO measures VALUES (?, ?, ?, ?)", (name, time.time(), elapsed_ms, ok)
                )

    def close(self) -> None:
        """Close the file; the journal stays readable."""
        self.catch_up()
        with self._lock:
            if self._unwritten and not self._closed:
                try:
                    self._write_waiting()
                except sqlite3.OperationalError as error:
                    warn_user(f"{self.path} lacks {len(self._unwritten)} records of what was done: {error}")
            self._closed = True
            self._db.close()

    def _first(self, statement: str, row: tuple[Any, ...]) -> int:
        """Write what is about to happen, after all that waits; returns its id."""
        with self._lock, storing(self.path, HOME):
            self._write_waiting()
            cursor = self._db.execute(statement, row)
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _afterwards(self, *record: tuple[str, tuple[Any, ...]]) -> None:
        """Write what has happened, all of a record or nothing; if there is no space, as soon as there is."""
        with self._lock:
            if self._closed:
                return
            self._unwritten.append(record)
            try:
                self._write_waiting()
            except sqlite3.OperationalError as error:
                _log.warning(
                    "%s can't be written: %s; %d records wait", self.path, error, len(self._unwritten)
                )

    def _write_waiting(self) -> None:
        while self._unwritten:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for statement, row in self._unwritten[0]:
                    self._db.execute(statement, row)
                self._db.execute("COMMIT")
            except sqlite3.Error:
                if self._db.in_transaction:  # SQLite ends it by itself after some errors
                    self._db.execute("ROLLBACK")
                raise
            self._unwritten.popleft()

    def _json(self, data: Mapping[str, Any]) -> str:
        kept = {key: _short(self._masked(value)) for key, value in data.items()}
        return json.dumps(kept, default=str, ensure_ascii=False)

    def _masked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._mask(value)
        if isinstance(value, Mapping):
            return {key: self._masked(item) for key, item in value.items()}
        return [self._masked(item) for item in value] if isinstance(value, list | tuple) else value


def _short(value: Any) -> Any:
    return value[:_MAX_TEXT] + "…" if isinstance(value, str) and len(value) > _MAX_TEXT else value
