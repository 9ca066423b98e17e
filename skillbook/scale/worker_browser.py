"""The browser of a worker process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbook.session.sync import Browser

_browsers: list[Browser] = []
_users: set[str] = set()
_rows = 0
_started = 0.0


def use_worker_browser(user: str) -> None:
    """Note that a map uses the process's browser."""
    _users.add(user)


def leave_worker_browser(user: str) -> None:
    """A map has ended: end the browser, unless another map uses it."""
    _users.discard(user)
    if not _users:
        _close()


def recycle_worker_browser(rows: int, seconds: float) -> None:
    """Count a row; end the browser if it had so many, or is so old, so that the next row gets a fresh one."""
    global _rows
    if _rows >= rows or (_browsers and time.monotonic() - _started > seconds):
        _close()
    _rows += 1


def worker_browser(options: Mapping[str, Any]) -> Browser:
    """The process's browser; it is started if there is none, or if the last one ended.

    Parameters
    ----------
    options : of `sb.launch`.

    Raises
    ------
    LaunchError : it can't be started.
    """
    import skillbook as sb

    global _rows, _started
    process = _browsers[-1].driver.process if _browsers else None
    if process is not None and not process.alive:
        _browsers.pop().close()
    if not _browsers:
        _rows, _started = 0, time.monotonic()
        _browsers.append(sb.launch(**options))
    return _browsers[-1]


def _close() -> None:
    while _browsers:
        _browsers.pop().close()
