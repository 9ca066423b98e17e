"""The widget's JavaScript and CSS, each part in a separate file.

A widget's module arrives in the browser as one string, so the parts are joined: imports among them go, and
the `export` of all but the entry. Every part stays a module that editors and linters understand.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

_PANEL = (
    "text",
    "dom",
    "gone",
    "form",
    "tree",
    "remote_input",
    "shot",
    "point",
    "controls",
    "spoken",
    "words",
    "help",
    "cells",
    "card",
    "lab",
    "steps",
    "tasks",
    "past",
    "open",
    "panel",
)
_RECORDER = ("dom", "lab", "recorder")
_VIEW = ("text", "dom", "gone", "lab", "tree", "remote_input", "shot", "point", "view")
_FRAME = ("text", "dom", "gone", "frame")
_REPLAY = ("text", "dom", "gone", "tree", "replay")
_IMPORT = re.compile(r'^import [^;]* from "\./[a-z_]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default\b)", re.MULTILINE)


@cache
def panel_module() -> str:
    """The panel as one JavaScript module."""
    return _join(_PANEL)


@cache
def view_module() -> str:
    """The live view of a page as one JavaScript module."""
    return _join(_VIEW)


@cache
def recorder_module() -> str:
    """The steps of a recording as one JavaScript module."""
    return _join(_RECORDER)


@cache
def frame_module() -> str:
    """A DataFrame whose cells show where they came from as one JavaScript module."""
    return _join(_FRAME)


@cache
def replay_module() -> str:
    """The viewer of a run's replay as one JavaScript module."""
    return _join(_REPLAY)


@cache
def widget_style() -> str:
    """The style sheet of both."""
    return _read("panel.css")


def _join(parts: tuple[str, ...]) -> str:
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read(f"{part}.js"))) for part in parts)


def _read(name: str) -> str:
    if name == "spoken.js":
        return _spoken()
    return files("skillbook.notebook").joinpath("static", name).read_text(encoding="utf-8")


def _spoken() -> str:
    """What a tool, a role and a request for help are called: the panel has the words of `run_words`."""
    from skillbook.agents.run.run_words import HELP_WORDS, PHRASES, ROLES

    tables = {"PHRASES": PHRASES, "ROLES": ROLES, "HELP": HELP_WORDS}
    return "".join(
        f"const {name} = {json.dumps(table, ensure_ascii=False)};\n" for name, table in tables.items()
    )
