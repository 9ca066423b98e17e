"""Waiting in a test's kernel."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.02)
