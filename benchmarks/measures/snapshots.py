"""The first, full snapshot of a document."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab

_LARGEST = 12_000
_LONGEST_MS = 50.0
_WATCH = """() => {
  window.skillbookTasks = [];
  const note = (list) => window.skillbookTasks.push(...list.getEntries());
  new PerformanceObserver(note).observe({ type: "longtask", buffered: true });
}"""
# Tasks of at least 50 ms after the document was loaded; entries come with a later task.
_LONGEST = """() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
  const [{ loadEventEnd }] = performance.getEntriesByType("navigation");
  resolve(Math.max(0, ...skillbookTasks.filter((task) => task.startTime >= loadEventEnd).map((task) => task.duration)));
})))"""


def measure(tab: Tab) -> Iterator[Figure]:
    """Each round on a document loaded anew, so that nothing is left from an earlier snapshot."""
    ours, theirs = race(tab.ours.snapshot, tab.aria, tab.rounds, prepare=tab.reload)
    yield Figure("full snapshot", tab.label, ours, theirs, "ms", "faster", 8)
    if len(tab.ours.snapshot().nodes) > _LARGEST:
        return
    tasks = []
    for _ in range(tab.rounds):
        tab.reload()
        tab.theirs.evaluate(_WATCH)
        tab.ours.snapshot()
        tasks.append(float(tab.theirs.evaluate(_LONGEST)))
    longest = sorted(tasks)[len(tasks) // 2]
    note = "tasks of less than 50 ms aren't told, and count as 0; of the rounds, the median"
    yield Figure("longest task of a snapshot", tab.label, longest, None, "ms", "at most", _LONGEST_MS, note)
