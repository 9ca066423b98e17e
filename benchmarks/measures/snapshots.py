"""The first, full snapshot of a document."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab
from benchmarks.tasks import traced

_LARGEST, _LONGEST_MS = 3_000, 50.0
"""Up to so many nodes the longest task is this short."""
_IDLE = "() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))"
_NOTE = (
    "by the browser's trace: the processor's time of the content script's tasks, and of messages to it; the median of "
    "the rounds"
)


def measure(tab: Tab) -> Iterator[Figure]:
    """Each round on a document loaded anew, so that nothing is left from an earlier snapshot.

    The goal is 3.5 times as fast on synthetic pages from 1,000 elements on, and on no other slower; `report` adds the
    median of the real ones.
    """
    ours, theirs = race(tab.ours.snapshot, tab.aria, tab.rounds, prepare=tab.reload)
    goal = 3.5 if tab.label.endswith(",000 elements") else 1
    yield Figure("full snapshot", tab.label, ours, theirs, "ms", "faster", goal)
    if len(tab.ours.snapshot().nodes) > _LARGEST:
        return
    longest = sorted(_longest(tab) for _ in range(tab.rounds))[tab.rounds // 2]
    yield Figure("longest task of a snapshot", tab.label, longest, None, "ms", "at most", _LONGEST_MS, _NOTE)


def _longest(tab: Tab) -> float:
    browser = tab.theirs.context.browser
    assert browser is not None
    with traced(browser) as trace:
        tab.reload()
        tab.theirs.evaluate("console.timeStamp('began')")
        tab.ours.snapshot()
        tab.theirs.evaluate("console.timeStamp('ended')")
        tab.theirs.evaluate(_IDLE)
    return max(trace.skillbook_tasks("began", "ended"), default=0.0)
