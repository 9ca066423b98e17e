"""A kernel that answers the side panel with what a test gives it, over the real wire; each answer fits the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from skillbook.io_thread import io
from skillbook.protocol.asks import ASKS, NOTICES
from skillbook.session import aio, sync

NOW = 1_790_000_000.0
Given = dict[str, Any]


class CannedKernel:
    """Answers asks from `answers`: a value, or a function of the ask's parameters, or a coroutine function.

    Parameters
    ----------
    browser : paired.
    """

    def __init__(self, browser: aio.Browser | sync.Browser) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, Given]] = []
        self.page: Any = None
        self._server = browser.driver.server
        self._server.answer_with(self._answer)

    async def _answer(self, name: str, params: Given) -> Any:
        self.asked.append((name, params))
        given = self.answers[name]
        found = given(ASKS[name].params.model_validate(params)) if callable(given) else given
        if inspect.isawaitable(found):
            found = await found
        return ASKS[name].result.model_validate(found).model_dump(mode="json")

    def report(self, name: str, **data: Any) -> None:
        """Send a notice."""
        io.call_soon(self._server.notify, name, NOTICES[name].model_validate(data).model_dump(mode="json"))

    def taken(self, name: str) -> list[Given]:
        """The parameters of each ask of a name."""
        return [params for asked, params in self.asked if asked == name]


def summary(**more: Any) -> Given:
    """A run as one line."""
    given = {"id": "r1", "kind": "goal", "title": "Find a lamp for my bed and put it in the cart"}
    return {**given, "state": "executing", "words": "works", "started": NOW, **more}


def view(**more: Any) -> Given:
    """A run as the panel shows it."""
    return {"status": "running", "can": ["pause", "stop", "tell"], **summary(), **more}


def waiting(question: Given, **more: Any) -> Given:
    """A run that waits for the person."""
    state = {"state": "awaiting_user", "words": "waits for you", "status": "waiting"}
    return view(**state, question=question, **more)


def step(number: int, words: str, **more: Any) -> Given:
    """A step."""
    return {"number": number, "words": words, "ok": True, **more}


def rows(count: int) -> Callable[[Any], Given]:
    """An answer to `read_rows`, with sorting."""
    table = [[f"Lamp {n}", round(5 + n * 7919 % 100 + n / 100, 2), n % 3 == 0] for n in range(count)]

    def read(asked: Any) -> Given:
        order = list(range(count))
        columns = ["Name", "Price", "In stock"]
        if asked.sort:
            at = columns.index(asked.sort)
            order.sort(key=lambda place: table[place][at], reverse=asked.descending)
        part = order[asked.start : asked.start + asked.count]
        return {
            "columns": columns,
            "kinds": ["text", "number", "boolean"],
            "rows": [table[place] for place in part],
            "places": part,
            "total": count,
        }

    return read
