"""Eight reading tasks with `autonomy="reads"`: how often a person is asked, and that a write still is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.shown import after_reading

ROWS = "".join(f"<tr><td>Lamp {n}<td>{n * 7 % 10}</tr>" for n in range(5))
SORT = "document.querySelector('tbody').append(...[...document.querySelectorAll('tbody tr')].reverse())"
PAGE = f"""<!doctype html><title>Shop</title><nav><a href=/write/page2?page=2>Next</a> <a href=/page>Home</a></nav>
<form action=/page><label>Search <input name=q></label><button>Search</button></form>
<table><thead><tr><th>Name<th><button type=button onclick="{SORT}">Price</button></thead><tbody>{ROWS}</tbody></table>
<label>Sort by <select onchange="{SORT}"><option>Name<option>Price</select></label>
<label><input type=checkbox onchange="document.querySelector('tbody tr').hidden = this.checked"> In stock</label>
<button aria-expanded=false onclick="this.ariaExpanded = 'true'; m.hidden = false">Menu</button>
<div id=m role=menu hidden><button role=menuitem onclick="m.hidden = true">All lamps</button></div>
<div role=tablist><button role=tab aria-selected=false onclick="this.ariaSelected = 'true'">Details</button></div>
<label>Filter <input oninput="document.querySelector('tbody tr').hidden = !!this.value"></label>
<form method=post action=/write/order><label>Note <input name=note></label><button>Go</button></form>"""


def click(target: str) -> ToolCall:
    return ToolCall("click", {"target": target})


def fill(target: str, value: str) -> ToolCall:
    return ToolCall("fill", {"target": target, "value": value})


TASKS = {
    "search": [fill("textbox 'Search'", "lamp"), click("button 'Search'")],
    "sort by the header": [click("button 'Price'")],
    "sort by a list": [ToolCall("select", {"target": "combobox 'Sort by'", "values": ["Price"]})],
    "filter by a box": [ToolCall("check", {"target": "checkbox 'In stock'"})],
    "filter by typing": [ToolCall("type", {"target": "textbox 'Filter'", "text": "lamp"})],
    "open a menu": [click("button 'Menu'"), click("menuitem 'All lamps'")],
    "open a tab": [click("tab 'Details'")],
    "turn the page": [click("link 'Next'"), ToolCall("back", {})],
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_attack() as site:
        site.app.pages["/page"] = PAGE
        site.app.pages["/write/page2"] = "<!doctype html><title>2</title><p>Page 2</p>"
        yield site


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Page]:
    page = browser.open(f"{site.url}/page")
    yield page
    page.close()


def questions(page: Page, calls: list[ToolCall]) -> list[str]:
    run = sb.agent(page, "Read it.", ScriptedModel([*calls, "done"]), autonomy="reads").run()
    asked = []
    while run.pending is not None:
        asked.append(run.pending.review.reason)
        after_reading(run).reject()
    assert run.status == "succeeded", run.error
    return asked


def test_eight_reading_tasks_ask_at_most_twice(page: Page, site: Site) -> None:
    asked: dict[str, list[str]] = {}
    for task, calls in TASKS.items():
        page.goto(f"{site.url}/page")
        asked[task] = questions(page, calls)
    assert {task: each for task, each in asked.items() if each} == {}, "docs/safety.md names the figure"


def test_what_wants_to_be_sent_is_asked_about(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/page")
    site.app.arrived.clear()
    (asked,) = questions(page, [fill("textbox 'Note'", "x"), click("button 'Go'")])
    assert "/write/order" in asked
    assert site.app.arrived == []
