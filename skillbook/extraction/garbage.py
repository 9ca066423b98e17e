"""Python's search for garbage, put off while very many objects are made that all stay."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_count = 0
_was_on = False


@contextmanager
def collecting_later() -> Iterator[None]:
    """Search for no cycles meanwhile: the search visits every cell again and again, and finds nothing to free."""
    global _count, _was_on
    with _lock:
        if _count == 0 and (_was_on := gc.isenabled()):
            gc.disable()
        _count += 1
    try:
        yield
    finally:
        with _lock:
            _count -= 1
            if _count == 0 and _was_on:
                gc.enable()
