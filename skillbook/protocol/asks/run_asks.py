"""Asks about runs: look at them, decide, steer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.asks.ask import Ask, RunParams
from skillbook.protocol.asks.run_views import DecisionKind, RunState, RunSummary, RunView, StepUntil, TaskView
from skillbook.protocol.model import WireModel


class ListRunsParams(WireModel):
    limit: int = Field(20, ge=1, le=200)
    before: float | None = Field(None, description="Only runs that were started before; seconds since 1970.")


class RunList(WireModel):
    """Runs, the newest first."""

    runs: list[RunSummary]
    more: bool = Field(False, description="Whether there are older ones.")


class DecideParams(WireModel):
    """A person's decision on one question."""

    run: str
    question: str = Field(description="The question's id; a decision on another one isn't taken.")
    decision: DecisionKind
    args: dict[str, Any] = Field({}, description="For an edit: the arguments that change.")
    text: str = Field("", description="Why it is rejected, the response, or the choice.")
    always: Literal["", "session", "always", "form"] = Field(
        "", description="Whether the approval makes a rule."
    )
    confirmed: bool = Field(False, description="The second press, where the question needs one.")
    until: StepUntil = Field("call", description="For a step: how far the cell goes on.")


class Decided(WireModel):
    """What became of a decision."""

    taken: bool = Field(description="Whether it was this one that counted.")
    words: str = Field(description="Such as 'approved', or 'already decided: approved in the notebook'.")


class PointParams(RunParams):
    question: str = Field(description="The id of the question whose call gets another element.")
    on: bool = Field(True, description="False: the page takes clicks again.")


class Pointed(WireModel):
    """What a person pointed at in the page."""

    ref: str = Field("", description="The element's ref; empty where none was pointed at.")
    words: str = Field("", description="Why there is none, where the person didn't end it.")


class TaskEdit(WireModel):
    """A change of the task list."""

    act: Literal["add", "change", "move", "remove"]
    id: int = Field(0, description="The task's number; a new one has none.")
    title: str = ""
    to: int = Field(0, ge=0, description="The new place, from 1.")


class ChangeTasksParams(RunParams):
    edits: list[TaskEdit] = Field(min_length=1, max_length=100)


class TasksChanged(WireModel):
    tasks: list[TaskView]
    words: str = ""


class TellParams(RunParams):
    text: str = Field(min_length=1, max_length=8000)


class SaveRunParams(RunParams):
    name: str
    description: str = ""


class RunSteered(WireModel):
    state: RunState
    words: str


class ThumbnailParams(RunParams):
    step: int = Field(ge=1)


class Thumbnail(WireModel):
    image: str | None = Field(description="A data address; none where there is no screenshot.")


class SkillSaved(WireModel):
    """A skill that was written down."""

    name: str
    path: str
    words: str = Field("", description="What came of trying it, and what it was saved without.")
    inputs: str = Field("", description="What a run may give it, with what was recorded.")


def _steer(name: str, description: str) -> Ask:
    return Ask(name=name, params=RunParams, result=RunSteered, description=description)


RUN_ASKS = (
    Ask(
        name="list_runs",
        params=ListRunsParams,
        result=RunList,
        description="The last runs, the newest first.",
    ),
    Ask(
        name="show_run", params=RunParams, result=RunView, description="Everything there is to see of a run."
    ),
    Ask(
        name="read_thumbnail",
        params=ThumbnailParams,
        result=Thumbnail,
        description="A step's small screenshot.",
    ),
    Ask(name="decide", params=DecideParams, result=Decided, description="Answer the question of a run."),
    Ask(
        name="point",
        params=PointParams,
        result=Pointed,
        description="Let the person point at an element in the page, for the call that waits.",
    ),
    Ask(
        name="change_tasks",
        params=ChangeTasksParams,
        result=TasksChanged,
        description="Change a run's task list.",
    ),
    Ask(
        name="tell_run",
        params=TellParams,
        result=RunSteered,
        description="Say something to a run's model, whatever it does now.",
    ),
    _steer("pause_run", "Wait before the next call."),
    _steer("resume_run", "Go on after a pause, a stop or a restart of the kernel."),
    _steer("stop_run", "Stop at once."),
    Ask(
        name="save_run",
        params=SaveRunParams,
        result=SkillSaved,
        description="Save what a run did as a skill that replays without a model.",
    ),
)
