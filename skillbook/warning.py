"""Warnings that point at the user's line, however deep in skillbook they arise."""

from __future__ import annotations

import sys
import warnings
from typing import TypeVar

T = TypeVar("T")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside of this package."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "skillbook":
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def renamed(old: str, given: T | None, new: str, value: T) -> T:
    """The value of a parameter under its old name, with a warning, else under its new one."""
    if given is None:
        return value
    warn_user(f"{old}= is called {new}= now", FutureWarning)
    return given
