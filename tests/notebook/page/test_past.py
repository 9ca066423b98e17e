"""What the list beside the notebook says of runs; browsers and pages are seen in `tests/lab/test_beside.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.notebook.page.past import close_open, list_open, number


class Halting(SimpleNamespace):
    async def halt(self) -> None:
        self.status = "stopped"


@pytest.mark.asyncio
async def test_a_run_that_has_not_ended_can_be_stopped_and_no_other_is() -> None:
    review = Review(True, True, "write", target="button 'Buy'")
    asks = PendingCall("q1", "c1", "click", {"target": "e1"}, "", review, {}, ("approve",))
    runs: list[Any] = [
        Halting(goal="Find lamps", status="waiting", first_question=asks),
        Halting(goal="Read", status="running", first_question=None),
    ]
    assert [(each["words"], each["can_close"]) for each in list_open(runs)["runs"]] == [
        ("waiting: Find lamps", True),
        ("running: Read", True),
    ]
    listed = list_open(runs, lambda run: run.goal[0])["runs"]
    assert [(each["waits"], each["panel"]) for each in listed] == [("Click the button 'Buy'", "F"), ("", "R")]
    await close_open("run", number(runs[0]), runs)
    await close_open("page", "gone", cast(Any, runs))
    assert [each.status for each in runs] == ["stopped", "running"]
    assert [each["can_close"] for each in list_open(runs)["runs"]] == [False, True]
