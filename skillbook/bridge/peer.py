"""One open socket, and the task that writes to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from skillbook.errors import BridgeError, InternalError, NotConnected, ProtocolError, SkillbookError
from skillbook.protocol.envelopes import AnswerMessage, AskMessage, WireError

MAX_UNSENT = 4000
"""The most messages that may wait to be sent."""
_TOO_BIG = 1009


class Peer:
    """Reads frames from a socket and writes to it in order, without waiting in between.

    limit: the largest message in bytes; also the most that may wait to be sent.
    """

    def __init__(self, socket: ServerConnection, limit: int) -> None:
        self._socket = socket
        self._limit = limit
        self._unsent: asyncio.Queue[bytes | tuple[int, str]] = asyncio.Queue()
        self._unsent_bytes = 0
        self._writer = asyncio.create_task(self._write())
        self.error: SkillbookError | None = None

    def send(self, frame: bytes) -> None:
        """Send a frame after those before it; who doesn't read them is disconnected."""
        if self._unsent.qsize() >= MAX_UNSENT or self._unsent_bytes > self._limit:
            self.error = ProtocolError("the browser doesn't read what it is sent")
            self._socket.transport.abort()
            return
        self._unsent_bytes += len(frame)
        self._unsent.put_nowait(frame)

    def close(self, code: int, reason: str) -> None:
        """Close the socket after what was sent before."""
        self._unsent.put_nowait((code, reason))

    async def receive(self) -> bytes | None:
        """The next frame; None when the socket is closed, and `error` then says why if it wasn't proper."""
        try:
            return await self._socket.recv(decode=False)
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == _TOO_BIG:
                self.error = ProtocolError(
                    f"the browser sent a message of more than {self._limit} bytes",
                    hint="allow more with SKILLBOOK_MAX_FRAME_BYTES",
                )
            return None

    async def flushed(self, seconds: float) -> None:
        """Wait until everything was sent and the socket was closed, but no longer than that."""
        await asyncio.wait([self._writer], timeout=seconds)

    async def finish(self) -> None:
        """End the writer; the socket is closed."""
        self._writer.cancel()
        await asyncio.wait([self._writer])

    async def _write(self) -> None:
        # A closed socket is the reader's to report.
        with suppress(ConnectionClosed):
            while isinstance(item := await self._unsent.get(), bytes):
                await self._socket.send(item, text=True)
                self._unsent_bytes -= len(item)
            code, reason = item
            await self._socket.close(code, reason)


MAX_ASKS = 64
"""How many asks may be without an answer."""
Answer = Callable[[str, dict[str, Any]], Awaitable[Any]]
_log = logging.getLogger("skillbook.bridge")


class Asks:
    """The asks that are being answered.

    reply: sends an answer to the connection that its ask came on.
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
