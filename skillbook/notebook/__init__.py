"""What a notebook shows: the panel of a run, live pages, magics, progress.

Importing this package is cheap; widgets are imported when the first one is shown.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbook.notebook.environment import enable_nested_asyncio
    from skillbook.notebook.html.progress import Progress
    from skillbook.notebook.magics import load_ipython_extension
    from skillbook.notebook.widgets.display import LiveView, show
    from skillbook.notebook.widgets.panel import Panel, show_panel

_PLACES = {
    "LiveView": "widgets.display",
    "Panel": "widgets.panel",
    "Progress": "html.progress",
    "enable_nested_asyncio": "environment",
    "load_ipython_extension": "magics",
    "show": "widgets.display",
    "show_panel": "widgets.panel",
}

__all__ = [
    "LiveView",
    "Panel",
    "Progress",
    "enable_nested_asyncio",
    "load_ipython_extension",
    "show",
    "show_panel",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
