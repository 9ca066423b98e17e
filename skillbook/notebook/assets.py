"""The widget's JavaScript and CSS, each part in a file of its own.

A widget's module arrives in the browser as one string, so the parts are joined: imports among them go, and
the `export` of all but the entry. Every part stays a module that editors and linters understand.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PARTS = ("text", "dom", "form", "tree", "shot", "card", "steps", "panel")
_IMPORT = re.compile(r'^import [^;]* from "\./[a-z]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default\b)", re.MULTILINE)


@cache
def panel_module() -> str:
    """The panel as one JavaScript module."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read(f"{part}.js"))) for part in _PARTS)


@cache
def panel_style() -> str:
    """The panel's style sheet."""
    return _read("panel.css")


def _read(name: str) -> str:
    return files("skillbook.notebook").joinpath("static", name).read_text(encoding="utf-8")
