"""Figures of a session: how often, how well and how fast each command went."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from skillbook.journal.records import JournalStep, Measure, Outcome


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
