"""In JupyterLab a cell decides on a question that was on the screen when it was run, and on no other (fault 65)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.notebook import LabNotebook
from tests.lab.panel import Open
from tests.lab.test_run import AGENT, CLOSE, OPEN, REPORTED
from tests.waiting import until

WRITTEN = "[step.tool for step in run.records], run.pending.tool"


@pytest.fixture
def shop(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), AGENT.strip(), "run.pending", "run.approve()", "run.approve()", "")
    notebook.run(0)
    yield notebook
    notebook.evaluate(5, CLOSE)


def press(notebook: LabNotebook, index: int, times: int) -> None:
    """Run a cell, and those after it, as a person does who presses Shift+Enter without looking."""
    notebook.page.locator(".jp-Notebook .jp-Cell").nth(index).locator(".cm-content").click()
    for _ in range(times):
        notebook.page.keyboard.press("Shift+Enter")


def test_shift_enter_twice_decides_once(shop: LabNotebook) -> None:
    shop.run(1)
    until(lambda: shop.evaluate(5, "run.pending is not None") == "True")
    shop.run(2)
    press(shop, 3, 2)
    shop.wait_for_output(3, "Next: PendingCall(click(")
    shop.wait_for_output(4, "before the question was shown")
    assert shop.evaluate(5, WRITTEN) == "(['fill'], 'click')"
    assert shop.evaluate(4, "run.approve()").startswith("<Step 2: click("), "the error showed it"


def test_all_cells_at_once_decide_nothing(shop: LabNotebook) -> None:
    shop.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    shop.wait_for_output(3, "Nothing was decided")
    assert shop.outputs(4) == [], "JupyterLab runs nothing after an error"
    assert shop.evaluate(5, WRITTEN) == "([], 'fill')"


def test_a_question_in_the_panel_on_the_screen_is_one_that_a_cell_may_answer(shop: LabNotebook) -> None:
    shop.run(1)
    until(lambda: shop.evaluate(5, REPORTED) == "True")
    assert shop.evaluate(3, "run.approve()").startswith("<Step 1: fill(")
