"""What a cassette keeps of the person's decisions on a run's calls."""

from __future__ import annotations

from typing import Any

from skillbook.agents.state.step_records import PendingCall
from skillbook.session.cassette import current


def record_decision(pending: PendingCall, decision: dict[str, Any] | None) -> None:
    """Keep a decision where a cassette is recorded; None for one that code gave."""
    cassette = current()
    if cassette is not None and not cassette.replaying:
        cassette.decisions.record(_described(pending), decision)


def replayed_decision(pending: PendingCall) -> dict[str, Any] | None:
    """What the person decided on the call that waits; None where code did, or no cassette is replayed.

    Raises
    ------
    CassetteMismatch: another call waits than when it was recorded.
    """
    cassette = current()
    return (
        None if cassette is None or not cassette.replaying else cassette.decisions.replay(_described(pending))
    )


def _described(pending: PendingCall) -> dict[str, Any]:
    review = pending.review
    place = {"place": review.place} if review.place else {}
    return {"tool": pending.tool, "args": pending.args, "target": review.target, **place}
