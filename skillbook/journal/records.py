"""What the journal keeps of a step, reading it back, also from a kernel that was killed, and its figures."""

from __future__ import annotations

import json
import sqlite3
import statistics
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Outcome(StrEnum):
    """How a step ended. `UNKNOWN` is what an intent without outcome means: it may have happened."""

    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class JournalStep:
    """One step as read back.

    `intent_time` and `outcome_time` are seconds since 1970. `target` is the element's ref, role and name, `locator`
    the role selector that finds it again, `record` what the record around it says. `reason` is why the policy judged
    as it did, `observation` what the page looked like afterwards: address, and what changed. `thumbnail` is a small
    JPEG screenshot.
    """

    id: int
    session: str
    command: str
    actor: str
    effect: str
    verdict: str
    intent_time: float
    tab: int | None = None
    run: str | None = None
    url: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    target: dict[str, Any] = field(default_factory=dict)
    outcome: Outcome = Outcome.UNKNOWN
    outcome_time: float | None = None
    elapsed_ms: float | None = None
    result: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    locator: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    observation: dict[str, Any] = field(default_factory=dict)
    thumbnail: bytes | None = field(default=None, repr=False)

    @property
    def was_done(self) -> bool:
        """Whether it was carried out; where only a request of it failed, or some were refused, it was, too."""
        return self.outcome is Outcome.OK or (
            self.outcome is Outcome.ERROR and self.error.get("code") in {"request_failed", "not_sent"}
        )


@dataclass(frozen=True)
class Measure:
    """How long a reading took that is no step of its own, such as a snapshot."""

    name: str
    time: float
    elapsed_ms: float
    ok: bool


@dataclass(frozen=True)
class JournalRequest:
    """A request that was held while an agent or a skill worked on a page.

    `cause` is the action that it followed, in words. `fact` is what it was, by the names of
    `RequestFact` of the policy; of a WebSocket that the page had opened before, `origin` and `path` are
    empty. `verdict` is the policy's ("allow" or "ask"), `ending` what became of it: "sent", "blocked", "gone" (the page
    gave it up) or "unknown" (the debugger was driven off, the connection lost, or the kernel killed), and `reason` why.
    `count` is how many messages, for those of a WebSocket, which can't be held.
    """

    id: int
    session: str
    time: float
    tab: int | None
    run: str | None
    actor: str
    cause: str
    fact: dict[str, Any]
    verdict: str = "allow"
    ending: str = "unknown"
    reason: str = ""
    count: int | None = None


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
    if "record" in notes:
        known["record"] = json.loads(notes["record"])
    if "observation" in notes:
        known["observation"] = json.loads(notes["observation"])
    if "requests" in notes:
        found = json.loads(notes["requests"])
        requests = {"problem": found["error"].get("message"), "beside": found.get("failed_beside")}
        requests = {name: value for name, value in requests.items() if value}
        known["observation"] = {
            **known.get("observation", {}),
            **({"requests": requests} if requests else {}),
        }
    return known


def _has(db: sqlite3.Connection, table: str) -> bool:
    """Journals of earlier versions lack some tables."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())


@dataclass(frozen=True)
class Metric:
    """One command of a session.

    `retries` counts steps that repeat one that had just failed: same run, command and target. Times are in
    milliseconds, those of steps that ended.
    """

    command: str
    count: int
    ok: int
    errors: int
    refused: int
    unknown: int
    retries: int
    median_ms: float
    p95_ms: float

    @property
    def success(self) -> float:
        """The share that went well, of those that were tried at all."""
        tried = self.count - self.refused
        return self.ok / tried if tried else 0.0


def summarize(steps: Sequence[JournalStep], measures: Sequence[Measure] = ()) -> list[Metric]:
    """A metric for each command, those first that were used most."""
    rows: dict[str, list[tuple[Outcome, float | None]]] = {}
    retries: dict[str, int] = {}
    failed: set[tuple[str | None, str, str]] = set()
    for step in steps:
        rows.setdefault(step.command, []).append((step.outcome, step.elapsed_ms))
        key = (step.run, step.command, str(step.target.get("name") or step.target.get("ref") or ""))
        if key in failed:
            retries[step.command] = retries.get(step.command, 0) + 1
            failed.discard(key)
        if step.outcome is Outcome.ERROR:
            failed.add(key)
    for measure in measures:
        outcome = Outcome.OK if measure.ok else Outcome.ERROR
        rows.setdefault(measure.name, []).append((outcome, measure.elapsed_ms))
    found = [_metric(name, ends, retries.get(name, 0)) for name, ends in rows.items()]
    return sorted(found, key=lambda metric: (-metric.count, metric.command))


def _metric(name: str, ends: list[tuple[Outcome, float | None]], retries: int) -> Metric:
    times = sorted(ms for _, ms in ends if ms is not None)
    outcomes = [outcome for outcome, _ in ends]
    return Metric(
        name,
        len(ends),
        outcomes.count(Outcome.OK),
        outcomes.count(Outcome.ERROR),
        outcomes.count(Outcome.REFUSED),
        outcomes.count(Outcome.UNKNOWN),
        retries,
        statistics.median(times) if times else 0.0,
        times[min(len(times) - 1, int(len(times) * 0.95))] if times else 0.0,
    )
