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
    """Each round clicks (on the synthetic pages) or changes a text by script, and times the snapshots that follow.

    The goal is that a later snapshot takes no longer than the first of a document.
    """
    first, _ = race(tab.ours.snapshot, lambda: None, tab.rounds, prepare=tab.reload)
    clicks = tab.label.endswith("elements")

    def change() -> None:
        tab.theirs.evaluate(_CLICK if clicks else _MUTATE, tab.act)

    ours, theirs = race(tab.ours.snapshot, tab.aria, tab.rounds, prepare=change)
    name = "snapshot after a click" if clicks else "snapshot after a text changed"
    note = f"Playwright's takes {theirs:,.1f} ms"
    yield Figure(name, tab.label, ours, first, "ms", "share", 1.0, note, "our first snapshot")
    still, _ = race(tab.ours.snapshot, lambda: None, tab.rounds)
    yield Figure("snapshot of an unchanged page", tab.label, still, None, "ms", "at most", 10)
