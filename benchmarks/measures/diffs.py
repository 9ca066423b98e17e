"""What an action's diff costs beside the full text."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, tokens
from benchmarks.peers import Tab


def measure(tab: Tab) -> Iterator[Figure]:
    """Clicks what a user would click next."""
    tab.reload()
    before = tab.ours.snapshot()
    tab.theirs.locator(tab.act).first.click()
    tab.theirs.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    after = tab.ours.snapshot()
    diff = tokens(after.diff(before).text())
    full = tokens(after.text(budget=None))
    yield Figure(
        "diff after a click", tab.label, diff, full, "tokens", "share", 0.05,
        f"{tab.act.split(' >>')[0]} clicked", "our full text",
    )  # fmt: skip
