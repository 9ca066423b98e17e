"""A person's actions read of the page what they touch: what stays true nevertheless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from skillbook.errors import AmbiguousMatch, NoMatch, NotActionable, StaleRef
from skillbook.io_thread import io
from skillbook.perception.records import record_of
from skillbook.perception.selectors import parse_selector
from skillbook.session.action import PreparedAction
from skillbook.session.actions import aspects, prepare
from skillbook.session.actions.compound_actions import execute
from skillbook.session.actions.page_search import find_in_page
from skillbook.session.page.page_reader import PageReader
from skillbook.session.sync import Page

Serve: TypeAlias = Callable[[str], Page]
PAGE = """<h1>Orders</h1><button id=go onclick="out.textContent = 'done'">Go</button><p id=out>waiting</p>
<button id=turn onclick="this.textContent = this.textContent == 'Show' ? 'Hide' : 'Show'">Show</button>
<button id=dead>Nothing</button><label>Name <input id=who></label><label>City <input id=town></label><div id=host></div>
<table><tr><td>Ann</td><td><button onclick="say(this)">Edit</button></td></tr>
<tr><td>Bob</td><td><button onclick="say(this)">Edit</button></td></tr></table>
<script>function say(from) { out.textContent = "row " + from.closest("tr").cells[0].textContent }</script>"""

RENAMES = "<button onclick=\"other.textContent = 'Another'\">Rename</button><button id=other>Other</button>"


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


def test_a_panel_may_read_the_page_while_an_action_begins(
    serve_html: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = serve_html(f"{PAGE}<ul>{'<li>one more' * 60}</ul>")
    monkeypatch.setattr(page.driver.browser.settings, "look_at_once", True)
    page.snapshot()

    async def read_and_execute(reader: PageReader, action: PreparedAction) -> Any:
        await reader.snapshot()
        return await execute(reader, action)

    monkeypatch.setattr(aspects, "execute", read_and_execute)
    result = page.click("button 'Go'")
    assert result.diff is not None
    assert "done" in result.diff.text()


def test_an_own_change_of_a_name_is_no_surprise(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    ref = str(page.snapshot().find("button 'Show'").ref)
    for _ in range(3):
        page.click(ref)
    assert page.get("name", ref) == "Hide"


def test_a_result_names_its_target_as_it_was_then(serve_html: Serve) -> None:
    page = serve_html(PAGE + RENAMES)
    refs = {name: str(page.snapshot().find(f"button '{name}'").ref) for name in ("Show", "Other")}
    page.click("button 'Rename'")
    with pytest.raises(StaleRef, match="Other"):
        page.click(refs["Other"])
    named = page.hover(refs["Other"]).target
    assert named is not None
    assert named.name == "Another"
    assert page.click(refs["Other"]).target is not None
    for name in ("Show", "Hide"):
        clicked = page.click(refs["Show"]).target
        assert clicked is not None
        assert clicked.name == name


def test_what_a_selector_found_is_called_as_the_page_says(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    page.click("css '#turn'")
    page.evaluate("turn.textContent = 'Show'")
    page.click("css '#turn'")
    assert page.text("css '#turn'") == "Hide"


def test_what_scrolling_loaded_is_looked_up_too(serve_html: Serve) -> None:
    late = "<script>onscroll = () => { host.innerHTML = '<button>Late</button>' }</script><p style=height:9000px>"
    page = serve_html(PAGE + late)
    page.snapshot()
    page.scroll(dy=3000)
    assert page["button 'Late'"].role == "button"


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
    find, searches = prepare.find_in_page, list[Any]()

    async def found_and_recycled(driver: Any, selector: Any, *, acts: bool) -> Any:
        found = await find(driver, selector, acts=acts)
        searches.append(found)
        await driver.run(
            "evaluate", {"expression": "document.querySelectorAll('td')[2].textContent = 'Carl'"}
        )
        return found

    monkeypatch.setattr(prepare, "find_in_page", found_and_recycled)
    with pytest.raises(NoMatch, match="Bob"):
        page.click("button 'Edit' in row 'Bob'", timeout=1)
    assert page.evaluate("out.textContent") == "waiting"
    assert searches[0] is not None
    assert searches[1] is None


BEFORE = "<div>Ann <button>Edit</button> Bob <button>Edit</button></div>"
NUMBERS = "<table><tr><td>12<td><button>Edit</button><tr><td>13<td><button>Copy</button></table>"
LINKS = "<ul><li><a href=/1><img src=data: width=9></a><button>Edit</button><li><a href=/2>b</a></ul>"
COUNTS = "<ul><li>Order (12) <button>Edit</button><li>Order (13) <button>Copy</button></ul>"


@pytest.mark.parametrize(
    ("html", "selector", "texts"),
    [
        (BEFORE, "button 'Edit' nth 2", None),
        (NUMBERS, "button 'Edit'", ["12"]),
        (LINKS, "button 'Edit'", []),
        (COUNTS, "button 'Edit'", ["Order (12)"]),
        (PAGE, "button 'Edit' in row 'Bob'", ["Bob"]),
    ],
)
def test_what_tells_a_record_from_others_is_found_in_the_page_or_left_to_the_snapshot(
    show_html: Serve, html: str, selector: str, texts: list[str] | None
) -> None:
    page = show_html(html)
    found = io.sync(find_in_page(page.driver, parse_selector(selector), acts=True))
    record = found.seen.record if found is not None and found.seen is not None else None
    assert (record.texts if record is not None else None) == texts
    if html == BEFORE:  # no markup bounds the record: the page as a whole shows where it begins
        whole = record_of(page.snapshot().find(selector))
        assert whole is not None
        assert whole.names == ("Bob",)
    if html == COUNTS:
        assert record is not None
        assert not record.loose
    if html == LINKS:
        assert record is not None
        assert [link.rpartition("/")[2] for link in record.links] == ["1"]
