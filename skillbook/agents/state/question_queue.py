"""The questions of one run: their order, where each was shown and how it was answered, and what code expects of one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from skillbook.perception.roles import RECORDS

_RECORD = re.compile(rf"(?:{'|'.join(sorted(RECORDS))}|card)\b")
"""How a place begins that tells one record from another."""
_DIGEST = 12


@dataclass(frozen=True)
class Expectation:
    """What a question can be called.

    words: the name that its text prints.
    """

    words: str
    names: frozenset[str] = frozenset()

    @property
    def exact(self) -> str:
        """The longest name, for code that was given the question itself and decides on no other one."""
        return max(self.names, key=len, default="")

    def meets(self, expected: str) -> bool:
        """Whether code that expects this expects the question."""
        return expected.strip() in self.names


def expected_call(
    tool: str, target: str, place: str, args: Mapping[str, Any], *, in_full: bool
) -> Expectation:
    """The names of a call: `click button 'Buy'`, `click button 'Delete' in row 'Ann'`, `goto https://example.com`.

    target: its element or address, in words.
    place: what is around the element, in words.
    in_full: whether a person has to see this very call. It then has its whole name alone, with its record and its
        arguments; a click may leave out `click`. Any other call may be named by its target, its command, or both.
    """
    where = f" in {place}" if place else ""
    rest = _arguments(target, args)
    of_record = where if _RECORD.match(place) else ""
    if not in_full:
        targets = [f"{target}{end}" for end in (where, of_record, "")] if target else []
        names = [tool, *targets, *(f"{tool} {each}" for each in targets)]
        return Expectation(f"{tool} {target}{where}".strip(), frozenset([*names, *(n + rest for n in names)]))
    ends = [where, of_record]
    targets = [f"{target}{end}{rest}" for end in ends] if target else [rest.strip()]
    short = targets if tool == "click" and target else []
    full = [f"{tool} {each}".strip() for each in targets]
    return Expectation(full[0], frozenset([*full, *short]))


def expected_request(method: str, origin: str, address: str, shown: str, *, same_site: bool) -> Expectation:
    """The names of a request: `POST https://shop.example/orders`, and `POST /orders` if it goes to its page's site.

    address: its path and query, as they are; empty where that isn't known.
    shown: the same as a text has it. It prints a name only if nothing is masked or shortened in it.
    """
    if not address:
        return Expectation("")
    whole = f"{method} {origin}{address}"
    short = f"{method} {address}"
    shown = (short if same_site else whole) if shown == address else ""
    return Expectation(shown, frozenset([whole, short] if same_site else [whole]))


def expected_cell(code: str, *, in_full: bool) -> Expectation:
    """The names of a cell: `cell 3f2a9c1b7d20`, which stands for this very code, or the code itself."""
    digest = hashlib.sha256(code.strip().encode()).hexdigest()[:_DIGEST]
    words = f"cell {digest}"
    return Expectation(words, frozenset([words, code.strip(), *([] if in_full else ["cell", "run_cell"])]))


def expected_help(kind: str, message: str) -> Expectation:
    """The names of a question in words or of a request for help: `login`, or `question 'How many?'`."""
    words = f"{kind} {message!r}"
    return Expectation(words if kind == "question" else kind, frozenset([words, kind]))


def _arguments(target: str, args: Mapping[str, Any]) -> str:
    given = {
        name: value
        for name, value in sorted(args.items())
        if name != "target" and value not in (None, [], {}) and value != target
    }
    words = (f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in given.items())
    return f" ({', '.join(words)})" if given else ""


@dataclass(frozen=True)
class Place:
    """Where questions are shown and answered.

    words: where that is, such as `in the side panel`.
    name: tells places of one kind apart, such as two terminals.
    """

    words: str
    name: str = ""


OUTPUTS = Place("in a cell")
"""The outputs of this kernel, or of this process where there is no kernel."""
NOTEBOOK_PANEL = Place("in the notebook")
SIDE_PANEL = Place("in the side panel")


class ShownQuestions:
    """The questions of one run, by place.

    now: the time, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._since: dict[tuple[Place, str], float] = {}

    def show(self, place: Place, question: str, since: float | None = None) -> None:
        """A place shows a question from now on, if it didn't before; may be called on any thread.

        since: when it began to, where word of that took its time.
        """
        self._since.setdefault((place, question), self._now() if since is None else since)

    def problem(self, place: Place, question: str, requested: float | None = None) -> str:
        """Why a place can't decide on a question, one sentence; empty if it can.

        place: where the decision was made.
        question: the id of the question that it answers.
        requested: when the person gave the decision, in seconds since 1970; None where that isn't known.
        """
        since = self._since.get((place, question))
        if since is None:
            return f"This question wasn't shown {place.words}."
        if requested is not None and requested <= since:
            return "This decision was given before the question was shown."
        return ""


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
