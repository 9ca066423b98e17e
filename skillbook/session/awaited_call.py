"""A call of a page's while its caller waits for it: what it is about, and what it waits for."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.page.page_rest import PageRest

LONG_SECONDS = 2.0
"""What lasts so long is shown."""
_WORDS = 80


class AwaitedCall:
    """Shows a call once it lasts. It is a context manager that is called again and again while somebody waits.

    Parameters
    ----------
    rest : what the call's page waits for.
    command : the command's name.
    target : what it is about, if anything.
    """

    def __init__(self, rest: PageRest, command: str, target: object = None) -> None:
        self._rest = rest
        role, name = getattr(target, "role", None), getattr(target, "name", "")
        named = f"{role} {name!r}" if role else str(target or "")
        self.words = f"{command} {named}".strip()[:_WORDS]
        self._began = time.monotonic()
        self._around: AbstractContextManager[Callable[[], object] | None] | None = None
        self._shown: Callable[[], object] | None = None

    @property
    def seconds(self) -> int:
        """How long it lasts."""
        return int(time.monotonic() - self._began)

    @property
    def awaits(self) -> str:
        """What is waited for just now, in a few words; "" where nothing says that."""
        return self._rest.awaits

    def __enter__(self) -> AwaitedCall:
        return self

    def __call__(self) -> None:
        """Show it as it is now, if it lasts."""
        if time.monotonic() - self._began < LONG_SECONDS:
            return
        io.call_soon(self._rest.look)
        if self._around is None:
            self._around = hooks.call_awaited(self)
            self._shown = self._around.__enter__()
        if self._shown is not None:
            self._shown()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._around is not None:
            self._around.__exit__(kind, error, trace)
