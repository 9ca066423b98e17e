"""A skill that opens a record by an input and changes it: replayed for another record, it sends to that one only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Page
from skillbook.skill import Skill
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.shown import after_reading

LIST = """<h1>Orders</h1><input type=search aria-label="Search orders">
<table><tr><th>Number<th>Customer
<tr><td><a href="/orders/41/edit">A-101</a><td>Ann Lee
<tr><td><a href="/orders/52/edit">A-102</a><td>Bob Stone
</table>"""
EDIT = """<h1>{number}</h1><form method=post {form}>
<label>Note <input name=note></label><button>Save</button></form>"""
FORM = EDIT.replace("{form}", "")
SCRIPT = EDIT.replace(
    "{form}",
    "onsubmit=\"event.preventDefault(); fetch('/api/orders/{id}', {method: 'PUT', body: new FormData(this)})"
    ".then(() => this.append('saved'))\"",
)
QUERY = EDIT.replace("{form}", 'action="/save?order={id}"')


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_attack() as site:
        yield site


def show(site: Site, edit: str, other: str = "52") -> None:
    """Serve the list and the pages of two orders; the second one's sends as order `other`."""
    pages = {"/orders": LIST}
    for id, number, sent in (("41", "A-101", "41"), ("52", "A-102", other)):
        pages[f"/orders/{id}/edit"] = edit.replace("{number}", number).replace("{id}", sent)
    site.app.pages.update(pages)


def recorded(page: Page, folder: Path) -> Skill:
    """A note on the order that the input names."""
    with sb.recording(page) as rec:
        page.fill("searchbox 'Search orders'", "A-101")
        page.click("link 'A-101'")
        page.fill("textbox 'Note'", "call first")
        page.click("button 'Save'")
    rec.input(1, name="number")
    return rec.save_skill("add-note", folder=str(folder), prove=False)


@pytest.mark.parametrize(
    ("edit", "sent", "other", "written"),
    [
        (FORM, "POST /orders/41/edit", "POST /orders/52/edit", "/orders/{page[2]}/edit"),
        (SCRIPT, "PUT /api/orders/41", "PUT /api/orders/52", "/api/orders/{page[2]}"),
        (QUERY, "POST /save", "POST /save", "/save?order={page[2]}"),
    ],
    ids=["form", "script", "query"],
)
def test_another_record_is_changed_where_the_input_names_it(
    edit: str,
    sent: str,
    other: str,
    written: str,
    site: Site,
    open_page: Callable[[str], Page],
    tmp_path: Path,
) -> None:
    show(site, edit)
    page = open_page(f"{site.url}/orders")
    skill = recorded(page, tmp_path)
    assert site.app.arrived == [sent]
    assert [send.path for send in skill.spec.sends or ()] == [written]
    for number, arrives in (("A-102", other), ("A-101", sent)):
        site.app.arrived.clear()
        skill.run(page, start="always", number=number).raise_for_error()
        assert site.app.arrived == [arrives]


@pytest.mark.parametrize("edit", [SCRIPT, QUERY], ids=["script", "query"])
def test_a_page_that_sends_to_another_record_than_its_own_is_refused(
    edit: str, site: Site, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    show(site, edit, other="41")
    page = open_page(f"{site.url}/orders")
    skill = recorded(page, tmp_path)
    site.app.arrived.clear()
    result = skill.run(page, start="always", number="A-102")
    assert result.error is not None
    assert "wants to send" in result.error.message
    assert site.app.arrived == []


def test_an_id_that_no_input_chose_stays_as_it_was_recorded(
    site: Site, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    show(site, FORM)
    page = open_page(f"{site.url}/orders/41/edit")
    with sb.recording(page) as rec:
        page.fill("textbox 'Note'", "call first")
        page.click("button 'Save'")
    skill = rec.save_skill("add-note", folder=str(tmp_path), prove=False)
    assert [send.path for send in skill.spec.sends or ()] == ["/orders/41/edit"]


EACH = """\
for row in sb.extract(page):
    page.click(f"link '{row['Number']}'")
    page.fill("textbox 'Note'", "call first")
    page.click("button 'Save'")
    page.goto("{list}")
"""


def test_code_that_goes_through_records_may_change_those_that_it_opens(
    site: Site, open_page: Callable[[str], Page], start_cells: Callable[..., Run]
) -> None:
    show(site, SCRIPT)
    page = open_page(f"{site.url}/orders")
    run = start_cells(EACH.replace("{list}", page.url), page=page, goal="Note on each order", autonomy="all")
    run.run()
    while run.status == "waiting":
        after_reading(run).approve()
        run.run()
    assert run.status == "succeeded", run.error
    assert site.app.arrived == ["PUT /api/orders/41", "PUT /api/orders/52"], run.steps.to_string()
    skill = run.save_skill("note-each", prove=False)
    assert [(send.path, send.count) for send in skill.spec.sends or ()] == [("/api/orders/{page[2]}", 1)]
    site.app.arrived.clear()
    site.app.pages["/orders"] = LIST.replace("52", "63")
    site.app.pages["/orders/63/edit"] = site.app.pages["/orders/52/edit"].replace("52", "63")
    skill.run(page, start="always").raise_for_error()
    assert site.app.arrived == ["PUT /api/orders/41", "PUT /api/orders/63"]
