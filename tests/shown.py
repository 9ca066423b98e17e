"""A person who reads the question that waits before they decide on it."""

from __future__ import annotations

from skillbook.agents.run.agent_run import Run
from skillbook.io_thread import io


def after_reading(run: Run) -> Run:
    """The run, once its question was shown where a cell's outputs are."""
    io.sync(run._stepper.settled(), timeout=60)
    repr(run.pending)
    return run
