"""Where the code runs, and so how it may show things."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

Mode = Literal["notebook", "terminal", "quiet"]


def shell() -> Any:
    """The running IPython shell, or None; IPython is not imported for asking."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None


def in_kernel() -> bool:
    """Whether the code runs in a Jupyter kernel."""
    return getattr(shell(), "kernel", None) is not None


def is_quiet() -> bool:
    """Whether outputs must be the same on every run, so that nothing live is shown.

    `SKILLBOOK_QUIET` decides where it is set; else notebooks run by pytest (nbval) are quiet.
    """
    from skillbook.config import load_settings

    wish = load_settings().quiet
    if wish is not None:
        return wish
    return in_kernel() and "PYTEST_VERSION" in os.environ


def display_mode() -> Mode:
    """How to show things here: live in a notebook, as text in a terminal, or not at all."""
    if is_quiet():
        return "quiet"
    if in_kernel():
        return "notebook"
    return "terminal" if sys.stderr.isatty() else "quiet"
