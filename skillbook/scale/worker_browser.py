"""The browser of a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbook.session.sync import Browser

_browsers: list[Browser] = []


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

    process = _browsers[-1].driver.process if _browsers else None
    if process is not None and not process.alive:
        _browsers.pop().close()
    if not _browsers:
        _browsers.append(sb.launch(**options))
    return _browsers[-1]


def close_worker_browser() -> None:
    """End the process's browser, if it has one."""
    while _browsers:
        _browsers.pop().close()
