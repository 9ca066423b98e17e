"""How fast rows may begin at a site, over all workers of a map."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Gives each attempt at a row a time at which it may begin.

    Parameters
    ----------
    seconds : between the begins of two rows at one origin.
    clock : seconds, monotonic.
    """

    def __init__(self, seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next: dict[str, float] = {}
        self._begins: dict[str, float] = {}

    def wait(self, origin: str, attempt: str) -> float:
        """Seconds until an attempt may begin; the same time for the same attempt, unless the site asked for more."""
        now = self._clock()
        if attempt not in self._begins:
            at = max(now, self._next.get(origin, now))
            self._begins[attempt] = at
            self._next[origin] = at + self._seconds
        return max(0.0, self._begins[attempt] - now)

    def rest(self, origin: str, seconds: float) -> None:
        """Let nothing begin at an origin for so long: the site asked for that."""
        until = self._clock() + seconds
        self._next[origin] = max(until, self._next.get(origin, until))
