"""Adds the bearer token to requests of a program that can't be given one, such as the conformance suite."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_BLOCK = 65536


@contextmanager
def with_token(port: int, token: str) -> Iterator[int]:
    """Pass requests on to a port on loopback, each on a connection of its own; gives the port to send them to.

    Parameters
    ----------
    port, token : of the server; nothing else of a request is changed.
    """
    head = f"\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n".encode()
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                made, _ = listening.accept()
                Thread(target=_pass_on, args=(made, port, head), daemon=True).start()

    Thread(target=serve, daemon=True).start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        listening.close()


def _pass_on(made: socket.socket, port: int, head: bytes) -> None:
    with suppress(OSError), made, socket.create_connection(("127.0.0.1", port)) as server:
        first = made.recv(_BLOCK)
        line, _, rest = first.partition(b"\r\n")
        rest = b"\r\n".join(
            each for each in rest.split(b"\r\n") if not each.lower().startswith(b"connection:")
        )
        server.sendall(line + head + rest)
        Thread(target=_copy, args=(made, server), daemon=True).start()
        _copy(server, made)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(_BLOCK):
            target.sendall(block)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
