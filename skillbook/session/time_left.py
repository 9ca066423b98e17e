"""The time that a caller gave an action holds for the reads by which its target is found, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LEAST_SECONDS = 10.0
"""How long reading a page may take whatever the caller said: with `timeout=0` a target has to be there now."""

_end: ContextVar[float | None] = ContextVar("skillbook_time_left", default=None)


@contextmanager
def reading_within(seconds: float | None) -> Iterator[None]:
    """Limit the reads made within; None for no limit but each read's own."""
    limit = None if seconds is None else time.monotonic() + max(seconds, LEAST_SECONDS)
    token = _end.set(limit)
    try:
        yield
    finally:
        _end.reset(token)


def seconds_left(timeout: float | None) -> float | None:
    """A command's own timeout, or what is left of the limit around it."""
    end = _end.get()
    if timeout is not None or end is None:
        return timeout
    return max(0.1, end - time.monotonic())
