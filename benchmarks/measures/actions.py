"""One call on one element, by ref and by selector, on growing pages, beside the same call of Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, cycle
from typing import TypeAlias

from benchmarks.figures import Figure, race
from benchmarks.pages import card_name
from benchmarks.peers import Tab

Pair: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
MOST = 1.2
"""Times of the peer's time."""
_CARDS = [card_name(number) for number in range(8)]


def measure(tab: Tab) -> Iterator[Figure]:
    """On the synthetic pages, whose elements are alike but for their number, and where a lost click shows."""
    if not tab.label.endswith("elements"):
        return
    tab.reload()
    page, peer = tab.ours, tab.theirs
    # The button's name counts its clicks.
    button = str(next(node.ref for node in page.snapshot().elements if node.role == "button"))
    their_button = peer.locator("#probe")

    def click_and_look() -> None:
        their_button.click()
        tab.aria()

    mine, other = race(lambda: page.click(button).diff, click_and_look, tab.rounds, page.snapshot)
    yield Figure("click by ref and see what it changed", tab.label, mine, other, "ms", "share", 1 / 3)
    clicks = count()

    def click() -> None:
        next(clicks)
        page.click(button)

    hits = int(peer.evaluate("window.hits"))
    for name, (ours, theirs) in {
        "click by ref": (click, their_button.click),
        **_by_ref(tab, button),
        **_by_selector(tab),
    }.items():
        # The peer renames what we saw, so that is looked at again.
        mine, other = race(ours, theirs, tab.rounds, page.snapshot)
        if ours is click:
            done, made = int(peer.evaluate("window.hits")) - hits, 2 * next(clicks)
            if done != made:
                raise AssertionError(f"{made} clicks were made, {done} arrived")
        yield Figure(name, tab.label, mine, other, "ms", "share", MOST)


def _by_ref(tab: Tab, button: str) -> dict[str, Pair]:
    page, peer, numbers = tab.ours, tab.theirs, count()
    snapshot = page.snapshot()
    field = str(snapshot.find("textbox 'Search'").ref)
    box = str(next(node.ref for node in snapshot.elements if node.role == "checkbox"))
    their_button, their_field = peer.locator("#probe"), peer.locator("#search")
    their_box = peer.locator("[name=c1]")
    return {
        "fill by ref": (
            lambda: page.fill(field, f"ours {next(numbers)}"),
            lambda: their_field.fill(f"theirs {next(numbers)}"),
        ),
        "press by ref": (lambda: page.press("End", field), lambda: their_field.press("End")),
        "check and uncheck by ref": (
            lambda: (page.check(box), page.uncheck(box)),
            lambda: (their_box.check(), their_box.uncheck()),
        ),
        "hover by ref": (lambda: page.hover(button), their_button.hover),
        "get text by ref": (lambda: page.text(button), their_button.inner_text),
        "is_visible by ref": (lambda: page.is_visible(button), their_button.is_visible),
    }


def _by_selector(tab: Tab) -> dict[str, Pair]:
    page, peer, numbers = tab.ours, tab.theirs, count()
    their_field = peer.get_by_role("textbox", name="Search", exact=True)
    their_heading = peer.get_by_role("heading", name="Products", exact=True)
    their_box = peer.get_by_role("article", name="Amber amber 0", exact=True).get_by_role(
        "checkbox", name="Compare", exact=True
    )
    their_link = peer.get_by_role("link", name="About", exact=True)
    mine_next, theirs_next = cycle(_CARDS), cycle(_CARDS)
    box = "checkbox 'Compare' in article 'Amber amber 0'"
    return {
        "click by selector": (
            lambda: page.click(f"heading '{next(mine_next)}'"),
            lambda: peer.get_by_role("heading", name=next(theirs_next), exact=True).click(),
        ),
        "click by the same selector": (lambda: page.click("link 'About'"), their_link.click),
        "fill by selector": (
            lambda: page.fill("textbox 'Search'", f"ours {next(numbers)}"),
            lambda: their_field.fill(f"theirs {next(numbers)}"),
        ),
        "press by selector": (
            lambda: page.press("End", "textbox 'Search'"),
            lambda: their_field.press("End"),
        ),
        "check and uncheck by selector": (
            lambda: (page.check(box), page.uncheck(box)),
            lambda: (their_box.check(), their_box.uncheck()),
        ),
        "hover by selector": (lambda: page.hover("heading 'Products'"), their_heading.hover),
        "get text by selector": (lambda: page.text("heading 'Products'"), their_heading.inner_text),
        "is_visible by selector": (lambda: page.is_visible("heading 'Products'"), their_heading.is_visible),
    }
