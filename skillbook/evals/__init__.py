"""Evaluations: tasks with what is expected of them, attempted by skills, workflows, agents and functions.

`sb.evaluate(tasks, …)` is the door; what else a user needs is here. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_PLACES = {
    "Answer": "answer",
    "Attempt": "attempt",
    "Budget": "eval_task",
    "Call": "eval_task",
    "Comparison": "evaluation",
    "Evaluation": "evaluation",
    "Expected": "eval_task",
    "SiteState": "eval_task",
    "Start": "eval_task",
    "Task": "eval_task",
    "evaluate": "evaluation_run",
    "judge": "expectations",
    "load_tasks": "eval_task",
    "suites": "eval_task",
    "trajectory": "expectations",
}

if TYPE_CHECKING:
    from skillbook.evals.answer import Answer
    from skillbook.evals.attempt import Attempt
    from skillbook.evals.eval_task import Budget, Call, Expected, SiteState, Start, Task, load_tasks, suites
    from skillbook.evals.evaluation import Comparison, Evaluation
    from skillbook.evals.evaluation_run import evaluate
    from skillbook.evals.expectations import judge, trajectory

__all__ = [
    "Answer",
    "Attempt",
    "Budget",
    "Call",
    "Comparison",
    "Evaluation",
    "Expected",
    "SiteState",
    "Start",
    "Task",
    "evaluate",
    "judge",
    "load_tasks",
    "suites",
    "trajectory",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"skillbook.evals.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
