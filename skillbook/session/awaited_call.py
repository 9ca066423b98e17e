"""A call while its caller waits for it: what it is, how long it lasts, what was read, and what it waits for."""

from __future__ import annotations

import sys
import time
from types import FrameType, TracebackType
from typing import Any, Protocol

from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import PEER_SECONDS
from skillbook.session.page.page_rest import PageRest

_WORDS = 80
_SERVERS = frozenset({"cli", "serving", "mcp_server", "evals", "testing"})
"""What these call lasts as long as they do, and they report it themselves."""


class Reading(Protocol):
    """Rows as they are read."""

    def so_far(self) -> tuple[int, int, str]:
        """How many pages and rows were read, and what is waited for."""


class Line(Protocol):
    """A line that shows how far something is."""

    def show(self, done: int, note: str) -> None:
        """Show it as it is now."""

    def __exit__(self, *error: Any) -> object: ...


class AwaitedCall:
    """Shows a call once it lasts. It is a context manager that is called again and again while somebody waits.

    `io.sync` and `io.wait` make one for each call that brings none, so that every call that lasts is shown.

    read: what is read, if rows are: then pages and rows are shown in place of seconds.
    """

    def __init__(self, read: Reading | None = None) -> None:
        self._read = read
        self._began = time.monotonic()
        self._rest: PageRest | None = None
        self._line: Line | None = None
        self._is_shown = False
        self.step = ""

    def on_step(self, outcome: Any) -> None:
        """Take the step that a skill has done last."""
        self.step = f"step {outcome.index}: {outcome.command} {outcome.target}".strip()

    def __enter__(self) -> AwaitedCall:
        return self

    def __call__(self) -> None:
        """Show it as it is now, if it lasts."""
        if time.monotonic() - self._began < PEER_SECONDS:
            return
        if not self._is_shown:
            self._is_shown = True
            words, self._rest = _caller(sys._getframe(1))
            words = "Reading page" if self._read else words
            self._line = hooks.progress_line(words[:_WORDS], "" if self._read else " s") if words else None
        if self._rest is not None:
            io.call_soon(self._rest.look)
        if self._line is not None:
            self._line.show(*self._now())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._line is not None:
            self._line.show(*self._now(is_over=True))
            self._line.__exit__(kind, error, trace)

    def _now(self, is_over: bool = False) -> tuple[int, str]:
        """How far it is, and what is at hand."""
        awaits = self._rest.awaits if self._rest is not None else ""
        if self._read is None:
            done, notes = int(time.monotonic() - self._began), [self.step]
        else:
            done, rows, of_read = self._read.so_far()
            done, awaits = max(done, 1), of_read or awaits
            notes = [f"{rows:,} rows" if is_over else f"{rows:,} rows so far"]
        notes += [f"waiting for {awaits}"] if awaits and not is_over else []
        return done, ", ".join(filter(None, notes))


def _caller(frame: FrameType | None) -> tuple[str, PageRest | None]:
    """The public call that waits, in words, and what its page waits for; "" where a server waits for all its work."""
    outermost = None
    while frame is not None and not _is_ours(frame):
        frame = frame.f_back
    while frame is not None and _is_ours(frame):
        outermost = frame
        if frame.f_globals["__name__"].split(".")[1] in _SERVERS:
            return "", None
        frame = frame.f_back
    if outermost is None:
        return "", None
    code, known = outermost.f_code, outermost.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    # What is called comes before options, which have words of their own.
    by_place = sorted(names[: code.co_argcount], key="self".__eq__)
    given = [known.get(name) for name in (*by_place, *names[code.co_argcount :])]
    about = next((words for value in given if (words := _words(value))), "")
    drivers = (getattr(value, "driver", None) for value in given)
    rest = next((rest for driver in drivers if (rest := getattr(driver, "rest", None)) is not None), None)
    return f"{code.co_name.strip('_')} {about}".strip(), rest


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("skillbook.")


def _words(value: object) -> str:
    """What a call's argument is about, if it is a text, an element, or something with a name."""
    if isinstance(value, str):
        return value
    role, name = getattr(value, "role", None), getattr(value, "name", None)
    return f"{role} {name!r}" if role else name if isinstance(name, str) else ""
