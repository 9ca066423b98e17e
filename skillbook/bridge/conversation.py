"""The session with one browser profile, which outlives its connections: who it is, and its events in order."""

from __future__ import annotations

import secrets
from collections import Counter

from pydantic import ValidationError

from skillbook.protocol.envelopes import Event, Hello
from skillbook.protocol.events import EVENTS


class Conversation:
    """What is kept from one connection to the next.

    Parameters
    ----------
    grace : seconds after a connection's end for which the session can be resumed.
    """

    def __init__(self, grace: float) -> None:
        self.hello: Hello | None = None
        self.session: str | None = None
        self.resumed = False
        self.missed_events = 0
        self.ignored: Counter[str] = Counter()
        self._grace = grace
        self._last_seq = 0
        self._paused_at = 0.0

    def begin(self, hello: Hello, now: float) -> None:
        """A browser connected: go on where it left, or start anew."""
        self.resumed = (
            self.session is not None
            and hello.session == self.session
            and self.hello is not None
            and hello.profile == self.hello.profile
            and hello.last_seq >= self._last_seq
            and now - self._paused_at <= self._grace
        )
        if self.resumed:
            self.missed_events = hello.last_seq - self._last_seq
            self._last_seq = hello.last_seq
        else:
            self.session = secrets.token_hex(16)
            self.missed_events = self._last_seq = 0
        self.hello = hello

    def pause(self, now: float) -> None:
        """The connection ended."""
        self._paused_at = now

    def forget(self) -> None:
        """Whoever comes next is a stranger."""
        self.hello = self.session = None
        self.resumed, self.missed_events, self._last_seq = False, 0, 0

    def accept(self, event: Event) -> bool:
        """Whether to deliver an event: known, valid, and not seen before. Counts what it refuses or misses."""
        if event.seq <= self._last_seq:
            return self._ignore("old events")
        self.missed_events += event.seq - self._last_seq - 1
        self._last_seq = event.seq
        model = EVENTS.get(event.event)
        if model is None:
            return self._ignore("unknown events")
        try:
            model.model_validate(event.data)
        except ValidationError:
            return self._ignore("invalid events")
        return True

    def _ignore(self, kind: str) -> bool:
        self.ignored[kind] += 1
        return False
