"""A count of the commands that left for the browser, to hold the journal against."""

from __future__ import annotations

from collections import Counter
from typing import Any

from skillbook.session.gateway import QUIET, Bridge


class CountedBridge:
    """Passes commands on and counts those that the journal must know of.

    Attributes
    ----------
    sent : how many of each command.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self.sent: Counter[str] = Counter()

    async def request(
        self,
        command: str,
        params: dict[str, Any],
        tab: int | None = None,
        timeout: float | None = None,
        origin: str | None = None,
        observe: dict[str, Any] | None = None,
    ) -> Any:
        """Send a command and wait for its result."""
        if command not in QUIET:
            self.sent[command] += 1
        return await self._bridge.request(
            command, params, tab=tab, timeout=timeout, origin=origin, observe=observe
        )
