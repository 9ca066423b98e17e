"""A task's states: one for everything that a run can be, and transitions that lead to an end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from skillbook.agents.state.step_records import RunStatus
from skillbook.agents.state.task_states import TRANSITIONS, Phase, TaskState, task_state
from skillbook.errors import BudgetExceeded, GoalBlocked, ModelUnreachable, SkillbookError


def test_every_state_has_its_transitions_and_every_one_can_be_reached() -> None:
    states = set(get_args(TaskState))
    assert set(TRANSITIONS) == states
    seen, new = {"created"}, {"created"}
    while new:
        new = {after for one in new for after in TRANSITIONS[one]} - seen  # type: ignore[index]
        seen |= new
    assert seen == states
    assert not TRANSITIONS["succeeded"]
    assert all(one not in after for one, after in TRANSITIONS.items())


def test_the_docs_draw_these_transitions() -> None:
    text = (Path(__file__).parents[3] / "docs/agents.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^ +(\w+) --> (\w+)$", text, re.MULTILINE)
    parts = {"working": get_args(Phase)}
    edges = {(a, b) for one, after in drawn for a in parts.get(one, [one]) for b in parts.get(after, [after])}
    assert edges == {(one, each) for one, after in TRANSITIONS.items() for each in after}


@pytest.mark.parametrize("phase", get_args(Phase))
@pytest.mark.parametrize("status", get_args(RunStatus))
def test_every_status_is_a_state(status: RunStatus, phase: Phase) -> None:
    state = task_state(status, phase, None)
    expected = {
        "idle": "created", "running": phase, "waiting": "awaiting_user", "paused": "awaiting_user",
        "succeeded": "succeeded", "failed": "failed", "stopped": "cancelled",
    }  # fmt: skip
    assert state == expected[status]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (GoalBlocked("no page"), "blocked"),
        (BudgetExceeded("50 calls"), "blocked"),
        (ModelUnreachable("?"), "failed"),
    ],
)
def test_what_needs_more_than_the_run_has_blocks_it(error: SkillbookError, state: str) -> None:
    assert task_state("failed", "planning", error) == state
