"""One client on a connection of its own that carries a message a line: standard input and output, or a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

from mcp.server.stdio import stdio_server

from skillbook.limits import READ_SECONDS
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.kept_entrance import knows_token
from skillbook.mcp_server.request_handlers import RequestHandlers

_LONGEST_LINE = 16 * 1024 * 1024


async def serve_stdio(clients: ClientList) -> None:
    """Serve the program that started this process, until it closes standard input."""
    await _serve(clients, None, None)


class SocketEntrance:
    """Takes what `skillbook mcp` passes on while the browser is served here: a port on loopback.

    The first line of a connection has the token; nothing else is read of one that doesn't know it.
    """

    def __init__(self, clients: ClientList, token: str) -> None:
        self._clients, self._token = clients, token
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[Any]] = set()

    async def start(self, port: int = 0) -> int:
        """Listen; returns the port."""
        self._server = await asyncio.start_server(self._take, "127.0.0.1", port, limit=_LONGEST_LINE)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Take nothing more, and end what is open."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=READ_SECONDS)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with suppress(TimeoutError, ValueError, ConnectionError):
                hello = await asyncio.wait_for(reader.readline(), READ_SECONDS)
                if knows_token(hello, self._token):
                    await _serve(self._clients, _Lines(reader), _Writer(writer))
        finally:
            self._open.discard(task)
            writer.close()


class _Lines:
    """Lines of a socket, as the SDK reads those of standard input."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def __aiter__(self) -> AsyncIterator[str]:
        with suppress(ConnectionError, ValueError):
            while line := await self._reader.readline():
                yield line.decode("utf-8", "replace")


class _Writer:
    """A socket to which the SDK writes as to standard output."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        self._writer.write(text.encode())

    async def flush(self) -> None:
        with suppress(ConnectionError):
            await self._writer.drain()


async def _serve(clients: ClientList, lines: Any, out: Any) -> None:
    key = f"connection:{uuid4().hex}"
    server = RequestHandlers(clients, key).server()
    options = server.create_initialization_options()
    try:
        async with stdio_server(lines, out) as (read, write):
            await server.run(read, write, options)
    finally:
        await clients.leave(key)
