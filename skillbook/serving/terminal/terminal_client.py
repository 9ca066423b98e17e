"""Hands a command over to a running `skillbook serve`, and prints what comes back.

It imports a few modules of the standard library alone, since each command is a new process.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys

from skillbook.limits import PAGE_SECONDS

TYPE_CHECKING = False  # importing `typing` is a good part of what a command of a terminal costs
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ADDRESS_FILE = "terminal.address"
"""In skillbook's folder: the path of the socket, or the name of the pipe."""
INTERRUPTED, NOT_SERVED, BROKEN_PIPE = 130, 3, 141


def is_served() -> bool:
    """Whether a `skillbook serve` of this user runs."""
    try:
        with open(os.path.join(home(), ADDRESS_FILE), encoding="utf-8") as file:
            _Line(file.read().strip()).close()
    except OSError:  # none runs, or its process was killed
        return False
    return True


def hand_over(words: list[str]) -> int | None:
    """Have the service run a command; its exit code, or None if none runs or the command is none of its."""
    try:
        with open(os.path.join(home(), ADDRESS_FILE), encoding="utf-8") as file:
            line = _Line(file.read().strip())
    except OSError:  # none runs, or its process was killed
        return None
    try:
        line.send(
            {
                "words": words,
                "folder": os.getcwd(),
                "session": os.environ.get("SKILLBOOK_SESSION", ""),
                "person": sys.stdin.isatty() and sys.stderr.isatty(),
                "fenced": not sys.stdout.isatty(),
            }
        )
        return _follow(line)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        sys.stderr.write(f"the connection to `skillbook serve` failed: {error}\n")
        return NOT_SERVED
    finally:
        line.close()


def home() -> str:
    """Skillbook's folder, as the settings have it."""
    found = os.environ.get("SKILLBOOK_HOME")
    if found:
        return found
    try:
        with open(".env", encoding="utf-8") as file:
            if "SKILLBOOK_HOME" in file.read():
                from skillbook.config import load_settings

                return str(load_settings().home)
    except (OSError, UnicodeDecodeError):
        pass
    return os.path.join(os.path.expanduser("~"), ".local", "share", "skillbook")


def _follow(line: _Line) -> int | None:
    """Print what the service sends until it gives the exit code."""
    question = None
    for message in line.messages():
        if message.get("taken") is False:
            return None
        sys.stdout.write(_for_stream(message.get("out", ""), sys.stdout))
        sys.stdout.flush()
        sys.stderr.write(_for_stream(message.get("err", ""), sys.stderr))
        sys.stderr.flush()
        if "ask" in message:
            question = message["ask"]
            sys.stderr.write(f"{_visible(message['words'])} (y/n) ")
            sys.stderr.flush()
        elif "asked" in message:  # somebody answered elsewhere
            question = None
        elif "code" in message:
            return int(message["code"])
        line.reads_answer = question is not None
        if "answer" in message:
            reply = str(message["answer"]).strip().lower()
            line.send({"answer": question, "yes": reply in ("y", "yes")})
            line.reads_answer, question = False, None
    sys.stderr.write("`skillbook serve` ended meanwhile: nobody knows what became of the command\n")
    return NOT_SERVED


def _for_stream(text: str, stream: Any) -> str:
    """A text as it is for a program; for a terminal's screen with nothing in it that would command the terminal."""
    return _visible(text) if stream.isatty() else text


def _visible(text: str) -> str:
    """A text in which control characters and marks of direction are written out: pages may have put them there."""
    return "".join(f"\\x{ord(char):02x}" if _commands(char) else char for char in text)


def _commands(char: str) -> bool:
    """Whether a terminal obeys a character, or shows others in another order for it, instead of showing it."""
    return (
        (char < " " and char not in "\n\t")
        or "\x7f" <= char <= "\x9f"
        or "\u200e" <= char <= "\u200f"
        or "\u202a" <= char <= "\u202e"
        or "\u2066" <= char <= "\u2069"
    )


class _Line:
    """The connection: JSON, a message a line. While a question waits, a line of the terminal is a message, too."""

    def __init__(self, address: str) -> None:
        self.reads_answer = False
        self._socket: socket.socket | None = None
        if address.startswith("\\\\.\\pipe\\"):
            self._pipe: Any = open(address, "r+b", buffering=0)  # noqa: SIM115 - closed by `close`
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PAGE_SECONDS)
        try:
            self._socket.connect(address)
        except OSError:
            self._socket.close()
            raise

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        data = json.dumps(message).encode() + b"\n"
        if self._socket is not None:
            self._socket.sendall(data)
        else:
            self._pipe.write(data)

    def messages(self) -> Iterator[dict[str, Any]]:
        """What comes, until the service closes the connection."""
        rest = b""
        while True:
            if self.reads_answer and (reply := self._answered()) is not None:
                yield {"answer": reply}
                continue
            data = self._socket.recv(65536) if self._socket is not None else self._pipe.read(65536)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for each in lines:
                yield json.loads(each)
            if self._socket is not None:
                self._socket.settimeout(None)  # it was taken; how long it lasts is its affair

    def _answered(self) -> str | None:
        """The person's line; None if the service sent something first."""
        if self._socket is None:
            return sys.stdin.readline()
        ready, _, _ = select.select([self._socket, sys.stdin], [], [])
        return None if self._socket in ready else sys.stdin.readline()

    def close(self) -> None:
        """Close it: the service stops what is still under way."""
        if self._socket is not None:
            self._socket.close()
        else:
            self._pipe.close()
