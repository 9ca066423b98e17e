"""The states of a run's task, named as in the Browser Copilot technical specification, section 9 (`TaskStatus`).

Nothing keeps them: a run's status and what it is busy with say which one it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from skillbook.agents.state.step_records import RunStatus
from skillbook.errors import BudgetExceeded, GoalBlocked, SkillbookError

TaskState = Literal[
    "created", "planning", "exploring", "executing", "awaiting_user", "blocked", "succeeded", "failed", "cancelled"
]  # fmt: skip
Phase = Literal["planning", "exploring", "executing"]


def task_state(status: RunStatus, phase: Phase, error: SkillbookError | None) -> TaskState:
    """The state of a task.

    Parameters
    ----------
    status : the run's.
    phase : what it is busy with, or was.
    error : why it failed.
    """
    if status == "failed":
        return "blocked" if isinstance(error, BudgetExceeded | GoalBlocked) else "failed"
    if status == "running":
        return phase
    known: Mapping[str, TaskState] = {
        "idle": "created",
        "waiting": "awaiting_user",
        "paused": "awaiting_user",
        "stopped": "cancelled",
    }
    return known.get(status, "succeeded")
