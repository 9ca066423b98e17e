"""Before input, each part of a selector still holds: what changes between the search and the press isn't pressed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch, NoMatch, StaleRef
from skillbook.session.sync import Page

HEAD = "<script>const pressed = []; const log = (event) => pressed.push(event.currentTarget.id)</script>"
# The mouse comes, and the page changes what the selector said before the button goes down.
CHANGES = {
    "button 'Go' [expanded=false]": (
        "<button id=go aria-expanded=false>Go</button>",
        "go.setAttribute('aria-expanded', 'true')",
    ),
    "checkbox 'Go' [checked=false]": ("<input type=checkbox id=go aria-label=Go>", "go.checked = true"),
    "button 'Go' [pressed]": (
        "<button id=go aria-pressed=true>Go</button>",
        "go.setAttribute('aria-pressed', 'false')",
    ),
    "button 'Go' in region 'Billing'": (
        "<section id=part aria-label=Billing><button id=go>Go</button></section>",
        "part.setAttribute('aria-label', 'Shipping')",
    ),
    "button 'Go' in row [selected]": (
        "<div role=grid><div role=row id=part aria-selected=true><span role=gridcell>Bob</span>"
        "<span role=gridcell><button id=go>Go</button></span></div></div>",
        "part.setAttribute('aria-selected', 'false')",
    ),
    "button 'Go' in row 'open'": (
        "<table><tr><td>Bob<td id=part>open<td><button id=go>Go</button>"
        "<tr><td>Cy<td>done<td><button>Go</button></table>",
        "part.textContent = 'shut'",
    ),
    "button 'Go' in group 'Bob' in region 'Billing'": (
        "<section id=part aria-label=Billing><div role=group aria-label=Bob><button id=go>Go</button></div></section>",
        "part.setAttribute('aria-label', 'Shipping')",
    ),
}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("selector", CHANGES)
def test_what_a_selector_said_is_no_more_so_and_nothing_is_pressed(
    selector: str, show_html: Callable[[str], Page]
) -> None:
    body, change = CHANGES[selector]
    page = show_html(
        f"{HEAD}<main>{body}</main><script>go.addEventListener('mouseenter', () => {{ {change} }});"
        "go.addEventListener('click', log)</script>"
    )
    with pytest.raises((StaleRef, NoMatch, AmbiguousMatch)):
        page.click(selector, timeout=1)
    assert page.evaluate("pressed") == []


@pytest.mark.parametrize("selector", CHANGES)
def test_what_still_holds_is_pressed(selector: str, show_html: Callable[[str], Page]) -> None:
    body, _ = CHANGES[selector]
    page = show_html(f"{HEAD}<main>{body}</main><script>go.addEventListener('click', log)</script>")
    page.click(selector)
    assert page.evaluate("pressed") == ["go"]


@pytest.mark.parametrize("event", ["pointerdown", "mousedown"])
def test_what_the_press_itself_changes_is_its_effect(event: str, show_html: Callable[[str], Page]) -> None:
    body, change = CHANGES["button 'Go' [expanded=false]"]
    page = show_html(
        f"{HEAD}<main>{body}</main><script>go.addEventListener('{event}', () => {{ {change} }});"
        "go.addEventListener('click', log)</script>"
    )
    page.click("button 'Go' [expanded=false]")
    assert page.evaluate("pressed") == ["go"]
