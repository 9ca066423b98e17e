"""A person's actions read of the page what they touch: what stays true nevertheless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from skillbook.errors import AmbiguousMatch, NotActionable, StaleRef
from skillbook.session.actions import prepare
from skillbook.session.sync import Page

Serve: TypeAlias = Callable[[str], Page]
PAGE = """<h1>Orders</h1><button id=go onclick="out.textContent = 'done'">Go</button><p id=out>waiting</p>
<button id=turn onclick="this.textContent = this.textContent == 'Show' ? 'Hide' : 'Show'">Show</button>
<button id=dead>Nothing</button><label>Name <input id=who></label><label>City <input id=town></label><div id=host></div>
<table><tr><td>Ann</td><td><button onclick="say(this)">Edit</button></td></tr>
<tr><td>Bob</td><td><button onclick="say(this)">Edit</button></td></tr></table>
<script>function say(from) { out.textContent = "row " + from.closest("tr").cells[0].textContent }</script>"""


def test_what_changed_is_read_when_somebody_looks(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    before = page.snapshot()
    result = page.click("button 'Go'")
    assert page.driver.latest is before
    assert result.changed
    assert page.driver.latest is before
    assert result.diff is not None
    assert "done" in result.diff.text()
    assert result.when == ""
    assert page.driver.latest is not before
    assert not page.hover("heading 'Orders'").changed
    page.click("button 'Show'")
    late = page.click("button 'Hide'")
    assert (late.changed, late.when) == (True, "with what 1 action before it changed")
    # What is looked up by name is looked up on the page as it is.
    page.click("button 'Show'")
    assert page["button 'Hide'"].ref == before.find("button 'Show'").ref


def test_an_own_change_of_a_name_is_no_surprise(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    ref = str(page.snapshot().find("button 'Show'").ref)
    for _ in range(3):
        page.click(ref)
    assert page.get("name", ref) == "Hide"


def test_a_field_that_the_page_changes_is_reported_by_the_next_action(serve_html: Serve) -> None:
    page = serve_html(PAGE + "<script>who.onblur = () => { who.value = who.value.slice(0, 2) }</script>")
    page.fill("label 'Name'", "Annabel")
    notes = page.fill("label 'City'", "Oslo").notes
    assert len(notes) == 1
    assert "the page has changed that to 'An'" in notes[0]
    page.evaluate("town.value = 'Rome'")
    with pytest.raises(NotActionable, match="since then the page has changed that to 'Rome'"):
        page.click("button 'Go'")


def test_elements_that_no_snapshot_has_seen(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    before = page.snapshot()
    page.evaluate("""(() => { const root = host.attachShadow({ mode: "closed" });
        root.innerHTML = "<button onclick='document.title = 1'>Closed</button>"; })()""")
    page.click("button 'Closed'")
    assert page.evaluate("document.title") == "1"
    page.click("button 'Edit' in row 'Bob'")
    assert page.text("paragraph") == "row Bob"
    assert page.driver.latest is before
    ref = page.element("button 'Closed'").ref
    page.evaluate("host.remove()")
    with pytest.raises(StaleRef):
        page.click(ref)


def test_frames_are_looked_through_too(serve_html: Serve) -> None:
    page = serve_html(PAGE + "<iframe srcdoc='<button>Go</button><button>Inside</button>'></iframe>")
    page.wait_for(selector="button 'Inside'")
    assert page.click("button 'Inside'").target is not None
    with pytest.raises(AmbiguousMatch):
        page.click("button 'Go'", timeout=0)


def test_a_row_that_is_another_by_the_press_is_refused(
    serve_html: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve_html(PAGE)
    page.snapshot()
    find = prepare.find_in_page

    async def found_and_recycled(driver: Any, selector: Any, *, acts: bool) -> Any:
        found = await find(driver, selector, acts=acts)
        assert found is not None
        await driver.run(
            "evaluate", {"expression": "document.querySelectorAll('td')[2].textContent = 'Carl'"}
        )
        return found

    monkeypatch.setattr(prepare, "find_in_page", found_and_recycled)
    with pytest.raises(StaleRef, match="Bob"):
        page.click("button 'Edit' in row 'Bob'")
    assert page.evaluate("out.textContent") == "waiting"
