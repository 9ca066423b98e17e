"""Where clients come in: streamable HTTP on loopback with a bearer token, or a connection with a message a line."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

import uvicorn
from mcp.server.stdio import stdio_server

from skillbook.errors import PortInUse
from skillbook.limits import READ_SECONDS
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.kept_entrance import knows_token
from skillbook.mcp_server.request_handlers import SESSION, RequestHandlers

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


_PATH = "/mcp"
_HOSTS = frozenset({b"127.0.0.1", b"localhost"})
_DENIED = b'{"error": "a bearer token is needed: it is in mcp.json in SKILLBOOK_HOME"}'
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class HttpEntrance:
    """Serves clients at `http://127.0.0.1:PORT/mcp`.

    token: what each request has to carry.
    """

    def __init__(self, clients: ClientList, token: str) -> None:
        self._clients, self._token = clients, token
        self._app = RequestHandlers(clients).server().streamable_http_app(host="127.0.0.1")
        self._serving: asyncio.Task[None] | None = None
        self._server: uvicorn.Server | None = None

    async def start(self, port: int = 0) -> int:
        """Listen; returns the port.

        Raises PortInUse: another program has it.
        """
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError:
            listening.close()
            raise PortInUse(
                f"the port {port} belongs to another program", hint="give another --mcp-port"
            ) from None
        config = uvicorn.Config(
            self._guarded, interface="asgi3", log_level="warning", lifespan="on", ws="none"
        )
        self._server = uvicorn.Server(config)
        self._serving = asyncio.ensure_future(self._serve(self._server, listening))
        return int(listening.getsockname()[1])

    @staticmethod
    async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
        with suppress(SystemExit):  # it would end the I/O thread, where the server can't start
            await server.serve(sockets=[listening])

    async def close(self) -> None:
        """Take nothing more, and end what is open."""
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._serving), READ_SECONDS)
            return
        self._server.force_exit = True
        self._serving.cancel()

    async def _guarded(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
        if not hmac.compare_digest(headers.get("authorization", b""), f"Bearer {self._token}".encode()):
            # A page whose own host name leads to loopback (DNS rebinding) can read answers: it gets no words.
            local = headers.get("host", b"").rpartition(b":")[0] in _HOSTS
            words = _DENIED if local and "origin" not in headers else b""
            kinds = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
            kinds.append((b"content-length", str(len(words)).encode()))
            await send({"type": "http.response.start", "status": 401, "headers": kinds})
            await send({"type": "http.response.body", "body": words})
            return
        await self._app(scope, receive, send)
        if scope["method"] == "DELETE" and (session := headers.get(SESSION)):
            await self._clients.leave(session.decode("latin-1"))
