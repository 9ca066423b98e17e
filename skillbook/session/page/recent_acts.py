"""The last acts in a shared tab, kept in memory, so that a person can save afterwards what just happened."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal

from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.events import Gesture

Who = Literal["person", "agent", "replay", "hands"]


@dataclass(frozen=True)
class RecentAct:
    """One act in a tab.

    who: a cell ("person"), an agent, a replayed skill, or a person in the browser itself ("hands").
    done: a `PerformedCall`, or the `Gesture` of a person.
    latest: the page as it was read last before a gesture, or after a call.
    url: the page's address then.
    fresh: whether nobody had acted on the page since it was loaded.
    time: seconds since 1970.
    """

    number: int
    who: Who
    done: Any
    latest: Snapshot | None = field(repr=False)
    url: str
    fresh: bool = False
    time: float = field(default_factory=time.time)


class RecentActs:
    """A tab's last acts, the newest last; the oldest are forgotten.

    most: how many are kept; 0 keeps none.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._acts: deque[RecentAct] = deque(maxlen=most)
        self._numbers = count(1)

    def add(self, who: Who, done: Any, latest: Snapshot | None, url: str, *, fresh: bool = False) -> None:
        """Keep one more; text that is typed on and on, and a click that becomes a double click, stay one act."""
        if not self.most:
            return
        act = RecentAct(next(self._numbers), who, done, latest, url, fresh)
        self._acts.append(self._folded(act) if isinstance(done, Gesture) else act)

    def _folded(self, act: RecentAct) -> RecentAct:
        """A gesture in the place of those that it replaces, or goes on with; theirs is how the page was before."""
        gesture: Gesture = act.done
        for _ in range(gesture.replaces):
            if self._acts and _same_place(self._acts[-1].done, gesture):
                self._acts.pop()
        last = self._acts[-1] if self._acts else None
        goes_on = last is not None and last.done.command == gesture.command == "fill"
        if last is None or not goes_on or not _same_place(last.done, gesture):
            return act
        self._acts.pop()
        return replace(last, done=gesture.model_copy(update={"tree": gesture.tree or last.done.tree}))

    def clear(self) -> None:
        """Forget all of them, as the tab isn't shared any more."""
        self._acts.clear()

    def __iter__(self) -> Iterator[RecentAct]:
        return iter(list(self._acts))

    def __len__(self) -> int:
        return len(self._acts)


def _same_place(one: Any, other: Gesture) -> bool:
    return isinstance(one, Gesture) and (one.key, one.frame, one.path[:1]) == (
        other.key, other.frame, other.path[:1],
    )  # fmt: skip
