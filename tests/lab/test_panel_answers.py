"""What the panel says of the person's answers, and of a call that they point at another element, is true."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import SETUP, Open, press, wait_for_answers

CALL = """replace(call("q1"), puts_text=True, learn="fill on https://shop.test", always=["session"])"""
ROWS = "\nview = replace(view, rows=(*view.rows[:3], replace(view.rows[3], no_text=True)))"


def open_panel(lab: Open) -> LabNotebook:
    view, source = SETUP.split("source = ")
    notebook = lab(view.rstrip() + ROWS + "\nsource = " + source.replace('call("q1")', CALL), "")
    notebook.run(0)
    expect(notebook.panel.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    return notebook


def test_what_is_next_follows_the_target_and_a_button_takes_no_text(lab: Open) -> None:
    panel = open_panel(lab).panel
    panel.locator('.sbp-tree [data-ref="e4"]').click()
    expect(panel.get_by_role("alert")).to_contain_text("No text can be put into the button “Help”")
    expect(panel.get_by_label("target", exact=True)).to_have_value("e2")
    expect(panel.get_by_label("After approving")).to_be_enabled()
    panel.locator('.sbp-tree [data-ref="e3"]').click()
    expect(panel.get_by_role("alert")).to_be_hidden()
    expect(panel.locator(".sbp-next")).to_have_text("Next: Fill in the button “Cancel” with “oak”")
    expect(panel.get_by_label("After approving")).to_be_disabled()


def test_a_persons_own_answers_are_no_failures(lab: Open) -> None:
    notebook = open_panel(lab)
    panel = notebook.panel
    press(notebook, "s")
    wait_for_answers(notebook, 1)
    expect(panel.locator(".sbp-step .sbp-skip")).to_have_text("skipped")
    panel.get_by_role("button", name="Respond…").click()
    panel.get_by_label("What to tell the agent").fill("it is 5")
    notebook.page.keyboard.press("Enter")
    expect(panel.locator(".sbp-step .sbp-respond")).to_have_text("answered")
    expect(panel.locator(".sbp-step .sbp-mark")).to_have_text(["–", "–"])
    expect(panel.locator(".sbp-failed, .sbp-last.sbp-bad")).to_have_count(0)
