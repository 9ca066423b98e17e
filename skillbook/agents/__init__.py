"""Agents: a model that works on a page step by step, under a person's eyes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbook.agents.run.agent_run import Run
    from skillbook.agents.run.run_start import agent, resume

__all__ = ["Run", "agent", "resume"]

_PLACES = {
    "Run": "skillbook.agents.run.agent_run",
    "agent": "skillbook.agents.run.run_start",
    "resume": "skillbook.agents.run.run_start",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
