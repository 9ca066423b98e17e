"""What skillbook's extension of JupyterLab adds: calls written into cells, and the panel beside the notebook."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import shown, wait_for_answers

__all__ = ["shown"]

STEP = """
from skillbook.notebook.page.panel_source import StepView
step = StepView(1, "click", "target=e4", "clicked", True, "approve", code="page.click(\\"button 'Help'\\")")
source.state = replace(source.state, steps=(step,)); source.notify()
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
