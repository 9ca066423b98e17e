"""The snapshot after something small changed."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab

_CLICK = "selector => document.querySelector(selector).click()"
_MUTATE = """() => {
  const holder = [...document.querySelectorAll("p, span, h1, h2, button")].find((one) => one.firstChild?.data?.trim());
  const text = holder.firstChild;
  text.data = text.data.replace(/ ?\\u2713?$/, (end) => (end.includes("\\u2713") ? "" : " \\u2713"));
}"""


def measure(tab: Tab) -> Iterator[Figure]:
    """Each round clicks (on the synthetic pages) or changes a text by script, and times the snapshots that follow."""
    tab.ours.snapshot()
    clicks = tab.label.endswith("elements")
    goal = 50.0 if tab.label.startswith("50,000") else 8.0

    def change() -> None:
        tab.theirs.evaluate(_CLICK if clicks else _MUTATE, tab.act)

    ours, theirs = race(tab.ours.snapshot, tab.aria, tab.rounds, prepare=change)
    name = "snapshot after a click" if clicks else "snapshot after a text changed"
    yield Figure(name, tab.label, ours, theirs, "ms", "faster", goal)
