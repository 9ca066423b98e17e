"""Requests that wait for an answer, each with its deadline."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skillbook.errors import CommandTimeout, ConnectionLost, NotConnected, SkillbookError
from skillbook.limits import PEER_SECONDS
from skillbook.protocol.commands import COMMANDS, method_of
from skillbook.protocol.envelopes import Request, RequestBody


@dataclass(slots=True)
class Pending:
    """One request.

    deadline: until when it may take.
    session: the one it was made or last sent in.
    more: seconds that a read may take in addition if the browser stands still; 0 if the caller gave a timeout.
    sent, sent_at: whether and when it left for the browser.
    lost_by: how its first try ended.
    """

    id: int
    body: RequestBody
    deadline: float
    session: str | None
    more: float = 0.0
    sent: bool = False
    sent_at: float = 0.0
    lost_by: str | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What an error about this request carries: command, effect, whether it was sent."""
        known = COMMANDS.get(self.body.command)
        return {
            "command": self.body.command,
            "effect": known.effect.value if known else "write",
            "sent": self.sent,
        }

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent once more after its connection was lost: a read, for the first time."""
        known = COMMANDS.get(self.body.command)
        return self.lost_by is None and known is not None and known.reads and known.resendable

    @property
    def ends(self) -> float:
        """When the kernel gives up on it."""
        # How long after its deadline a sent request still waits: the browser's own error says more than ours.
        return self.deadline + PEER_SECONDS if self.sent else self.deadline

    def to_request(self, now: float) -> Request:
        """The message to send now, with the time that is left."""
        left = max(1, round((self.deadline - now) * 1000))
        return Request(id=self.id, deadline_ms=left, **dict(self.body))

    def lost(self, cause: str) -> ConnectionLost:
        """The error for a connection that is gone: only a sent command that writes may have happened."""
        hint = None
        if not self.sent:
            hint = "it was never sent; try again when the browser is connected"
        elif self.facts["effect"] == "read":
            hint = "try again; reading changes nothing"
        return ConnectionLost(
            f"the connection to the browser was lost during {method_of(self.body.command)}: {cause}",
            hint=hint,
            **self.facts,
        )

    def late(self, silence: float | None = None) -> SkillbookError:
        """The error for a passed deadline.

        silence: for how many seconds a browser has been silent that stands still.
        """
        if self.sent:
            message = f"the browser gave no answer to {method_of(self.body.command)} in time"
            if silence is None:
                return CommandTimeout(message, **self.facts)
            return CommandTimeout(
                f"{message}: it has stood still for {silence:.0f} s",
                hint="see whether its processes are stopped, or its computer sleeps",
                **self.facts,
            )
        if self.lost_by is not None:
            return self.lost(f"{self.lost_by}, and it wasn't back in time")
        return NotConnected(
            f"no browser was connected in time for {method_of(self.body.command)}", **self.facts
        )


class PendingTable:
    """Pending requests by id; ids grow and are never used again."""

    def __init__(self) -> None:
        self._rows: dict[int, Pending] = {}
        self._ends: list[tuple[float, int]] = []
        self._last_id = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Pending]:
        return iter(tuple(self._rows.values()))

    def add(self, body: RequestBody, deadline: float, session: str | None, more: float = 0.0) -> Pending:
        """Put a new request down."""
        self._last_id += 1
        row = Pending(self._last_id, body, deadline, session, more)
        self._rows[row.id] = row
        heapq.heappush(self._ends, (row.ends, row.id))
        return row

    def mark_sent(self, row: Pending, session: str | None, now: float) -> None:
        """Note that a request left for the browser."""
        row.sent, row.sent_at, row.session = True, now, session
        heapq.heappush(self._ends, (row.ends, row.id))

    def prolong(self, row: Pending, now: float) -> None:
        """Give a read, once, the time that it may take in addition."""
        row.deadline, row.more = now + row.more, 0.0
        self._rows[row.id] = row
        heapq.heappush(self._ends, (row.ends, row.id))

    def hold(self, row: Pending, cause: str) -> None:
        """Keep a request whose connection was lost for the next one."""
        row.sent, row.lost_by = False, cause
        heapq.heappush(self._ends, (row.ends, row.id))

    def get(self, id: int) -> Pending | None:
        """The request of that id, if it still waits."""
        return self._rows.get(id)

    def pop(self, id: int) -> Pending | None:
        """Take a request out."""
        return self._rows.pop(id, None)

    @property
    def next_end(self) -> float | None:
        """When the next request ends, if one waits."""
        while self._ends:
            end, id = self._ends[0]
            row = self._rows.get(id)
            if row is not None and row.ends == end:
                return end
            heapq.heappop(self._ends)
        return None

    def pop_late(self, now: float) -> list[Pending]:
        """Take out every request whose end has come."""
        late: list[Pending] = []
        while (end := self.next_end) is not None and end <= now:
            late.append(self._rows.pop(self._ends[0][1]))
        return late
