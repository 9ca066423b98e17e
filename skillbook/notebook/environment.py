"""Where the code runs, and so how it may show things; nested event loops, for users' code."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any, Literal

from skillbook.errors import ConfigError

Mode = Literal["notebook", "terminal", "quiet"]
LIVE = {"skillbook": "live"}
"""Metadata of outputs that a quiet notebook doesn't have."""
STATIC = {"skillbook": "static"}
"""Metadata of outputs of which a quiet notebook has the plain text alone."""


def shell() -> Any:
    """The running IPython shell, or None; IPython is not imported for asking."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None


def cell_number() -> object:
    """What tells the cell that runs from every other one; None outside of IPython.

    nbval runs cells without counting them; each is a request of its own all the same.
    """
    running = shell()
    header = getattr(running, "parent_header", None)
    request = header.get("header", {}).get("msg_id") if isinstance(header, dict) else None
    return None if running is None else (running.execution_count, request)


def running_cell() -> tuple[object, object] | None:
    """Which cell of a notebook runs, and which run of it that is; None outside of notebooks.

    JupyterLab and Notebook say which cell they run; else its source says so.
    """
    running = shell()
    if not in_kernel():
        return None
    header = getattr(running, "parent_header", None) or {}
    if not isinstance(header, dict) or header.get("header", {}).get("msg_type") != "execute_request":
        return None
    place = header.get("metadata", {}).get("cellId") or header.get("content", {}).get("code")
    return (place, cell_number()) if place else None


def in_kernel() -> bool:
    """Whether the code runs in a Jupyter kernel."""
    return getattr(shell(), "kernel", None) is not None


def clicks_blocked() -> str:
    """Why clicks can't arrive while a cell runs; empty where they can.

    ipykernel reads the messages of widgets beside a running cell from version 7 on.
    """
    module = sys.modules.get("ipykernel")
    version = str(getattr(module, "__version__", ""))
    if not in_kernel() or not version or int(version.partition(".")[0]) >= 7:
        return ""
    return f"ipykernel {version} brings clicks to a run only while no cell runs"


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


_PACKAGES = ("nest_asyncio2", "nest_asyncio")


def enable_nested_asyncio() -> str:
    """Let `asyncio.run` and `loop.run_until_complete` work inside a notebook's running loop.

    While a nested loop runs on ipykernel 7.4, clicks in widgets wait (nest-asyncio2) or are lost (nest-asyncio 1.6).

    Returns
    -------
    str
        The name of the package that does it.

    Raises
    ------
    ConfigError
        None is installed.

    Examples
    --------
    >>> sb.enable_nested_asyncio()  # doctest: +SKIP
    """
    for name in _PACKAGES:
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name).apply()
            return name
    raise ConfigError("no package for nested event loops is installed", hint="pip install nest-asyncio2")
