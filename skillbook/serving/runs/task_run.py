"""A run that is one asyncio task: of a skill or a workflow, with questions that a person answers."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, cast
from uuid import uuid4

from skillbook.agents.review.shown_questions import SIDE_PANEL, Place, ShownQuestions
from skillbook.agents.run.run_words import DECIDED_WORDS
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
from skillbook.protocol.asks.run_asks import Decided, DecideParams, Question, QuestionKind, RunKind, RunState
from skillbook.serving.runs.served_run import ServedRun
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver
from skillbook.session.stopping import Operation
from skillbook.session.sync import Browser, Page

_AS_IF_CLOSED = (PageClosed, PageNavigated, PageUnreachable, StaleRef)
_CLOSING_SECONDS = 1.0


def page_of(driver: PageDriver) -> Page:
    """A driver as the blocking twin's page."""
    return Page(Browser(cast(BrowserDriver, driver.browser)), driver)


class TaskRun(ServedRun):
    """One task.

    Parameters
    ----------
    driver : the page that it works on.
    """

    def __init__(
        self, kind: RunKind, title: str, *, name: str, inputs: Mapping[str, Any], driver: PageDriver
    ) -> None:
        super().__init__(f"{kind}-{uuid4().hex[:12]}", kind, title, name=name, inputs=inputs)
        self._driver = driver
        self._task: asyncio.Task[None] | None = None
        self._waiting: list[tuple[Question, asyncio.Future[DecideParams]]] = []
        self._answers: dict[str, str] = {}
        self._shown = ShownQuestions()
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
            self._waiting.clear()
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
                await asyncio.wait_for(closed.wait(), _CLOSING_SECONDS)
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
            return "awaiting_user" if self._waiting or self.is_paused else "executing"
        if self.ok:
            return "succeeded"
        by_hand = self._stopped or isinstance(self.error, Stopped) or self._page_closed
        return "cancelled" if by_hand else "failed"

    @property
    def status(self) -> Any:
        """As an agent's run has it."""
        if self.is_paused and not self._waiting:
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

    # --- questions ---

    @property
    def question(self) -> Question | None:
        """What it waits for."""
        return self._waiting[0][0] if self._waiting else None

    async def ask(self, kind: QuestionKind, words: str, **more: Any) -> DecideParams:
        """Ask the person, and wait for their decision."""
        question = Question(
            id=f"question-{uuid4().hex[:12]}",
            kind=kind,
            words=words,
            **{"decisions": ["approve", "reject"], **more},
        )
        decided: asyncio.Future[DecideParams] = asyncio.get_running_loop().create_future()
        entry = (question, decided)
        self._waiting.append(entry)
        self.changed()
        try:
            return await decided
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)
            self.changed()

    def note_shown(self, question: str, place: Place) -> None:
        self._shown.show(place, question)

    def decide(self, given: DecideParams, place: Place = SIDE_PANEL) -> Decided:
        if given.question in self._answers:
            return Decided(taken=False, words=f"already decided: {self._answers[given.question]}")
        question = self.question
        if question is None or question.id != given.question or self._waiting[0][1].done():
            return Decided(taken=False, words="this question is gone: nothing was decided")
        problem = self._shown.problem(place, question.id)
        if problem:
            raise ApprovalPending(
                f"{problem} Nothing was decided.", hint="read it first, where you answer it"
            )
        if given.decision not in question.decisions:
            raise InvalidParams(
                f"this can't be answered with {given.decision!r}",
                hint=f"its answers are: {', '.join(question.decisions)}",
            )
        if given.decision == "approve" and question.second_press and not given.confirmed:
            raise InvalidParams(
                "what it does can't be undone, so it needs a second press", hint="press Approve once more"
            )
        if given.decision == "choose" and given.text not in question.choices:
            raise InvalidParams(f"{given.text!r} is none of the choices")
        words = f"chosen: {given.text}" if given.decision == "choose" else DECIDED_WORDS[given.decision]
        self._answers[question.id] = f"{words} {place.words}"
        _, decided = self._waiting.pop(0)
        decided.set_result(given)
        return Decided(taken=True, words=words)

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
