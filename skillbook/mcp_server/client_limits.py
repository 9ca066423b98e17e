"""What a client may do, and how much of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from skillbook.agents.state.run_context import Autonomy
from skillbook.errors import BudgetExceeded, ConfigError
from skillbook.policy.urls import origin_of

TabsOf = Literal["own", "shared"]
AUTONOMY: Mapping[str, Autonomy] = {"all": "ask", "writes": "reads", "irreversible": "all"}
"""Which autonomy asks before these calls."""
_MINUTE = 60.0


@dataclass(frozen=True)
class ClientLimits:
    """The limits of every client of a server.

    Parameters
    ----------
    read_only : whether it may only look and go to pages.
    origins : the only origins whose pages it may use; empty for any, each of which asks once.
    tabs : `own` for tabs that it opens, `shared` for those too that the person shares with this kernel.
    autonomy : which calls pass without a person; irreversible ones never do.
    in_client : whether the person may approve in the client's own dialog, besides the side panel.
    answer_tokens : how many tokens an answer may have, as they are estimated here.
    calls_a_minute, max_calls : how many calls it may make, in a minute and in all.
    """

    read_only: bool = False
    origins: tuple[str, ...] = ()
    tabs: TabsOf = "own"
    autonomy: Autonomy = "all"
    in_client: bool = True
    answer_tokens: int = 4000
    calls_a_minute: int = 120
    max_calls: int = 500

    def __post_init__(self) -> None:
        for name in ("answer_tokens", "calls_a_minute", "max_calls"):
            if getattr(self, name) <= 0:
                raise ConfigError(
                    f"{name}={getattr(self, name)} lets a client do nothing", hint="give more than 0"
                )
        for origin in self.origins:
            if origin_of(origin) is None:
                raise ConfigError(f"{origin!r} is no origin", hint="give https://HOST[:PORT]")

    def forbids(self, url: str) -> bool:
        """Whether it may not use a page."""
        origin = origin_of(url)
        return bool(self.origins) and origin is not None and origin not in set(map(origin_of, self.origins))


class CallRate:
    """Counts calls within the last minute.

    Parameters
    ----------
    most : calls a minute.
    clock : seconds, monotonic.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._made: deque[float] = deque()

    def take(self) -> None:
        """Count a call.

        Raises
        ------
        BudgetExceeded : there were as many as there may be.
        """
        now = self._clock()
        while self._made and self._made[0] <= now - _MINUTE:
            self._made.popleft()
        if len(self._made) >= self._most:
            seconds = self._made[0] + _MINUTE - now
            raise BudgetExceeded(
                f"{self._most} calls were made within a minute, as many as may be",
                hint=f"go on in {seconds:.0f} s",
            )
        self._made.append(now)
