"""The state of a bridge's connection."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from skillbook.errors import SkillbookError
from skillbook.limits import PEER_SECONDS
from skillbook.protocol.envelopes import AskMessage, Event, Hello
from skillbook.protocol.events import EVENTS


@dataclass(frozen=True)
class BridgeStatus:
    """The connection at one moment.

    state: "waiting" before the first browser, "connected", "lost" until it is back, "closed" for good.
    since: when this state began.
    browser, extension, profile: what the browser last said of itself.
    session: changes when the extension started anew and knows nothing of before.
    resumed: whether the connection continues an earlier session.
    missed_events: events that got lost; where above 0, or not resumed, list the tabs again.
    notice: a sentence for the user, such as that another connection took over.
    last_error: why there is no connection; None while connected.
    ignored: how many messages of each kind were ignored.
    """

    state: Literal["waiting", "connected", "lost", "closed"]
    since: datetime
    browser: str = ""
    extension: str = ""
    profile: str = ""
    session: str = ""
    resumed: bool = False
    missed_events: int = 0
    notice: str = ""
    last_error: SkillbookError | None = None
    ignored: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Send:
    """Send a frame on a connection."""

    connection: int
    frame: bytes


@dataclass(frozen=True, slots=True)
class Close:
    """Close a connection, after what was sent before has gone out."""

    connection: int
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Settle:
    """A request is done: with a result, or with an error where there is one."""

    id: int
    result: Any = None
    error: SkillbookError | None = None


@dataclass(frozen=True, slots=True)
class Deliver:
    """An event arrived, once and in order."""

    event: Event


@dataclass(frozen=True, slots=True)
class TakeAsk:
    """A person wants something of the kernel; the answer goes to the connection that it came on."""

    connection: int
    ask: AskMessage


@dataclass(frozen=True, slots=True)
class Changed:
    """The machine's status changed."""


Output = Send | Close | Settle | Deliver | TakeAsk | Changed


MISSED = 3
"""Intervals without any message after which the peer is gone."""


class Heartbeat:
    """The clock of one connection.

    A worker of an extension is ended after 30 s without a message of ours or its own, whatever the protocol below
    does, so these pings are messages.

    interval: seconds of silence after which to ping.
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
        # Without an answer to a ping for so long, the peer stands still.
        return self._unanswered is not None and now - self._unanswered >= PEER_SECONDS

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


class Conversation:
    """What is kept from one connection to the next.

    grace: seconds after a connection's end for which the session can be resumed.
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
