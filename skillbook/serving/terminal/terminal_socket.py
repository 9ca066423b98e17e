"""The way from a terminal to a service: a Unix socket, or a named pipe, that only its user can open."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from skillbook.agents.fence import fence
from skillbook.serving.terminal.terminal_client import ADDRESS_FILE
from skillbook.storage import write_private

_LONGEST_PATH = 100
"""A socket's path can't be longer on some systems."""
_LONGEST_LINE = 4 * 2**20
_FAILED = 1


class TerminalCall:
    """One command of a terminal, and what goes back to it.

    given: what the client sent: `words`, `folder`, `session`, `person` (whether somebody sits at it), `fenced`.
    write: sends a message.
    """

    def __init__(self, given: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
        self.words = [str(word) for word in given["words"]]
        self.folder = Path(str(given["folder"]))
        self.session = str(given.get("session", ""))
        self.has_person = bool(given.get("person"))
        self.fenced = bool(given.get("fenced", True))
        self._write = write
        self._answers: dict[str, asyncio.Future[bool]] = {}

    def take(self) -> None:
        """Say that the command is one of the service's."""
        self._write({"taken": True})

    def print(self, text: str) -> None:
        """Print a text, which gets a line's end if it has none."""
        if text:
            self._write({"out": text if text.endswith("\n") else f"{text}\n"})

    def report(self, text: str) -> None:
        """Print a line where errors go."""
        self._write({"err": f"{text}\n"})

    def report_page(self, head: str, text: str) -> None:
        """Print a line, and after it words that may be the page's."""
        self.report(f"{head}{chr(10) if self.fenced else ' '}{self.page_words(text)}")

    def page_words(self, text: str) -> str:
        """Words that may be the page's, between marks if a program may read them."""
        return fence(text) if self.fenced else text

    async def ask(self, lines: Sequence[str]) -> bool:
        """Ask who sits at the terminal; cancelling it takes the question back."""
        key = secrets.token_hex(4)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self._write({"ask": key, "words": "\n".join(lines)})
        try:
            return await answer
        finally:
            del self._answers[key]
            self._write({"asked": key})

    def answered(self, message: dict[str, Any]) -> None:
        """Take an answer of the terminal's."""
        waiting = self._answers.get(str(message.get("answer")))
        if waiting is not None and not waiting.done():
            waiting.set_result(message.get("yes") is True)


Answer = Callable[[TerminalCall], Awaitable[int | None]]
"""Carries a command out and gives its exit code; None if it is none of the service's."""


class TerminalSocket:
    """Takes commands of terminals; on the I/O thread.

    home: skillbook's folder, in which its address is written down.
    answer: carries one command out.
    """

    def __init__(self, home: Path, answer: Answer) -> None:
        self._home, self._answer = home, answer
        self._server: Any = None
        self._folder: Path | None = None
        self.address = ""
        self._calls: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Listen, and write the address down."""
        self.address = await (self._open_pipe() if sys.platform == "win32" else self._open_socket())
        write_private(self._home / ADDRESS_FILE, self.address)

    async def _open_socket(self) -> str:
        path = self._home.absolute() / "terminal.sock"
        if len(os.fsencode(path)) > _LONGEST_PATH:
            self._folder = Path(tempfile.mkdtemp(prefix="skillbook-"))  # with mode 0700
            path = self._folder / "terminal.sock"
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o600)  # nobody can connect before it listens
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=_LONGEST_LINE)
        return str(path)

    async def _open_pipe(self) -> str:
        """Windows lets only its owner write to a pipe by default."""
        name = rf"\\.\pipe\skillbook-{secrets.token_hex(16)}"
        loop: Any = asyncio.get_running_loop()

        def connect() -> asyncio.StreamReaderProtocol:
            reader = asyncio.StreamReader(limit=_LONGEST_LINE)
            return asyncio.StreamReaderProtocol(reader, self._serve)

        [self._server] = await loop.start_serving_pipe(connect, name)
        return name

    async def close(self) -> None:
        """Listen no more, and end what is under way."""
        if self._server is not None:
            self._server.close()
        for call in list(self._calls):
            call.cancel()
        self._remove()

    def _remove(self) -> None:
        with suppress(OSError):
            if (self._home / ADDRESS_FILE).read_text("utf-8") == self.address:
                (self._home / ADDRESS_FILE).unlink()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        elif self.address and sys.platform != "win32":
            Path(self.address).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def write(message: dict[str, Any]) -> None:
            if not writer.is_closing():
                writer.write(json.dumps(message, default=str).encode() + b"\n")

        try:
            call = TerminalCall(json.loads(await reader.readline()), write)
        except (ValueError, KeyError, TypeError):
            writer.close()
            return
        work = asyncio.ensure_future(self._answer(call))
        self._calls.add(work)
        watch = asyncio.ensure_future(_read_answers(reader, call))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():  # the terminal is gone
                work.cancel()
                await asyncio.wait({work})
            elif (code := _code_of(work, call)) is None:
                write({"taken": False})
            else:
                write({"code": code})
            with suppress(OSError):
                await writer.drain()
        finally:
            self._calls.discard(work)
            watch.cancel()
            writer.close()


def _code_of(work: asyncio.Task[int | None], call: TerminalCall) -> int | None:
    if work.cancelled():
        call.report("the service ended")
        return _FAILED
    error = work.exception()
    if error is not None:
        call.report(f"skillbook failed: {type(error).__name__}: {error}")
        return _FAILED
    return work.result()


async def _read_answers(reader: asyncio.StreamReader, call: TerminalCall) -> None:
    while line := await reader.readline():
        with suppress(ValueError, AttributeError):
            call.answered(json.loads(line))
