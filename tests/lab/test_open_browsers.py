"""The browsers that are open: the set-up cell has one at a time, and `sb.browsers` closes those that are left."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook

SETUP = """
import skillbook as sb
before = before if "before" in globals() else len(sb.browsers)
browser = sb.launch()
page = browser.open("about:blank")
page
"""
TWO = "pair = [sb.launch() for _ in range(2)]; len(sb.browsers) - before"


def test_a_cell_that_runs_again_replaces_its_browser_and_the_list_closes_others(
    lab: Callable[..., LabNotebook],
) -> None:
    notebook = lab(SETUP.strip(), TWO, "sb.browsers", "")
    for _ in range(2):
        notebook.run(0)
    assert notebook.evaluate(3, "len(sb.browsers) - before, page.closed") == "(1, False)"
    notebook.run(1)
    assert notebook.evaluate(3, "len(sb.browsers) - before") == "3"
    notebook.run(2)
    buttons = notebook.page.locator(".jp-OutputArea .sbp-browsers").get_by_role(
        "button", name="Close browser"
    )
    expect(buttons.last).to_be_visible()
    assert violations(notebook.page, ".jp-OutputArea .sbp-browsers") == []
    buttons.last.click()
    expect(notebook.page.get_by_role("button", name="Closed")).to_be_visible()
    closed = "from wait_in_kernel import until; until(lambda: len(sb.browsers) - before == 2); pair[1].status.state"
    assert notebook.evaluate(3, closed) == "'closed'"
    notebook.evaluate(3, "for each in [browser, *pair]: each.close()")
