"""What came of a task: a normalised answer, and who answered the questions of its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel

from skillbook.agents import Run
from skillbook.agents.state.step_records import ASSISTANCE, PendingCall, StepRecord
from skillbook.evals.eval_task import Task
from skillbook.serving.workflows.workflow_result import WorkflowResult
from skillbook.skill.replay.skill_result import SkillResult

Approve = bool | Callable[[Any], bool]


class AnsweringPerson:
    """Answers by a rule, and counts.

    task: its `answers` answer what an agent asks in words.
    approve: yes, no, or a function of the question.
    """

    def __init__(self, task: Task, approve: Approve | None) -> None:
        self._approve: Approve = (task.approve and task.start.served) if approve is None else approve
        self._answers = list(task.answers)
        self.asked = 0
        self.refused = 0

    def allows(self, question: Any) -> bool:
        """Answer one question, a pending call or words."""
        self.asked += 1
        allowed = self._approve(question) if callable(self._approve) else self._approve
        self.refused += not allowed
        return bool(allowed)

    def answer(self, run: Run, pending: PendingCall) -> None:
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


@dataclass
class Answer:
    """What one attempt gave; page text in it is untrusted.

    Parameters
    ----------
    text : str
        The answer in words.
    facts : dict
        Values by name.
    frame : DataFrame, optional
        The rows.
    files : list of str
        Names of downloaded files.
    calls : list of dict
        The tool calls or steps, in order: `tool` and `args`.
    url : str
        The address at the end.
    asked, refused, unasked : int
        Questions to a person; those that were refused; calls that weren't reads and passed without a question.
    tokens : int
        Tokens of the model.
    usd : float, optional
        What the model cost; None where its price isn't known.
    error : str
        Why it failed; empty where it came to an end.
    sent : list of str
        Requests that may change something and reached the served site.
    scores : dict
        What the evaluators gave so far, 0 to 1.
    """

    text: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    frame: pd.DataFrame | None = None
    files: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    asked: int = 0
    refused: int = 0
    unasked: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    error: str = ""
    sent: list[str] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)

    def take(self, value: Any) -> None:
        """Take in what a target returned."""
        if isinstance(value, Run):
            self._take_run(value)
        elif isinstance(value, SkillResult):
            self._take_skill(value)
        elif isinstance(value, WorkflowResult):
            self.error = self.error or ("" if value.error is None else _words(value.error))
            self.take(value.value)
        elif isinstance(value, pd.DataFrame):
            self.frame = value
        elif isinstance(value, BaseModel):
            self.take(value.model_dump())
        elif isinstance(value, dict):
            self.facts = {str(name): each for name, each in value.items()}
            self.text = self.text or ", ".join(f"{name}: {each}" for name, each in self.facts.items())
        elif isinstance(value, Path):
            self.files.append(value.name)
        elif isinstance(value, Sequence) and value and all(isinstance(each, Path) for each in value):
            self.files += [each.name for each in value]
        elif value is not None:
            self.text = str(value)

    def _take_run(self, run: Run) -> None:
        self.take(run.result)
        self.frame = run.frame
        self.calls = [{"tool": step.tool, "args": step.final_args, "ok": step.ok} for step in run.records]
        self.unasked = sum(map(_passed_unasked, run.records))
        self.tokens, self.usd = run.cost.tokens, run.cost.usd
        if run.error is not None:
            self.error = run.error.message
        elif run.status != "succeeded":
            self.error = run.notice or f"the run is {run.status}"

    def _take_skill(self, result: SkillResult) -> None:
        self.facts = dict(result.values)
        self.take(result.value)
        if result.has_rows:
            self.frame = result.frame
        self.calls = [
            {"tool": each.command, "args": {"target": each.target}, "ok": each.status == "ok"}
            for each in result.outcomes
        ]
        if result.error is not None:
            self.error = result.error.message

    def note_person(self, person: AnsweringPerson) -> None:
        """Count what was asked and refused."""
        self.asked, self.refused = person.asked, person.refused


def _passed_unasked(step: StepRecord) -> bool:
    return step.effect != "read" and step.decision == "auto" and step.error is None


def _words(error: Exception) -> str:
    return str(getattr(error, "message", "") or error) or type(error).__name__
