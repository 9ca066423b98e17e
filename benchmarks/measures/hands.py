"""One call on one element, by ref and by selector, on growing pages, beside the same call of Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, cycle
from typing import TypeAlias

from benchmarks.figures import Figure, race
from benchmarks.pages import card_name
from benchmarks.peers import Tab

Pair: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
_CARDS = [card_name(number) for number in range(8)]
GOAL = 1 / 1.2
"""At most 1.2 times its time."""


def measure(tab: Tab) -> Iterator[Figure]:
    """On the synthetic pages, whose elements are alike but for their number."""
    if not tab.label.endswith("elements"):
        return
    tab.reload()
    for name, (ours, theirs) in {**_by_ref(tab), **_by_selector(tab)}.items():
        # The peer renames what we saw, so that is looked at again.
        mine, other = race(ours, theirs, tab.rounds, tab.ours.snapshot)
        yield Figure(name, tab.label, mine, other, "ms", "faster", GOAL)


def _by_ref(tab: Tab) -> dict[str, Pair]:
    page, peer, numbers = tab.ours, tab.theirs, count()
    snapshot = page.snapshot()
    field = str(snapshot.find("textbox 'Search'").ref)
    button = str(next(node.ref for node in snapshot.elements if node.role == "button"))
    box = str(next(node.ref for node in snapshot.elements if node.role == "checkbox"))
    their_button, their_field = peer.locator("#probe"), peer.locator("#search")
    their_box = peer.locator("[name=c1]")
    return {
        "type by ref": (
            lambda: page.type(field, "ab"),
            lambda: their_field.press_sequentially("ab"),
        ),
        "press by ref": (lambda: page.press("End", field), lambda: their_field.press("End")),
        "check and uncheck by ref": (
            lambda: (page.check(box), page.uncheck(box)),
            lambda: (their_box.check(), their_box.uncheck()),
        ),
        "fill and click by ref": (
            lambda: (page.fill(field, f"ours {next(numbers)}"), page.click(button)),
            lambda: (their_field.fill(f"theirs {next(numbers)}"), their_button.click()),
        ),
        "get text by ref": (lambda: page.text(button), their_button.inner_text),
        "is_visible by ref": (lambda: page.is_visible(button), their_button.is_visible),
    }


def _by_selector(tab: Tab) -> dict[str, Pair]:
    page, peer, numbers = tab.ours, tab.theirs, count()
    their_field = peer.get_by_role("textbox", name="Search", exact=True)
    their_heading = peer.get_by_role("heading", name="Products", exact=True)
    their_card = peer.get_by_role("article", name="Amber amber 0", exact=True)
    their_box = their_card.get_by_role("checkbox", name="Compare", exact=True)
    their_link = peer.get_by_role("link", name="About", exact=True)
    mine_next, theirs_next = cycle(_CARDS), cycle(_CARDS)
    card = "checkbox 'Compare' in article 'Amber amber 0'"
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
        "three fields by selector": (
            lambda: [page.fill("textbox 'Search'", f"ours {next(numbers)}") for _ in range(3)],
            lambda: [their_field.fill(f"theirs {next(numbers)}") for _ in range(3)],
        ),
        "type by selector": (
            lambda: page.type("textbox 'Search'", "ab"),
            lambda: their_field.press_sequentially("ab"),
        ),
        "press by selector": (
            lambda: page.press("End", "textbox 'Search'"),
            lambda: their_field.press("End"),
        ),
        "hover by selector": (lambda: page.hover("heading 'Products'"), their_heading.hover),
        "check and uncheck in a card": (
            lambda: (page.check(card), page.uncheck(card)),
            lambda: (their_box.check(), their_box.uncheck()),
        ),
        "fill and get text by selector": (
            lambda: (page.fill("textbox 'Search'", f"ours {next(numbers)}"), page.text("heading 'Products'")),
            lambda: (their_field.fill(f"theirs {next(numbers)}"), their_heading.inner_text()),
        ),
        "get text by selector": (lambda: page.text("heading 'Products'"), their_heading.inner_text),
        "is_visible by selector": (lambda: page.is_visible("heading 'Products'"), their_heading.is_visible),
    }
