"""A mail server on the loopback: it takes what is sent, and never lets a password through in the clear."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast


class MailServer(socketserver.ThreadingTCPServer):
    """Takes mails; `lines` are the commands that it got, `mails` what was sent."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.context = context
        self.lines: list[str] = []
        self.mails: list[EmailMessage] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is a test's own."""


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def setup(self) -> None:
        if self.server.context is not None:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        self._answer("220 here")
        for line in self.rfile:
            words = line.decode().strip()
            self.server.lines.append(words)
            match words.split()[0].upper():
                case "DATA":
                    self._answer("354 go on")
                    parts = [line.removeprefix(b".") for line in iter(self.rfile.readline, b".\r\n")]
                    found = message_from_bytes(b"".join(parts), policy=policy.default)
                    self.server.mails.append(cast(EmailMessage, found))
                    self._answer("250 taken")
                case "QUIT":
                    self._answer("221 bye")
                    return
                case "STARTTLS":
                    self._answer("502 not here")
                case "AUTH":
                    self._answer("235 welcome")
                case "EHLO":
                    self._answer("250-here\r\n250 AUTH PLAIN")
                case _:
                    self._answer("250 fine")

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def _answer(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def serve_mail(context: ssl.SSLContext | None = None) -> Iterator[MailServer]:
    """Runs a mail server; with a context it speaks TLS from the first byte."""
    with MailServer(context) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
