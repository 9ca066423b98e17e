"""What a client may do, how much of it, and how long its answers may be."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from skillbook.agents.fence import fence, longest_fence, unfence
from skillbook.agents.state.run_context import Autonomy
from skillbook.errors import BudgetExceeded, ConfigError, InvalidParams
from skillbook.perception.text.tokens import count_tokens
from skillbook.policy.urls import origin_of

TabsOf = Literal["own", "shared"]
AUTONOMY: Mapping[str, Autonomy] = {"all": "ask", "writes": "reads", "irreversible": "all"}
"""Which autonomy asks before these calls."""
_MINUTE = 60.0


@dataclass(frozen=True)
class ClientLimits:
    """The limits of every client of a server.

    read_only: whether it may only look and go to pages.
    origins: the only origins whose pages it may use; empty for any, each of which asks once.
    tabs: `own` for tabs that it opens, `shared` for those too that the person shares with this kernel.
    autonomy: which calls pass without a person; irreversible ones never do.
    in_client: whether the person may approve in the client's own dialog, besides the side panel.
    answer_tokens: how many tokens an answer may have, as they are estimated here.
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

    clock: seconds, monotonic.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._made: deque[float] = deque()

    def take(self) -> None:
        """Count a call.

        Raises BudgetExceeded: there were as many as there may be.
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


_KEPT = 8
_LEAST = 100
_ENDS = 60
"""Tokens of the marks around page text, and of the words that say how to read on."""
_LONGEST_TOKEN = 12
"""A text with more characters a token than this is cut, whatever it costs."""


class CutAnswers:
    """The last answers that were cut.

    tokens: the most that an answer may have, by `count_tokens`.
    """

    def __init__(self, tokens: int) -> None:
        self._tokens = max(tokens, _LEAST)
        self._whole: OrderedDict[str, str] = OrderedDict()
        self._made = 0

    def cut(self, text: str) -> str:
        """The text, if need be without the end of its longest fence, and how to read that."""
        if len(text) <= self._tokens * _LONGEST_TOKEN and count_tokens(text) <= self._tokens:
            return text
        longest = longest_fence(text)
        ours = text if longest is None else text[: longest[0]] + text[longest[1] :]
        if longest is None or len(ours) > self._tokens or count_tokens(ours) > self._tokens // 2:
            # Many fences, or long words of ours: all of it is data then.
            return self._part(self._keep(unfence(text)), 0)
        start, end, whole = longest
        name = self._keep(whole)
        return self._fitting(
            whole,
            count_tokens(ours),
            lambda shown: f"{text[:start]}{fence(shown)}{text[end:]}\n{_more(name, len(shown), len(whole))}",
        )

    def more(self, name: str, start: int) -> str:
        """The next part of an answer that was cut.

        Raises InvalidParams: it isn't kept any more, or has no such part.
        """
        if name not in self._whole:
            raise InvalidParams(f"there is no answer {name!r} any more", hint="make the call again")
        if not 0 <= start < len(self._whole[name]):
            raise InvalidParams(f"answer {name} has {len(self._whole[name])} characters", hint="it is read")
        return self._part(name, start)

    def _part(self, name: str, start: int) -> str:
        whole = self._whole[name]

        def put(shown: str) -> str:
            end = start + len(shown)
            rest = f"\n{_more(name, end, len(whole))}" if end < len(whole) else ""
            return f"{fence(shown)}{rest}"

        return self._fitting(whole[start:], 0, put)

    def _fitting(self, text: str, around: int, put: Callable[[str], str]) -> str:
        """The answer with as much of a text as fits.

        around: tokens of other words in the answer.
        """
        room = max(1, self._tokens - around - _ENDS)
        while True:
            shown = _upto(text, room)
            answer = put(shown)
            over = count_tokens(answer) - self._tokens
            if over <= 0 or room == 1:
                return answer
            room = max(1, min(room - 1, count_tokens(shown) - over))

    def _keep(self, whole: str) -> str:
        self._made += 1
        name = f"a{self._made}"
        self._whole[name] = whole
        while len(self._whole) > _KEPT:
            self._whole.popitem(last=False)
        return name


def _upto(text: str, tokens: int) -> str:
    """The beginning of a text, up to the end of a line where there is one near."""
    shown = text[: tokens * _LONGEST_TOKEN]
    while (count := count_tokens(shown)) > tokens and len(shown) > 1:
        shown = shown[: max(1, min(len(shown) - 1, len(shown) * tokens // count))]
    if len(shown) == len(text):
        return shown
    line = shown.rfind("\n", len(shown) // 2)
    return shown if line < 0 else shown[: line + 1]


def _more(name: str, end: int, whole: int) -> str:
    return (
        f"[{end:,} of {whole:,} characters. `find` searches the page; `more` with answer={name!r}, start={end} "
        "reads on.]"
    )
