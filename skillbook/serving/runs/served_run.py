"""A run as the side panel sees it, whatever does the work; and one that is an asyncio task that a person answers."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, cast
from uuid import uuid4

from skillbook.agents.run.run_words import DECIDED_WORDS, STATE_WORDS
from skillbook.agents.state.question_queue import SIDE_PANEL, Place, QuestionQueue
from skillbook.errors import (
    ApprovalPending,
    InvalidParams,
    PageClosed,
    PageNavigated,
    PageUnreachable,
    SkillbookError,
    StaleRef,
    Stopped,
)
from skillbook.limits import ENDING_SECONDS
from skillbook.policy.secrets import Secret
from skillbook.protocol.asks.run_asks import (
    Decided,
    DecideParams,
    Question,
    QuestionKind,
    RunKind,
    RunState,
    RunSummary,
    RunView,
    TaskEdit,
)
from skillbook.serving.outputs import RowsOutput, RunOutput
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver
from skillbook.session.stopping import Operation
from skillbook.session.sync import Browser, Page

FINAL_STATES: frozenset[RunState] = frozenset({"blocked", "succeeded", "failed", "cancelled"})


class ServedRun(ABC):
    """One run.

    id: names it; an agent's run has its own.
    name: the skill's or workflow's name.
    inputs: what it was started with; secrets as `Secret`.
    changed: called after each change, on the I/O thread or another one.
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

    @property
    def question(self) -> Question | None:
        """What it waits for."""
        return None

    def holder_of(self, question: str) -> ServedRun:
        """The run that asks a question, or asked it: this one, or one that its code started."""
        return self

    def answer_to(self, question: str) -> str:
        """How a question was answered, and where, in words; empty where it wasn't."""
        return ""

    def take(self, question: Question, given: DecideParams, place: Place) -> str:
        """Take a decision on the question that waits; returns it in words, empty where the question is gone.

        Raises ApprovalPending: that place didn't show the question.
        Raises SkillbookError: it can't be taken; the question still waits.
        """
        return ""

    def decide(self, given: DecideParams, place: Place = SIDE_PANEL) -> Decided:
        """Take a person's decision on the question that waits, made in a place that showed it; on the I/O thread.

        Raises ApprovalPending: that place didn't show the question.
        Raises SkillbookError: it can't be taken; the question still waits.
        """
        holder = self.holder_of(given.question)
        answered, question = holder.answer_to(given.question), holder.question
        if answered:
            return Decided(taken=False, words=f"already decided: {answered}")
        if question is None or question.id != given.question:
            return Decided(taken=False, words=f"this question is gone: {self.gone}")
        if given.decision in {"approve", "edit"} and question.second_press and not given.confirmed:
            raise InvalidParams(
                "what it does can't be undone, so it needs a second press", hint="press Approve once more"
            )
        words = holder.take(question, given, place)
        return Decided(taken=bool(words), words=words or f"this question is gone: {self.gone}")

    gone = "nothing was decided"
    """What is said of a question that waits no more."""

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

        Raises InvalidParams: there is no such output.
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


_AS_IF_CLOSED = (PageClosed, PageNavigated, PageUnreachable, StaleRef)


def page_of(driver: PageDriver) -> Page:
    """A driver as the blocking twin's page."""
    return Page(Browser(cast(BrowserDriver, driver.browser)), driver)


class TaskRun(ServedRun):
    """One task.

    driver: the page that it works on.
    """

    def __init__(
        self, kind: RunKind, title: str, *, name: str, inputs: Mapping[str, Any], driver: PageDriver
    ) -> None:
        super().__init__(f"{kind}-{uuid4().hex[:12]}", kind, title, name=name, inputs=inputs)
        self._driver = driver
        self._task: asyncio.Task[None] | None = None
        self.questions = QuestionQueue[Question]()
        self._stopped = self._page_closed = False
        self._operation: Operation | None = None
        self.error: Exception | None = None
        self.ok = False

    def start(self) -> None:
        """Begin; on the I/O thread."""
        self._stopped, self._page_closed, self.error = False, False, None
        self._task = asyncio.ensure_future(self._drive())
        self.changed()

    @abstractmethod
    async def work(self) -> None:
        """Do it: sets `ok` or `error`."""

    async def _drive(self) -> None:
        try:
            with self._driver.browser.gateway.stopping.operation(apart=True) as self._operation:
                await self.work()
        except asyncio.CancelledError:
            self._stopped = True
        except Exception as error:
            self.error = error
        finally:
            if not self.ok and not self._stopped:
                self._page_closed = await self._was_closed()
            self.questions.clear()
            self._operation = None
            asyncio.get_running_loop().call_soon(self.changed)

    async def _was_closed(self) -> bool:
        """Whether its page was closed under it; the command that fails by that may end before the page is known to."""
        if isinstance(self.error, _AS_IF_CLOSED) and not self._driver.closed:
            closed, listeners = asyncio.Event(), cast(BrowserDriver, self._driver.browser).listeners

            def listen(page: PageDriver, what: str) -> None:
                if page is self._driver and what == "closed":
                    closed.set()

            listeners.append(listen)
            with suppress(TimeoutError):
                await asyncio.wait_for(closed.wait(), ENDING_SECONDS)
            listeners.remove(listen)
        return bool(self._driver.closed)

    @property
    def is_over(self) -> bool:
        """Whether nothing is under way."""
        return self._task is None or self._task.done()

    @property
    def state(self) -> RunState:
        if self._task is None:
            return "created"
        if not self._task.done():
            return "awaiting_user" if self.questions or self.is_paused else "executing"
        if self.ok:
            return "succeeded"
        by_hand = self._stopped or isinstance(self.error, Stopped) or self._page_closed
        return "cancelled" if by_hand else "failed"

    @property
    def status(self) -> Any:
        """As an agent's run has it."""
        if self.is_paused and not self.questions:
            return "paused"
        return {
            "created": "idle",
            "executing": "running",
            "awaiting_user": "waiting",
            "cancelled": "stopped",
        }.get(self.state, self.state)

    @property
    def words(self) -> str:
        return "paused" if self.status == "paused" else super().words

    @property
    def page(self) -> PageDriver | None:
        return self._driver

    @property
    def is_paused(self) -> bool:
        """Whether a person has it wait before its next step."""
        return self._operation is not None and self._operation.paused

    def steering(self) -> list[Literal["pause", "resume", "stop"]]:
        """What can be done with it now, while it is at work."""
        if self.is_over:
            return []
        return ["resume" if self.is_paused else "pause", "stop"]

    def pause(self) -> None:
        if self._operation is None:
            super().pause()
        else:
            self._operation.pause()
            self.changed()

    async def resume(self) -> None:
        if self._operation is None or not self._operation.paused:
            await super().resume()
        else:
            self._operation.go_on()
            self.changed()

    async def stop(self) -> None:
        if self._task is not None and not self._task.done():
            self._stopped = True
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait({self._task})

    def shown(self, **more: Any) -> RunView:
        """What is shown of any such run, with more of this one."""
        error, hint = self.error_words()
        outputs = [output.view() for output in self.outputs()]
        common = {"status": self.status, "question": self.question, "error": error, "hint": hint}
        return RunView(**{**self._summary(), **common, "outputs": outputs, "can": self.steering(), **more})

    # --- questions ---

    @property
    def question(self) -> Question | None:
        return self.questions.first

    async def ask(self, kind: QuestionKind, words: str, **more: Any) -> DecideParams:
        """Ask the person, and wait for their decision."""
        question = Question(
            id=f"question-{uuid4().hex[:12]}",
            kind=kind,
            words=words,
            **{"decisions": ["approve", "reject"], **more},
        )
        decided = self.questions.ask(question)
        self.changed()
        try:
            found: DecideParams = await decided
            return found
        finally:
            self.questions.withdraw(decided)
            self.changed()

    def note_shown(self, question: str, place: Place) -> None:
        self.questions.shown.show(place, question)

    def answer_to(self, question: str) -> str:
        words, where = self.questions.answers.get(question, ("", ""))
        return f"{words} {where}".strip()

    def take(self, question: Question, given: DecideParams, place: Place) -> str:
        if not self.questions.waits(question.id):
            return ""
        problem = self.questions.problem(question.id, place)
        if problem:
            raise ApprovalPending(
                f"{problem} Nothing was decided.", hint="read it first, where you answer it"
            )
        if given.decision not in question.decisions:
            raise InvalidParams(
                f"this can't be answered with {given.decision!r}",
                hint=f"its answers are: {', '.join(question.decisions)}",
            )
        if given.decision == "choose" and given.text not in question.choices:
            raise InvalidParams(f"{given.text!r} is none of the choices")
        words = f"chosen: {given.text}" if given.decision == "choose" else DECIDED_WORDS[given.decision]
        self.questions.answers[question.id] = words, place.words
        with self.questions.answered(question, given):
            pass
        return words

    def error_words(self) -> tuple[str, str]:
        """Why it failed and what to try; empty where it didn't."""
        if self._page_closed:
            return "its page was closed", "open it again and run it anew"
        if self.error is None:
            return "", ""
        if isinstance(self.error, SkillbookError):
            return self.error.message, self.error.hint
        return (
            f"{type(self.error).__name__}: {self.error}",
            "see where it was raised in the kernel's terminal",
        )
