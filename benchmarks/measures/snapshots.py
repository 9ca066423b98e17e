"""The first, full snapshot of a document."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab


def measure(tab: Tab) -> Iterator[Figure]:
    """Each round on a document loaded anew, so that nothing is left from an earlier snapshot."""
    ours, theirs = race(tab.ours.snapshot, tab.aria, tab.rounds, prepare=tab.reload)
    yield Figure("full snapshot", tab.label, ours, theirs, "ms", "faster", 8)
