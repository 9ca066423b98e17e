"""Updates put together, so that a frontend never gets more than it can render."""

from __future__ import annotations

import threading
from collections.abc import Callable

from skillbook.io_thread import io

MAX_HERTZ = 10.0


class Throttle:
    """Runs a callback on the I/O thread soon after a request, at most ten times a second.

    The last request is never lost.

    Parameters
    ----------
    callback : what to run.
    hertz : the most runs a second.
    delay : seconds from the first request to its run.
    """

    def __init__(self, callback: Callable[[], None], hertz: float = MAX_HERTZ, delay: float = 0.0) -> None:
        self._callback = callback
        self._gap = 1.0 / hertz
        self._delay = delay
        self._last = float("-inf")
        self._waiting = False
        self._lock = threading.Lock()

    def request(self) -> None:
        """Request a run; may be called from any thread."""
        with self._lock:
            if self._waiting:
                return
            self._waiting = True
        io.call_soon(self._schedule)

    def _schedule(self) -> None:
        delay = max(self._last + self._gap - io.loop.time(), self._delay)
        if delay > 0:
            io.loop.call_later(delay, self._run)
        else:
            self._run()

    def _run(self) -> None:
        with self._lock:
            self._waiting = False
        self._last = io.loop.time()
        self._callback()
