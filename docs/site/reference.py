"""Writes the generated reference: every public name, setting and shell command, from the code that defines them."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import skillbook as sb
from skillbook.cli.subcommands import SUBCOMMANDS
from skillbook.config import Settings
from skillbook.extraction.frames.accessor import FrameAccessor
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.replay.skill_result import SkillResult

Objects = dict[str, list[str | type]]

PAGES: dict[str, tuple[str, list[str | type]]] = {
    "browser": ("Browser", ["launch", "connect", "Browser", "browsers"]),
    "page": ("Page and element", ["Page", "Element", "ActionResult"]),
    "snapshot": ("Snapshot", ["Snapshot", "Node"]),
    "frames": ("DataFrames", ["tables", "extract", "recover", FrameAccessor]),
    "runs": ("Agents", ["agent", "resume", "Run", "tools", "preferences", "explore", "goals"]),
    "skill": (
        "Skills",
        ["load_skill", "record", "recording", "skills", "Skill", SkillResult, Demonstration, "load_journal"],
    ),
    "workflow": ("Workflows and the side panel", ["workflow", "workflows", "serve"]),
    "evaluation": ("Tests and evaluations", ["cassette", "evaluate"]),
}
"""The pages, each with its names of `sb.__all__` and the classes whose objects these give."""
REST = ("rest", "Secrets, settings and the rest")
HIDDEN = {"box_of", "child_indexes", "text_of", "with_page_tools", "find_cell"}
"""Methods that only skillbook itself calls."""
SHOWN_AS = {FrameAccessor: "df.skillbook", SkillResult: "The result of a skill", Demonstration: "A recording"}


def write(folder: Path) -> None:
    """Write all pages; a page that says the same stays as it is, so that Sphinx doesn't read it again."""
    folder.mkdir(exist_ok=True)
    listed = {name for _, names in PAGES.values() for name in names}
    rest = [name for name in sb.__all__ if name not in listed]
    made = {
        name: _api_page(title, things)
        for name, (title, things) in {**PAGES, REST[0]: (REST[1], rest)}.items()
    }
    made |= {
        "every_setting": _settings_page(),
        "shell": _shell_page(),
    }
    for name, text in made.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.md"):
        if path.stem not in made:
            path.unlink()


def _api_page(title: str, things: list[str | type]) -> str:
    return "\n".join([f"# {title}", "", *(line for thing in things for line in _entry(thing))])


def _entry(thing: str | type) -> Iterator[str]:
    value = getattr(sb, thing) if isinstance(thing, str) else thing
    heading = f"sb.{thing}" if isinstance(thing, str) else SHOWN_AS[thing]
    yield f"## {heading}" if " " in heading else f"## `{heading}`"
    yield ""
    if isinstance(value, str):
        yield f"The version, here `{value}`."
    elif inspect.ismodule(value):
        yield from _directive("automodule", value.__name__, _of_module(value))
    elif inspect.isfunction(value):
        yield from _directive("autofunction", f"skillbook.{thing}", [])
    else:
        owner = value if inspect.isclass(value) else type(value)
        path = (
            f"skillbook.{thing}"
            if value is owner and isinstance(thing, str)
            else f"{owner.__module__}.{owner.__name__}"
        )
        yield from _directive("autoclass", path, _members(owner))
    yield ""


def _directive(name: str, path: str, members: list[str]) -> Iterator[str]:
    yield "```{eval-rst}"
    yield f".. {name}:: {path}"
    if members:
        yield f"   :members: {', '.join(members)}"
    yield "```"


def _of_module(module: Any) -> list[str]:
    """The functions and classes of a module; `sb.aio` has the names of this package once more."""
    return [] if module is sb.aio else [name for name in module.__all__ if callable(getattr(module, name))]


def _members(owner: type) -> list[str]:
    """What completion offers on an object of a class, without what a base of another package brings."""
    shown = set(owner.__dir__(object.__new__(owner))) if "__dir__" in vars(owner) else set(dir(owner))
    fields = set(getattr(owner, "model_fields", ()))

    def is_ours(name: str) -> bool:
        defined = next((base for base in owner.__mro__ if name in vars(base)), None)
        return defined is not None and defined.__module__.startswith("skillbook")

    return sorted(
        name
        for name in shown
        if not name.startswith("_")
        and name not in HIDDEN | fields | {"model_config"}
        and is_ours(name)
        and inspect.getdoc(getattr(owner, name, None))
    )


def _settings_page() -> str:
    lines = [
        "# Every setting",
        "",
        "Generated from `skillbook.config`. [Settings](../settings.md) says where to set them, by task.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        # Not this machine's.
        default = (
            "~/.local/share/skillbook" if name == "home" else field.get_default(call_default_factory=True)
        )
        shown = "" if default is None else f"`{default}`"
        lines.append(f"| `SKILLBOOK_{name.upper()}` | {shown} | {_cell(field.description or '')} |")
    return "\n".join([*lines, ""])


def _shell_page() -> str:
    lines = [
        "# Every shell command",
        "",
        "Generated from the program. [Shell commands and magics](../terminal.md) explains them.",
        "",
    ]
    for one in SUBCOMMANDS:
        parser = argparse.ArgumentParser(f"skillbook {one.name}", description=one.help, formatter_class=_Wide)
        one.arguments(parser)
        lines += [f"## `skillbook {one.name}`", "", "```text", parser.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


class _Wide(argparse.HelpFormatter):
    """The same width on every machine."""

    def __init__(self, prog: str, **_: Any) -> None:
        super().__init__(prog, width=80)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("{", "\\{").replace("\n", " ")
