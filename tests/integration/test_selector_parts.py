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


# Before the button goes down, other elements take the number.
LIST = "<ul id=list><li><button id=a>Go</button><li id=item><button id=b>Go</button><li><button id=c>Go</button></ul>"
COUNTED = {
    "a row is inserted": (
        "button 'Go' nth 2",
        LIST,
        "list.insertAdjacentHTML('afterbegin', '<li><button>Go</button>')",
    ),
    "a row is removed": ("button 'Go' nth 2", LIST, "a.parentNode.remove()"),
    "rows are reordered": ("button 'Go' nth 2", LIST, "list.append(a.parentNode)"),
    "the one before is called something else": ("button 'Go' nth 2", LIST, "a.textContent = 'Gone'"),
    "the one before is called so now": (
        "button 'Go' nth 2",
        LIST.replace("<li id=item>", "<li><button id=x>Wait</button><li id=item>"),
        "x.textContent = 'Go'",
    ),
    "the one before is hidden": ("button 'Go' nth 2", LIST, "a.hidden = true"),
    "the row before is hidden": ("button 'Go' nth 2", LIST, "a.parentNode.hidden = true"),
    "the one before is shown": (
        "button 'Go' nth 2",
        LIST.replace("<li id=item>", "<li><button id=x hidden>Go</button><li id=item>"),
        "x.hidden = false",
    ),
    "the one before has another state": (
        "button [expanded=false] nth 2",
        LIST.replace("<button", "<button aria-expanded=false"),
        "a.setAttribute('aria-expanded', 'true')",
    ),
    "the one before comes to its state": (
        "button [expanded] nth 2",
        LIST.replace("<button", "<button aria-expanded=true").replace(
            "<ul id=list>", "<ul id=list><li><button id=x aria-expanded=false>Go</button>"
        ),
        "x.setAttribute('aria-expanded', 'true')",
    ),
    "another container comes before": (
        "button 'Go' in (listitem nth 2)",
        LIST,
        "list.insertAdjacentHTML('afterbegin', '<li>new')",
    ),
    "of a role alone": (
        "button nth 2",
        LIST,
        "list.insertAdjacentHTML('afterbegin', '<li><button>New</button>')",
    ),
    "in a container": (
        "button 'Go' in list 'Bin' nth 2",
        LIST.replace("<ul id=list>", "<ul id=list aria-label=Bin>"),
        "list.insertAdjacentHTML('afterbegin', '<li><button>Go</button>')",
    ),
    "by CSS": (
        "css '#list button' nth 2",
        LIST,
        "list.insertAdjacentHTML('afterbegin', '<li><button>Go</button>')",
    ),
    "by a class of the one before": (
        "css '.go' nth 2",
        LIST.replace("<button", "<button class=go"),
        "a.className = ''",
    ),
}
KEPT = {
    "a row comes after it": (
        "button 'Go' nth 2",
        LIST,
        "list.insertAdjacentHTML('beforeend', '<li><button>Go</button>')",
    ),
    "something else comes before it": (
        "button 'Go' nth 2",
        LIST,
        "list.insertAdjacentHTML('afterbegin', '<li><button>Wait</button><button hidden>Go</button>')",
    ),
    "one of the name comes to another container": (
        "button 'Go' in list 'Bin' nth 2",
        "<ul id=other aria-label=Box><li>x</ul>"
        + LIST.replace("<ul id=list>", "<ul id=list aria-label=Bin>"),
        "other.insertAdjacentHTML('afterbegin', '<li><button>Go</button>')",
    ),
}


def counted(case: tuple[str, str, str], show_html: Callable[[str], Page]) -> tuple[Page, str]:
    """A page that changes once the mouse is there, and the selector."""
    selector, body, change = case
    page = show_html(
        f"{HEAD}<main style='height:600px'>{body}</main>"
        f"<script>b.addEventListener('mousemove', () => {{ {change} }}, {{ once: true }});"
        "document.addEventListener('click', (event) => pressed.push(event.target.id || 'new'))</script>"
        "<style>ul { position: relative; height: 400px; padding: 0; list-style: none } li { min-height: 20px }"
        "#item { position: absolute; top: 100px }</style>"
    )
    return page, selector


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("change", COUNTED)
def test_a_number_is_counted_again_at_the_press(change: str, show_html: Callable[[str], Page]) -> None:
    page, selector = counted(COUNTED[change], show_html)
    with pytest.raises((StaleRef, NoMatch, AmbiguousMatch)):
        page.click(selector, timeout=1)
    assert page.evaluate("pressed") == []


@pytest.mark.parametrize("change", KEPT)
def test_a_number_that_is_the_same_is_pressed(change: str, show_html: Callable[[str], Page]) -> None:
    page, selector = counted(KEPT[change], show_html)
    page.click(selector)
    assert page.evaluate("pressed") == ["b"]
