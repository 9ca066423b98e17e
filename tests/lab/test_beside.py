"""What skillbook's extension of JupyterLab adds: calls written into cells, and the panel beside the notebook."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook
from tests.lab.panel import SETUP, Open, shown, wait_for_answers

__all__ = ["shown"]


@pytest.fixture(autouse=True)
def forgets_its_place(lab_notebook: LabNotebook) -> Iterator[None]:
    """The next test's panel stands in the notebook again, also after a test that failed half-way."""
    yield
    lab_notebook.page.evaluate("localStorage.removeItem('skillbook.beside')")


STEP = """
made = step(1, code="page.click(\\"button 'Help'\\")")
source.state = replace(source.state, steps=[made]); source.notify()
"""


def test_a_steps_call_is_written_into_a_new_cell_below(shown: LabNotebook) -> None:
    shown.evaluate(1, STEP)
    shown.panel.locator(".sbp-line").click()
    before = shown.page.locator(".jp-Notebook .jp-Cell").count()
    shown.panel.get_by_role("button", name="Insert as cell").click()
    expect(shown.page.locator(".jp-Notebook .jp-Cell")).to_have_count(before + 1)
    below = shown.page.locator(".jp-Notebook .jp-Cell").nth(1)
    expect(below.locator(".cm-content")).to_have_text("page.click(\"button 'Help'\")")
    expect(below.locator(".jp-OutputArea .sbp")).to_have_count(0)


def test_the_panel_stands_beside_the_notebook_and_answers_there(shown: LabNotebook) -> None:
    docked = shown.page.locator("#jp-right-stack .sbp-run")
    shown.panel.get_by_role("button", name="Show beside").click()
    expect(docked).to_be_visible()
    docked.get_by_role("button", name="Approve", exact=True).click()
    assert wait_for_answers(shown, 1)[0][:2] == ["q1", "approve"]
    expect(shown.panel.locator(".sbp-target")).to_have_text(docked.locator(".sbp-target").inner_text())
    shown.panel.get_by_role("button", name="Show here only").click()
    expect(docked).to_have_count(0)
    expect(shown.panel.get_by_role("button", name="Show beside")).to_be_visible()


def test_where_the_last_panel_stood_beside_the_next_one_does_too(shown: LabNotebook) -> None:
    docked = shown.page.locator("#jp-right-stack .sbp-run")
    shown.panel.get_by_role("button", name="Show beside").click()
    expect(docked).to_be_visible()
    shown.run(0)
    expect(docked).to_have_count(1)
    shown.page.locator("#jp-right-stack .sbp-run").wait_for()
    shown.panel.get_by_role("button", name="Show here only").click()
    expect(docked).to_have_count(0)


OPEN_SITE = """
import skillbook as sb
from skillbook.testing.site import serve_site
site = serve_site("shop")
browser = sb.launch()
page = browser.open(site.url + "/")
"""


def test_beside_the_notebook_stands_what_is_open_and_closes_there(lab: Open) -> None:
    notebook = lab(f"{SETUP}{OPEN_SITE}", "", "")
    notebook.run(0)
    notebook.panel.get_by_role("button", name="Show beside").click()
    listed = notebook.page.locator("#jp-right-stack .sbp-open")
    listed.locator("summary").click()
    expect(listed.locator("summary")).to_contain_text("1 page")
    assert violations(notebook.page, "#jp-right-stack .sbp-run") == []
    listed.get_by_role("button", name="Close page").click()
    expect(listed.locator("summary")).to_contain_text("0 pages")
    assert notebook.evaluate(1, "page.closed, browser.status.state") == "(True, 'connected')"
    listed.get_by_role("button", name="Close browser").last.click()
    expect(listed.get_by_text("Chromium")).to_have_count(0)
    assert notebook.evaluate(1, "browser.status.state") == "'closed'"
    notebook.panel.get_by_role("button", name="Show here only").click()


TWO_RUNS = """
import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_site
site = serve_site("shop")
browser = sb.launch()
def ask(goal, link):
    model = ScriptedModel([ToolCall("click", {"target": f"link {link!r}"}), "done"])
    return sb.agent(browser.open(site.url), goal, model=model).start()
"""


def test_all_runs_that_wait_stand_in_the_panel_beside_and_are_answered_there(lab: Open) -> None:
    notebook = lab(
        TWO_RUNS,
        "first = ask('See the stores', 'Stores');",
        "second = ask('See the products', 'Products');",
        "",
    )
    for index in range(3):
        notebook.run(index)
    notebook.panel.get_by_role("button", name="Show beside").click()
    beside = notebook.page.locator("#jp-right-stack .sbp-run")
    inbox = beside.get_by_role("navigation", name="Runs that wait for you")
    expect(inbox).to_contain_text("Waiting for you: 2 runs")
    expect(inbox.locator("[aria-current]")).to_contain_text("See the stores")
    assert violations(notebook.page, "#jp-right-stack .sbp-run") == []
    inbox.get_by_role("button", name="See the products").click()
    expect(beside.locator(".sbp-goal")).to_have_text("See the products")
    beside.get_by_role("button", name="Approve", exact=True).click()
    expect(beside.locator(".sbp-status")).to_have_text("Done")
    expect(inbox).to_contain_text("Waiting for you: 1 run")
    inbox.get_by_role("button", name="See the stores").click()
    beside.get_by_role("button", name="Approve", exact=True).click()
    expect(beside.locator(".sbp-status")).to_have_text("Done")
    expect(inbox).to_have_count(0)
    assert notebook.evaluate(3, "first.status, second.status") == "('succeeded', 'succeeded')"
    notebook.evaluate(3, "browser.close(); site.close()")


def test_a_skill_is_written_into_a_new_cell_as_the_call_that_runs_it(lab: Open) -> None:
    notebook = lab("import skillbook as sb; sb.load_skill('search')")
    notebook.run(0)
    notebook.page.get_by_role("button", name="Insert as cell").click()
    below = notebook.page.locator(".jp-Notebook .jp-Cell").nth(1)
    expect(below.locator(".cm-content")).to_contain_text("sb.load_skill('search').run(page, query=...")


def test_a_runs_cells_are_inserted_in_their_order(lab: Open) -> None:
    notebook = lab(SETUP, "last = 1")
    notebook.run(0)
    offers = {"Insert as cells": ("a = 1", "b = a + 1", "b * 2")}
    state = f"replace(source.state, status='succeeded', question=None, offers={offers})"
    notebook.page.get_by_role("button", name="Approve", exact=True).wait_for()
    notebook.evaluate(1, f"source.state = {state}; source.notify()")
    button = notebook.panel.get_by_role("button", name="Insert as cells")
    button.click()
    sources = "jupyterapp.shell.currentWidget.content.widgets.map((one) => one.model.sharedModel.getSource())"
    expect(notebook.page.locator(".jp-CodeCell")).to_have_count(5)
    assert notebook.page.evaluate(sources)[1:4] == ["a = 1", "b = a + 1", "b * 2"]
    for index in (1, 2):
        notebook.run(index)
    assert "4" in str(notebook.run(3))
