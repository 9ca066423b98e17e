"""Short tracebacks of skillbook's own errors in IPython: the line of code, what happened, and what to try."""

from __future__ import annotations

import linecache
import sys
import traceback
from types import FrameType, TracebackType
from typing import Any

from skillbook.notebook.environment import shell

_LONGEST_LINE = 100


def render_short(error: BaseException) -> list[str]:
    """The lines that IPython shows for an error; `%tb` shows its whole traceback.

    It is `SkillbookError._render_traceback_` while IPython runs, which calls a method of this name; see
    https://ipython.readthedocs.io/en/stable/config/integrating.html#custom-exception-tracebacks
    """
    running = shell()
    if running is None:
        return traceback.format_exception(error)
    if _is_asked_for(sys._getframe()):
        whole = running.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
        return [str(line) for line in whole]
    place = _place(running, error.__traceback__)
    message = "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in str(error)
    )
    return [
        *([place] if place else []),
        f"{type(error).__name__}: {message}",
        "  `%tb` shows the whole traceback.",
    ]


def _is_asked_for(frame: FrameType | None) -> bool:
    """Whether the magic `%tb` is what renders an error."""
    while frame is not None:
        if frame.f_code.co_name == "tb" and frame.f_globals.get("__name__", "").startswith("IPython."):
            return True
        frame = frame.f_back
    return False


def _place(running: Any, trace: TracebackType | None) -> str:
    """The innermost line of a cell that led to an error; empty where no cell did."""
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        cell = running.compile.format_code_name(code.co_filename)
        if cell is not None:
            line = linecache.getline(code.co_filename, trace.tb_lineno).strip()
            short = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
            place = f"{' '.join(cell)}, line {trace.tb_lineno}: {short}"
        trace = trace.tb_next
    return place
