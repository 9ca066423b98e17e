"""The person's part of a cassette: decisions given in a panel. Those given by code are given by that code again."""

from __future__ import annotations

from typing import Any

from skillbook.errors import CassetteMismatch
from skillbook.session.cassette.recorded_conversation import readable, short_diff
from skillbook.session.cassette.scrub import Scrubber


class RecordedDecisions:
    """Decisions in order, each with the call that it was about."""

    def __init__(self, entries: list[dict[str, Any]], scrubber: Scrubber) -> None:
        self._entries = entries
        self._scrubber = scrubber
        self._place = 0

    @property
    def left(self) -> int:
        """How many decisions of the panel nobody has asked for yet."""
        return sum("decision" in entry for entry in self._entries[self._place :])

    def record(self, call: dict[str, Any], decision: dict[str, Any] | None) -> None:
        """Keep a decision; None for one that code gave."""
        entry = {"call": call} if decision is None else {"call": call, "decision": decision}
        self._entries.append(self._scrubber.data(entry))

    def replay(self, call: dict[str, Any]) -> dict[str, Any] | None:
        """The person's decision on the next call; None where code gave it, or nobody had.

        Raises
        ------
        CassetteMismatch : another call waits than when it was recorded.
        """
        if self._place >= len(self._entries):
            return None
        entry = self._entries[self._place]
        known, now = (
            self._scrubber.compared(readable(each)) for each in (entry["call"], self._scrubber.data(call))
        )
        if known != now:
            raise CassetteMismatch(
                f"decision {self._place + 1} was about another call than the one that waits:\n{short_diff(known, now)}",
                hint="record the cassette anew: mode='record'",
            )
        self._place += 1
        decision: dict[str, Any] | None = entry.get("decision")
        return decision
