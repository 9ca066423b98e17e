"""The one table of asks: what the browser's side panel may ask of a kernel."""

from __future__ import annotations

from skillbook.protocol.asks.run_asks import NOTICES, RUN_ASKS, Ask
from skillbook.protocol.asks.skill_asks import GRANT_ASKS, OUTPUT_ASKS, RECORDING_ASKS, SKILL_ASKS

_ALL = (SKILL_ASKS, RUN_ASKS, OUTPUT_ASKS, RECORDING_ASKS, GRANT_ASKS)
ASKS: dict[str, Ask] = {ask.name: ask for asks in _ALL for ask in asks}

__all__ = ["ASKS", "NOTICES", "Ask"]
