"""When the cell that runs was requested: a person who asked for it then had seen only what was shown before."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from typing import Any

from skillbook.notebook.environment import in_kernel, shell


class RequestTimes:
    """Turns the dates of requests, by their client's clock, into this computer's time.

    What is smallest of arrival minus date is the difference of the two clocks and the shortest way here: a request that
    waited behind others arrives later than that. So a wrong clock does no harm in either direction.
    """

    def __init__(self) -> None:
        self._smallest: dict[str, float] = {}

    def sent(self, session: str, date: float, received: float) -> float:
        """When a request was sent, by this computer's clock.

        session: names the client's session, each of which may have a clock of its own.
        date: when it was sent, in seconds since 1970 by the client's clock.
        received: when it arrived, or later, by this computer's.
        """
        delay = min(received - date, self._smallest.get(session, received - date))
        self._smallest[session] = delay
        return date + delay


_times = RequestTimes()
_began = 0.0
"""When the cell of a plain IPython began."""


def running_request() -> tuple[float, bool] | None:
    """When the cell that runs was requested, and whether its client sends queued cells at once; None for no cell.

    JupyterLab and Notebook send all that is to run at once. Others may send a cell when the one before is over, so that
    its date says nothing about what a person saw.
    """
    running = shell()
    if running is None:
        return (time.time(), False) if _in_marimo() else None
    if follow_cells(running):  # a shell that began after `import skillbook`
        return time.time(), False
    if not in_kernel():
        return _began, True
    message = getattr(running, "parent_header", None)
    message = message if isinstance(message, dict) else {}
    return _sent(message.get("header") or {}), _is_at_once(message)


def follow_cells(running: Any) -> bool:
    """Note each cell of a shell from now on; whether that is new."""
    events = getattr(running, "events", None)
    if events is None or note_cell in events.callbacks["pre_execute"]:
        return False
    events.register("pre_execute", note_cell)
    note_cell()
    return True


def note_cell(*_: Any) -> None:
    """A cell begins: IPython calls this."""
    global _began
    _began = time.time()
    if in_kernel():
        running_request()


def _sent(header: dict[str, Any]) -> float:
    date, now = header.get("date"), time.time()
    if isinstance(date, str):
        date = datetime.fromisoformat(date)
    if not isinstance(date, datetime):
        return now
    return _times.sent(str(header.get("session", "")), date.timestamp(), now)


def _is_at_once(message: dict[str, Any]) -> bool:
    """JupyterLab and Notebook say with each cell which ones were deleted; a click on a widget is a person's."""
    if message.get("header", {}).get("msg_type") != "execute_request":
        return True
    return "deletedCells" in message.get("metadata", {})


def _in_marimo() -> bool:
    """Whether a marimo notebook runs the code, which runs the cells that depend on others by itself."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and hasattr(marimo, "running_in_notebook") and marimo.running_in_notebook()
