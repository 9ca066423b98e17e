"""`skillbook mcp`, and what `skillbook serve --mcp` adds to the service."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from skillbook.config import load_settings
from skillbook.errors import ConfigError
from skillbook.mcp_server.kept_entrance import connect_to, keep_entrance, read_entrance
from skillbook.mcp_server.mcp_options import limits_of

if TYPE_CHECKING:
    from skillbook.serving.service import Service

_BLOCK = 65536


def run_mcp(args: argparse.Namespace) -> int:
    """Serve the program that started this process, until it closes standard input."""
    _require_sdk()
    if not args.own_browser:
        found = connect_to(entrance := read_entrance(load_settings().home))
        if found is not None:
            return _pass_on(found, entrance.token)
    limits_of(args)  # a wrong one is an error of this command, not of a client's first call
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _serve_own(args)
    except KeyboardInterrupt:
        # The thread that reads standard input ends with the process alone.
        os._exit(130)
    return 0


def _serve_own(args: argparse.Namespace) -> None:
    """Serve a browser of this process's own, which starts at the first call."""
    from skillbook.io_thread import io
    from skillbook.mcp_server.client_list import ClientList
    from skillbook.mcp_server.entrances import serve_stdio
    from skillbook.session.browser_driver import BrowserDriver
    from skillbook.session.start import launch_driver

    async def open_browser() -> BrowserDriver:
        return await launch_driver(headless=args.headless, name="skillbook mcp", page_tools=args.page_tools)

    clients = ClientList(open_browser, limits_of(args), page_tools=args.page_tools)
    try:
        io.sync(serve_stdio(clients))
    finally:
        if clients.driver is not None:
            io.sync(clients.driver.close())


def _pass_on(made: socket.socket, token: str) -> int:
    """Pass messages on to the browser that is served, and its answers back."""
    from skillbook.mcp_server.kept_entrance import hello

    made.sendall(hello(token))

    def send() -> None:
        with suppress(OSError, ValueError):
            while block := os.read(sys.stdin.fileno(), _BLOCK):
                made.sendall(block)
            made.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    with suppress(OSError, KeyboardInterrupt):
        while block := made.recv(_BLOCK):
            sys.stdout.buffer.write(block)
            sys.stdout.buffer.flush()
    return 0


@contextmanager
def entrances_for(service: Service, args: argparse.Namespace) -> Iterator[str]:
    """Serve a service's browser to clients as well; gives their address, empty where that isn't wanted."""
    if not args.mcp:
        yield ""
        return
    _require_sdk()
    from skillbook.io_thread import io
    from skillbook.mcp_server.client_list import ClientList
    from skillbook.mcp_server.entrances import HttpEntrance, SocketEntrance

    home = load_settings().home
    kept = read_entrance(home)

    async def browser() -> Any:
        return service.browser.driver

    clients = ClientList(browser, limits_of(args), page_tools=args.page_tools)
    http, lines = HttpEntrance(clients, kept.token), SocketEntrance(clients, kept.token)

    async def start() -> tuple[int, int]:
        return await http.start(kept.port if args.mcp_port is None else args.mcp_port), await lines.start()

    async def close() -> None:
        await clients.close()
        await lines.close()
        await http.close()

    port, socket_port = io.sync(start())
    kept = replace(kept, port=port, socket_port=socket_port)
    keep_entrance(home, kept)
    try:
        yield kept.url
    finally:
        keep_entrance(home, replace(kept, socket_port=0))
        io.sync(close())


def _require_sdk() -> None:
    if find_spec("mcp") is None:
        raise ConfigError(
            "the MCP server needs the package `mcp`, which isn't installed",
            hint='install it with `pip install "skillbook[mcp]"`',
        )
