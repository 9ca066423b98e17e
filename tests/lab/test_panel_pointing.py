"""The person points at another element: in the tree, on the screenshot, in the real page."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.lab.panel import DEADLINE_SECONDS, press, shown, wait_for_answers

__all__ = ["shown"]


@pytest.mark.parametrize("where", ["tree", "screenshot"])
def test_pointing_at_another_element_sets_the_target(shown: LabNotebook, where: str) -> None:
    panel = shown.panel
    place = panel.locator('.sbp-tree [data-ref="e4"]' if where == "tree" else '.sbp-boxes [data-ref="e4"]')
    place.click()
    expect(panel.get_by_label("target", exact=True)).to_have_value("e4")
    expect(panel.locator(".sbp-target")).to_contain_text("button “Help”")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_have_attribute("data-ref", "e4")
    panel.get_by_role("button", name="Approve edited").click()
    assert wait_for_answers(shown, 1) == [["q1", "edit", {"target": "e4", "value": "oak"}, ""]]


def test_one_key_edits_and_points(shown: LabNotebook) -> None:
    press(shown, "e")
    expect(shown.panel.get_by_label("target", exact=True)).to_be_focused()
    press(shown, "p")
    expect(shown.panel.get_by_role("button", name="Point")).to_have_attribute("aria-pressed", "true")
    shown.panel.locator('.sbp-tree [data-ref="e4"]').click()
    press(shown, "e")
    assert wait_for_answers(shown, 1) == [["q1", "edit", {"target": "e4", "value": "oak"}, ""]]


def test_pointing_in_the_real_page_is_asked_for_and_ended(shown: LabNotebook) -> None:
    shown.evaluate(1, "source.state = replace(source.state, has_window=True); source.notify()")
    point = shown.panel.get_by_role("button", name="Point")
    note = shown.panel.locator(".sbp-card .sbp-note[role=status]")
    expect(note).to_contain_text(
        "P: to point at another element, click it in the tree, on the screenshot or in the page"
    )
    press(shown, "p")
    expect(point).to_have_attribute("aria-pressed", "true")
    expect(note).to_contain_text("Esc ends this")
    shown.page.keyboard.press("Escape")
    expect(point).to_have_attribute("aria-pressed", "false")
    point.click()
    expect(point).to_have_attribute("aria-pressed", "true")
    assert shown.evaluate(1, "source.asked_to_pick") == "['q1', None, 'q1']"
    shown.evaluate(
        1,
        "source.state = replace(source.state, picking=False, picked={'id': 'q1', 'serial': 1, 'ref': 'e4'})\n"
        "source.notify()",
    )
    expect(shown.panel.get_by_label("target", exact=True)).to_have_value("e4")
    expect(point).to_have_attribute("aria-pressed", "false")
    expect(shown.panel.locator(".sbp-target")).to_contain_text("button “Help”")


def test_pointing_ends_where_the_page_ends_it_and_with_another_question(shown: LabNotebook) -> None:
    point = shown.panel.get_by_role("button", name="Point")
    point.click()
    expect(point).to_have_attribute("aria-pressed", "true")
    deadline = time.monotonic() + DEADLINE_SECONDS
    while shown.evaluate(1, "source.asked_to_pick") == "[]":
        assert time.monotonic() < deadline, "the kernel knows of no pointing"
    shown.evaluate(
        1, "source.state = replace(source.state, picking=False, pick_problem='Too late'); source.notify()"
    )
    expect(point).to_have_attribute("aria-pressed", "false")
    expect(shown.panel.get_by_role("alert")).to_have_text("Too late")
    press(shown, "p", "a")
    expect(shown.panel.get_by_label("value", exact=True)).to_have_value("ash")
    expect(point).to_have_attribute("aria-pressed", "false")
