"""What the tests of runs have in common."""

from __future__ import annotations

import asyncio
from typing import Any

from skillbook.agents.run.agent_run import Run
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ToolCall


def settle(run: Run) -> Run:
    """Wait until the run waits for a person or has ended."""
    io.sync(run._stepper.settled(), timeout=10)
    return run


def settle_at(run: Run, steps: int) -> None:
    """Wait until so many steps are done and the run waits or has ended."""

    async def wait() -> None:
        changed = asyncio.Event()
        run.on_change.append(lambda _: changed.set())
        while len(run.records) < steps or run.status == "running":
            await changed.wait()
            changed.clear()

    io.sync(wait(), timeout=10)


def write(value: str, **more: Any) -> ToolCall:
    """A call of the tool that writes."""
    return ToolCall("write", {"value": value, **more})


LOOK = ToolCall("look", {"where": "here"})
