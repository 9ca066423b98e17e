"""A figure: what was measured, ours, a peer's, the goal and whether it is met."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from statistics import median
from typing import Any, Literal

Kind = Literal["faster", "share", "at most", "at least"]
_MOST_SECONDS = 15.0
_LEAST_ROUNDS = 2
_CHUNK = 200_000


@dataclass
class Figure:
    """One comparison.

    Parameters
    ----------
    measure, page : which measure, on which page.
    ours, theirs : what was measured; `theirs` is None where the goal is a plain number.
    unit : "ms", "tokens", "%" or "×".
    kind : how `goal` is read: "faster" (theirs/ours at least), "share" (ours/theirs at most), "at most" and
        "at least" (ours alone).
    note : what the numbers leave out; with a missed goal, why.
    """

    measure: str
    page: str
    ours: float
    theirs: float | None
    unit: str
    kind: Kind
    goal: float
    note: str = ""
    peer: str = "Playwright"

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is a figure of."""
        return self.measure, self.page, self.peer

    @property
    def ratio(self) -> float:
        """What is held against the goal."""
        if self.theirs is None or self.kind in {"at most", "at least"}:
            return self.ours
        if self.kind == "faster":
            return self.theirs / self.ours if self.ours else float("inf")
        return self.ours / self.theirs if self.theirs else float("inf")

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.ratio >= self.goal if self.kind in {"faster", "at least"} else self.ratio <= self.goal

    @property
    def shown_ratio(self) -> str:
        """The ratio as text."""
        if self.kind == "faster":
            return f"{self.ratio:.1f}×"
        if self.kind == "share":
            return f"{self.ratio:.1%}" if self.ratio < 0.1 else f"{self.ratio:.0%}"
        return self.show(self.ours)

    @property
    def shown_goal(self) -> str:
        """The goal as text."""
        if self.kind == "faster":
            return f"≥ {self.goal:.2g}×"
        if self.kind == "share":
            return f"≤ {self.goal:.0%}"
        return f"{'≤' if self.kind == 'at most' else '≥'} {self.show(self.goal)}"

    def show(self, value: float | None) -> str:
        """A measured value with its unit."""
        if value is None:
            return "–"
        if self.unit in {"tokens", "calls"} or (self.unit == "ms" and value >= 1000):
            return f"{value:,.0f} {self.unit}"
        return f"{value:.1f} {self.unit}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def race(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int,
    prepare: Callable[[], object] | None = None,
    most_seconds: float = _MOST_SECONDS,
) -> tuple[float, float]:
    """Median milliseconds of both, taken in turns; each round another one begins.

    Parameters
    ----------
    ours, theirs : what is timed.
    rounds : how many; fewer (two at least) where the time is up.
    prepare : called before each, not timed.
    most_seconds : when to stop.
    """
    took: dict[Callable[[], object], list[float]] = {ours: [], theirs: []}
    began = time.perf_counter()
    for number in range(rounds + 1):
        for action in (ours, theirs) if number % 2 else (theirs, ours):
            if prepare:
                prepare()
            started = time.perf_counter()
            action()
            took[action].append((time.perf_counter() - started) * 1000)
        if number >= _LEAST_ROUNDS and time.perf_counter() - began > most_seconds:
            break
    # The first round warms both up.
    return median(took[ours][1:]), median(took[theirs][1:])


def tokens(text: str) -> int:
    """Tokens of a text, by the tokenizer of current OpenAI models."""
    encoding, count, start = _encoding(), 0, 0
    while start < len(text):
        # The tokenizer takes so much at once; a chunk ends with its line, where few tokens would span.
        end = text.find("\n", start + _CHUNK) + 1 or len(text)
        count += len(encoding.encode(text[start:end]))
        start = end
    return count


@cache
def _encoding() -> Any:
    import bpe_openai  # type: ignore[import-untyped]

    return bpe_openai.get_encoding("o200k_base")
