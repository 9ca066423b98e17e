"""A run as the side panel sees it, whatever does the work."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillbook.agents.review.shown_questions import SIDE_PANEL, Place
from skillbook.agents.run.run_words import STATE_WORDS
from skillbook.errors import InvalidParams
from skillbook.policy.secrets import Secret
from skillbook.protocol.asks.run_asks import (
    Decided,
    DecideParams,
    RunKind,
    RunState,
    RunSummary,
    RunView,
    TaskEdit,
)
from skillbook.serving.given.rows_output import RowsOutput
from skillbook.serving.given.run_output import RunOutput
from skillbook.session.page_driver import PageDriver

FINAL_STATES: frozenset[RunState] = frozenset({"blocked", "succeeded", "failed", "cancelled"})


class ServedRun(ABC):
    """One run.

    Parameters
    ----------
    id : names it; an agent's run has its own.
    kind : what does the work.
    title : what it is to do, in words.
    name : the skill's or workflow's name.
    inputs : what it was started with; secrets as `Secret`.

    Attributes
    ----------
    changed : called after each change, on the I/O thread or another one.
    """

    def __init__(
        self, id: str, kind: RunKind, title: str, *, name: str = "", inputs: Mapping[str, Any] | None = None
    ) -> None:
        self.id, self.kind, self.title, self.name = id, kind, title, name
        self.inputs = dict(inputs or {})
        self.started = time.time()
        self.ended: float | None = None
        self.changed: Callable[[], None] = lambda: None

    @property
    @abstractmethod
    def state(self) -> RunState:
        """Where it is."""

    @property
    def words(self) -> str:
        """Where it is, in words."""
        return STATE_WORDS[self.state]

    @property
    @abstractmethod
    def page(self) -> PageDriver | None:
        """The page that it works on."""

    @abstractmethod
    def view(self) -> RunView:
        """Everything that is shown of it."""

    @abstractmethod
    def outputs(self) -> Sequence[RunOutput]:
        """What it gave so far."""

    def shown_view(self, place: Place = SIDE_PANEL) -> RunView:
        """Everything that is shown of it, for a place that shows it and may answer its question from then on."""
        view = self.view()
        if view.question is not None:
            self.note_shown(view.question.id, place)
        return view

    @abstractmethod
    def note_shown(self, question: str, place: Place) -> None:
        """A place shows a question from now on."""

    @abstractmethod
    def decide(self, given: DecideParams, place: Place = SIDE_PANEL) -> Decided:
        """Take a person's decision on the question that waits, made in a place that showed it; on the I/O thread.

        Raises
        ------
        ApprovalPending : that place didn't show the question.
        SkillbookError : it can't be taken; the question still waits.
        """

    @abstractmethod
    async def stop(self) -> None:
        """End it at once."""

    def pause(self) -> None:
        """Wait before the next call."""
        raise InvalidParams("this run can't be paused", hint="stop it; it can be run again")

    async def resume(self) -> None:
        """Go on after a pause, a stop or a failure."""
        raise InvalidParams("this run can't go on", hint="run it again")

    def tell(self, text: str) -> None:
        """Say something to its model."""
        raise InvalidParams("no model works on this run", hint="give a goal in words instead")

    def change_tasks(self, edits: Sequence[TaskEdit]) -> None:
        """Change its task list."""
        raise InvalidParams("the tasks of this run are the steps of its skill", hint="run it again otherwise")

    def rows(self) -> list[RowsOutput]:
        """What it gave as rows."""
        return [each for each in self.outputs() if isinstance(each, RowsOutput)]

    def output(self, id: str) -> RunOutput:
        """What it gave, by id.

        Raises
        ------
        InvalidParams : there is no such output.
        """
        found = {each.id: each for each in self.outputs()}
        if id not in found:
            raise InvalidParams(
                f"this run has no output {id!r}", hint=f"it has: {', '.join(found) or 'none yet'}"
            )
        return found[id]

    def summary(self) -> RunSummary:
        """The run as one line."""
        return RunSummary(**self._summary())

    def _summary(self) -> dict[str, Any]:
        page = self.page
        if self.ended is None and self.state in FINAL_STATES:
            self.ended = time.time()
        elif self.state not in FINAL_STATES:
            self.ended = None
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "state": self.state,
            "words": self.words,
            "started": self.started,
            "ended": self.ended,
            "tab": page.tab.id if page is not None and not page.closed else None,
            "page": page.url if page is not None else "",
            "rows": sum(len(each.frame) for each in self.rows()),
            "inputs": {name: shown_input(value) for name, value in self.inputs.items()},
        }


def shown_input(value: Any) -> Any:
    """An input as it may be shown and given again: a secret by its name."""
    if isinstance(value, Secret):
        return min(value.names, default="")
    if isinstance(value, str | int | float | bool | list | dict) or value is None:
        return value
    return str(value)
