"""Who answers questions in an evaluation, where nobody sits in front of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillbook.agents import Run
from skillbook.agents.state.step_records import ASSISTANCE, PendingCall
from skillbook.evals.eval_task import Task

Approve = bool | Callable[[Any], bool]


class AnsweringPerson:
    """Answers by a rule, and counts.

    Parameters
    ----------
    task : its `answers` answer what an agent asks in words.
    approve : yes, no, or a function of the question.
    """

    def __init__(self, task: Task, approve: Approve | None) -> None:
        self._approve: Approve = (task.approve and task.start.served) if approve is None else approve
        self._answers = list(task.answers)
        self.asked = 0
        self.refused = 0

    def allows(self, question: Any) -> bool:
        """Answer one question, a pending call or words."""
        self.asked += 1
        said = self._approve(question) if callable(self._approve) else self._approve
        self.refused += not said
        return bool(said)

    def decide(self, run: Run, pending: PendingCall) -> None:
        """Answer a run's pending question, and no other."""
        this = pending.expectation.exact
        if pending.tool == ASSISTANCE and self._answers:
            self.asked += 1
            run.respond(self._answers.pop(0), expect=this)
        elif pending.tool == ASSISTANCE:
            self.asked, self.refused = self.asked + 1, self.refused + 1
            run.reject("Nobody is here who could answer. Go on without, or end.", expect=this)
        elif self.allows(pending):
            run.approve(expect=this)
        else:
            run.reject("Not allowed in this evaluation.", expect=this)
