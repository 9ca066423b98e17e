"""Click, fill and hover by ref: the whole call, with all that it checks and observes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from benchmarks.figures import Figure, race
from benchmarks.peers import Tab


def measure(tab: Tab) -> Iterator[Figure]:
    """On the synthetic pages, where a lost click shows."""
    if not tab.label.endswith("elements"):
        return
    page, peer, numbers = tab.ours, tab.theirs, count()
    snapshot = page.snapshot()
    # The button's name counts its clicks.
    button = str(next(node.ref for node in snapshot.elements if node.role == "button"))
    field = str(snapshot.find("textbox 'Search'").ref)
    peer_button, peer_field = peer.locator("#probe"), peer.locator("#search")
    hits, clicks = int(peer.evaluate("window.hits")), count()

    def click() -> None:
        next(clicks)
        page.click(button)

    pairs = {
        "click by ref": (click, peer_button.click),
        "fill by ref": (
            lambda: page.fill(field, f"ours {next(numbers)}"),
            lambda: peer_field.fill(f"theirs {next(numbers)}"),
        ),
        "hover by ref": (lambda: page.hover(button), peer_button.hover),
    }

    def click_and_look() -> None:
        peer_button.click()
        tab.aria()

    for name, (ours, theirs) in pairs.items():
        mine, other = race(ours, theirs, tab.rounds, page.snapshot)
        if ours is click:
            done, made = int(peer.evaluate("window.hits")) - hits, 2 * next(clicks)
            if done != made:
                raise AssertionError(f"{made} clicks were made, {done} arrived")
        yield Figure(name, tab.label, mine, other, "ms", "faster", 1)
    mine, other = race(lambda: page.click(button).diff, click_and_look, tab.rounds, page.snapshot)
    yield Figure("click by ref and see what it changed", tab.label, mine, other, "ms", "faster", 3)
