"""Reading a journal back, also one whose kernel was killed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from skillbook.journal.records import JournalRequest, JournalStep, Measure, Outcome

_QUERY = """
SELECT i.id, i.session, i.command, i.actor, i.effect, i.verdict, i.time, i.tab, i.run, i.url, i.params, i.target,
       o.outcome, o.time, o.elapsed_ms, o.result, o.error
FROM intents i LEFT JOIN outcomes o ON o.intent = i.id ORDER BY i.id
"""

_REQUESTS = """
SELECT r.id, r.session, r.time, r.tab, r.run, r.actor, r.cause, r.fact, r.verdict, r.reason, e.ending, e.reason, r.count
FROM requests r LEFT JOIN request_endings e ON e.request = r.id ORDER BY r.id
"""


def read_journal(path: Path) -> list[JournalStep]:
    """Every step of a journal file in order; one whose outcome was never written is `UNKNOWN`."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        rows = db.execute(_QUERY).fetchall()
        notes: dict[int, dict[str, Any]] = {}
        if _has(db, "notes"):
            for intent, kind, data in db.execute("SELECT intent, kind, data FROM notes ORDER BY rowid"):
                notes.setdefault(intent, {})[kind] = data
    return [
        JournalStep(
            id=row[0], session=row[1], command=row[2], actor=row[3], effect=row[4], verdict=row[5],
            intent_time=row[6], tab=row[7], run=row[8], url=row[9],
            params=json.loads(row[10]), target=json.loads(row[11]),
            outcome_time=row[13], elapsed_ms=row[14], result=json.loads(row[15]) if row[15] else {},
            **_ending(row[12], row[16], notes.get(row[0], {})), **_noted(notes.get(row[0], {})),
        )
        for row in rows
    ]  # fmt: skip


def read_measures(path: Path) -> list[Measure]:
    """How long each reading took that is no step of its own, in order."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        if not _has(db, "measures"):
            return []
        rows = db.execute("SELECT name, time, elapsed_ms, ok FROM measures ORDER BY rowid").fetchall()
    return [Measure(name, time, elapsed, bool(ok)) for name, time, elapsed, ok in rows]


def read_requests(path: Path) -> list[JournalRequest]:
    """Every held request of a journal file in order."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        if not _has(db, "requests"):
            return []
        rows = db.execute(_REQUESTS).fetchall()
    return [_request(row) for row in rows]


def _request(row: tuple[Any, ...]) -> JournalRequest:
    fact: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(row[7]).items()
    }
    return JournalRequest(
            id=row[0], session=row[1], time=row[2], tab=row[3], run=row[4], actor=row[5], cause=row[6],
            fact=fact, verdict=row[8], ending=row[10] or "unknown", reason=row[11] or row[9], count=row[12],
    )  # fmt: skip


def _ending(outcome: str | None, error: str | None, notes: dict[str, Any]) -> dict[str, Any]:
    """How a step ended, by what became known of its requests since."""
    known = json.loads(notes["requests"]) if "requests" in notes else {}
    ended = known.get("outcome") or outcome
    return {
        "outcome": Outcome(ended) if ended else Outcome.UNKNOWN,
        "error": known.get("error") or (json.loads(error) if error else {}),
    }


def _noted(notes: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {
        kind: notes[kind] for kind in ("reason", "locator", "thumbnail") if kind in notes
    }
    if "observation" in notes:
        known["observation"] = json.loads(notes["observation"])
    if "requests" in notes:
        found = json.loads(notes["requests"])
        told = {"problem": found["error"].get("message"), "beside": found.get("failed_beside")}
        told = {name: value for name, value in told.items() if value}
        known["observation"] = {**known.get("observation", {}), **({"requests": told} if told else {})}
    return known


def _has(db: sqlite3.Connection, table: str) -> bool:
    """Journals of earlier versions lack some tables."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())
