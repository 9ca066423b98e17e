"""A snapshot of a page that didn't change since the last one."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab


def measure(tab: Tab) -> Iterator[Figure]:
    """Beside our first snapshot of the document."""
    first, _ = race(tab.ours.snapshot, lambda: None, tab.rounds, prepare=tab.reload)
    still, _ = race(tab.ours.snapshot, lambda: None, tab.rounds)
    yield Figure(
        "snapshot of an unchanged page", tab.label, still, first, "ms", "share", 0.3, "", "our first snapshot"
    )
