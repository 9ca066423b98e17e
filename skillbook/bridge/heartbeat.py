"""When to send a ping, and when a silent peer counts as gone."""

from __future__ import annotations

from typing import Literal

MISSED = 3
"""Intervals without any message after which the peer is gone."""
STILL_SECONDS = 2.0
"""Without an answer to a ping for so long, the peer stands still."""


class Heartbeat:
    """The clock of one connection.

    A worker of an extension is ended after 30 s without a message of ours or its own, whatever the protocol below
    does, so these pings are messages.

    Parameters
    ----------
    interval : seconds of silence after which to ping.
    now : when the connection began.
    """

    def __init__(self, interval: float, now: float) -> None:
        self._interval = interval
        self._heard = now
        self._next_ping = now + interval
        self._unanswered: float | None = None

    def note_message(self, now: float) -> None:
        """A message arrived."""
        self._heard = now
        self._unanswered = None

    def silence(self, now: float) -> float:
        """Seconds since the last message."""
        return now - self._heard

    def stands_still(self, now: float) -> bool:
        """Whether a ping is without an answer for too long, though the connection is there."""
        return self._unanswered is not None and now - self._unanswered >= STILL_SECONDS

    @property
    def due(self) -> float:
        """When `check` has something to say."""
        return min(self._ping_due, self._gone_due)

    def check(self, now: float) -> Literal["ping", "gone"] | None:
        """What is to be done now; the caller does it."""
        if now >= self._gone_due:
            return "gone"
        if now >= self._ping_due:
            self._next_ping = now + self._interval
            if self._unanswered is None:
                self._unanswered = now
            return "ping"
        return None

    @property
    def _ping_due(self) -> float:
        return max(self._next_ping, self._heard + self._interval)

    @property
    def _gone_due(self) -> float:
        return self._heard + MISSED * self._interval
