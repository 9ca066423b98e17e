"""The questions of one run, in the order in which they were asked: where each was shown, and how it was answered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from skillbook.agents.state.question_names import Place, ShownQuestions


class Named(Protocol):
    """A question."""

    @property
    def id(self) -> str:
        """What names it, for ever."""


Q = TypeVar("Q", bound=Named)


class QuestionQueue(Generic[Q]):
    """The questions of one run; used on its loop, but for `shown`.

    answers: of each question that was answered: the decision, and where it was made.
    """

    def __init__(self) -> None:
        self.shown = ShownQuestions()
        self.answers: dict[str, tuple[Any, str]] = {}
        self._waiting: list[tuple[Q, asyncio.Future[Any]]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> Q | None:
        """The question that waits for a decision; of several, the one that was asked first."""
        return self._waiting[0][0] if self._waiting else None

    def ask(self, question: Q) -> asyncio.Future[Any]:
        """Ask after those that wait already; returns the decision that is to come."""
        decided: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, decided))
        return decided

    def waits(self, question: str) -> bool:
        """Whether it is this question that a decision is for now."""
        return bool(self._waiting) and self._waiting[0][0].id == question and not self._waiting[0][1].done()

    def problem(self, question: str, place: Place | None) -> str:
        """Why a place can't decide on a question, one sentence; empty if it can, as code that is no place does."""
        return self.shown.problem(place, question) if place is not None else ""

    @contextmanager
    def answered(self, question: Q, decision: Any) -> Iterator[None]:
        """Take a question out; who asked it has the decision after the block."""
        entry = next(entry for entry in self._waiting if entry[0] is question)
        self._waiting.remove(entry)
        yield
        entry[1].set_result(decision)

    def withdraw(self, decided: asyncio.Future[Any]) -> bool:
        """A question is no longer asked; whether it still was."""
        left = [entry for entry in self._waiting if entry[1] is not decided]
        was_asked = len(left) < len(self._waiting)
        self._waiting = left
        return was_asked

    def call_off(self) -> None:
        """Whoever waits for a decision gets none."""
        for _, decided in self._waiting:
            decided.cancel()

    def clear(self) -> None:
        """Nothing is asked any more."""
        self._waiting.clear()
