"""A plain DevTools connection beside the extension: what Chrome itself says, without the extension."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import connect

_PATIENCE = 20.0


class DevToolsError(Exception):
    """Chrome refused a command."""


class DevTools:
    """One connection to a browser started with `--remote-debugging-port=0`; a context manager.

    Parameters
    ----------
    profile : the browser's user data directory, where it writes its port.
    """

    def __init__(self, profile: Path) -> None:
        port, path = _port_of(profile)
        self._stack = ExitStack()
        self._socket = self._stack.enter_context(connect(f"ws://127.0.0.1:{port}{path}", max_size=None))
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._stack.close()

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """One command's result.

        Raises
        ------
        DevToolsError : Chrome refuses it.
        """
        (answer,) = self.send_all([(method, params)], session)
        if isinstance(answer, DevToolsError):
            raise answer
        return answer

    def send_all(
        self, commands: Iterable[tuple[str, dict[str, Any]]], session: str | None = None
    ) -> list[dict[str, Any] | DevToolsError]:
        """Many commands at once; results and refusals in their order."""
        waiting: dict[int, int] = {}
        for place, (method, params) in enumerate(commands):
            self._last += 1
            waiting[self._last] = place
            message = {"id": self._last, "method": method, "params": params}
            self._socket.send(json.dumps(message if session is None else {**message, "sessionId": session}))
        answers: list[dict[str, Any] | DevToolsError] = [{}] * len(waiting)
        while waiting:
            reply = json.loads(self._socket.recv(timeout=_PATIENCE))
            place_of = waiting.pop(reply.get("id", 0), None)
            if place_of is None:
                if "method" in reply:
                    self.events.append(reply)
            elif "error" in reply:
                answers[place_of] = DevToolsError(reply["error"]["message"])
            else:
                answers[place_of] = reply["result"]
        return answers

    def take_events(self, method: str, session: str) -> list[dict[str, Any]]:
        """The parameters of the events of one kind that a session has sent so far; they are forgotten."""
        found = [e for e in self.events if e["method"] == method and e.get("sessionId") == session]
        self.events = [event for event in self.events if event not in found]
        return [event["params"] for event in found]


def _port_of(profile: Path) -> tuple[str, str]:
    deadline = time.monotonic() + _PATIENCE
    file = profile / "DevToolsActivePort"
    while not file.exists() or len(file.read_text().split()) < 2:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the browser wrote no {file}")
        time.sleep(0.05)
    port, path = file.read_text().split()
    return port, path
