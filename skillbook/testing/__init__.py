"""What skillbook is tested with, for your tests too: scripted models, servers, sites, a fake extension.

Names are loaded when they are first used: some need LangChain.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_PLACES = {
    "FakeExtension": "skillbook.testing.fake_extension",
    "NonsenseModel": "skillbook.testing.small_model",
    "OpenAIServer": "skillbook.testing.openai_server",
    "ScriptedModel": "skillbook.testing.scripted_model",
    "SmallModel": "skillbook.testing.small_model",
    "ToolCall": "skillbook.testing.scripted_model",
    "find_ref": "skillbook.testing.scripted_model",
    "ref_of": "skillbook.testing.scripted_model",
    "serve_folder": "skillbook.testing.site",
    "serve_site": "skillbook.testing.site",
}

if TYPE_CHECKING:
    from skillbook.testing.fake_extension import FakeExtension
    from skillbook.testing.openai_server import OpenAIServer
    from skillbook.testing.scripted_model import ScriptedModel, ToolCall, find_ref, ref_of
    from skillbook.testing.site import serve_folder, serve_site
    from skillbook.testing.small_model import NonsenseModel, SmallModel

__all__ = [
    "FakeExtension",
    "NonsenseModel",
    "OpenAIServer",
    "ScriptedModel",
    "SmallModel",
    "ToolCall",
    "find_ref",
    "ref_of",
    "serve_folder",
    "serve_site",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
