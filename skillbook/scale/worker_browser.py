"""The browser of a worker process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbook.session.saved_state import SavedState
    from skillbook.session.sync import Browser

_browsers: list[Browser] = []
_users: dict[str, SavedState | None] = {}
_from_launch: set[str] = set()
_rows = 0
_started = 0.0


def use_worker_browser(user: str, state: SavedState | None = None) -> None:
    """Note that a map uses the process's browser, and by which state its skill is signed in."""
    _users[user] = state


def worker_state(user: str) -> SavedState | None:
    """The state by which a map's skill is signed in. A browser that another state signed in is ended."""
    state = _users.get(user)
    mine = _from_launch | ({state.source} if state is not None else set())
    if _browsers and not set(_browsers[-1].driver.signed_in.values()) <= mine:
        _close()
    return state


def leave_worker_browser(user: str) -> None:
    """A map has ended: end the browser, unless another map uses it."""
    _users.pop(user, None)
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
        _from_launch.clear()
        _from_launch.update(_browsers[-1].driver.signed_in.values())
    return _browsers[-1]


def _close() -> None:
    while _browsers:
        _browsers.pop().close()
