"""What the tests of the panel alone share: a panel over a source that notes every answer, in a real JupyterLab."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook

SETUP = """
from panel_source import AskingSource, call, help_wanted, make_rows, png, replace, step
from skillbook.notebook.widgets.panel import Panel, show_panel
from skillbook.notebook.page.panel_source import PageView, Shot
shot = Shot(png(400, 300), "png", 400, 300)
view = PageView("https://shop.test/", "Shop", make_rows(["Buy", "Cancel", "Help"]), 0, shot, shown_as="iPhone 15")
source = AskingSource([call("q1"), call("q2", target="e3", value="ash")], view)
panel = Panel(source)
panel.show()
"""
ANSWERS = "import json; print(json.dumps([[d.question, d.decision, d.args, d.text] for d in source.answers]))"
Open = Callable[..., LabNotebook]
DEADLINE_SECONDS = 60.0
"""As long as Playwright's expectations have: each look at the kernel takes a second or two on a busy machine."""


@pytest.fixture
def shown(lab: Open) -> LabNotebook:
    notebook = lab(SETUP, "")
    notebook.run(0)
    expect(notebook.panel.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    return notebook


def answers(notebook: LabNotebook) -> list[list[object]]:
    found: list[list[object]] = json.loads(notebook.evaluate(1, ANSWERS))
    return found


def wait_for_answers(notebook: LabNotebook, count: int) -> list[list[object]]:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(found := answers(notebook)) < count:
        assert time.monotonic() < deadline, found
    return found


def press(notebook: LabNotebook, *keys: str) -> None:
    """Press keys with the focus on the panel, but in none of its fields."""
    notebook.panel.evaluate("(panel) => panel.focus()")
    for key in keys:
        notebook.page.keyboard.press(key)


def went(notebook: LabNotebook, expected: str) -> None:
    """How the kernel was told to go on, once it knows; while a run is at work, there is nothing to go on with."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while (said := notebook.evaluate(1, "source.went")) != expected:
        assert time.monotonic() < deadline, said
