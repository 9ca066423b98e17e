"""A task's states: one for everything that a run can be, and transitions that lead to an end."""

from __future__ import annotations

from typing import get_args

import pytest

from skillbook.agents.state.step_records import RunStatus
from skillbook.agents.state.tasks import Phase, TaskState, task_state
from skillbook.errors import BudgetExceeded, GoalBlocked, ModelUnreachable, SkillbookError
from tests.agents.state.transitions import documented_transitions


def test_the_documented_transitions_reach_every_state() -> None:
    transitions = documented_transitions()
    states = set(get_args(TaskState))
    assert set(transitions) | {"succeeded"} == states
    seen, new = {"created"}, {"created"}
    while new:
        new = {after for one in new for after in transitions.get(one, ())} - seen
        seen |= new
    assert seen == states
    assert "succeeded" not in transitions
    assert all(one not in after for one, after in transitions.items())


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
