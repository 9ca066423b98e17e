"""Answering what the side panel asks, one task for each ask."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from skillbook.errors import BridgeError, InternalError, NotConnected, SkillbookError
from skillbook.protocol.envelopes import AnswerMessage, AskMessage, WireError

MAX_ASKS = 64
"""How many asks may be without an answer."""
Answer = Callable[[str, dict[str, Any]], Awaitable[Any]]
_log = logging.getLogger("skillbook.bridge")


class Asks:
    """The asks that are being answered.

    Parameters
    ----------
    reply : sends an answer to the connection that its ask came on.
    """

    def __init__(self, reply: Callable[[int, AnswerMessage], None]) -> None:
        self.answer: Answer | None = None
        self._reply = reply
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, connection: int, ask: AskMessage) -> None:
        """Answer an ask, in a task of its own."""
        task = asyncio.ensure_future(self._serve(connection, ask))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self) -> None:
        """Answer nothing more."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _serve(self, connection: int, ask: AskMessage) -> None:
        try:
            if self.answer is None:
                raise NotConnected("this kernel answers no asks")
            if len(self._tasks) > MAX_ASKS:
                raise BridgeError(f"{MAX_ASKS} asks wait already", hint="wait for their answers")
            self._reply(connection, AnswerMessage(id=ask.id, result=await self.answer(ask.name, ask.params)))
        except SkillbookError as error:
            self._fail(connection, ask, error)
        except Exception as error:
            _log.exception("an ask failed: %s", ask.name)
            self._fail(connection, ask, InternalError(f"{ask.name}: {type(error).__name__}: {error}"))

    def _fail(self, connection: int, ask: AskMessage, error: SkillbookError) -> None:
        wire = error.to_wire() | {"data": {}}
        self._reply(connection, AnswerMessage(id=ask.id, error=WireError(**wire)))
