"""A count of the commands that left for the browser, to hold the journal against."""

from __future__ import annotations

from collections import Counter
from typing import Any

from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.gateway import Bridge


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
        body: RequestBody,
        timeout: float | None = None,
    ) -> Any:
        """Send a command and wait for its result."""
        if not COMMANDS[body.command].quiet:
            self.sent[body.command] += 1
        return await self._bridge.request(body, timeout)
