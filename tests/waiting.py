"""Waits for what happens in another thread or process, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(condition: Callable[[], Any], problem: str = "it never came", seconds: float = 30) -> Any:
    """What a condition gives once it holds."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, problem
        time.sleep(0.02)
    return found
