"""Which of the tools that a page declares does what a built-in skill is for: only where it can be no other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.summary.action_intent import action_intent
from skillbook.perception.text.page_tool_lines import arguments
from skillbook.policy.secrets import Secret
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.skill.builtin.controls import plain
from skillbook.skill.builtin.form_fields import as_text

_GAP = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")
_YES, _NO = {"true", "yes", "on"}, {"false", "no", "off"}


def tool_that_searches(snapshot: BaseSnapshot) -> tuple[str, str] | None:
    """The one tool that says it searches and needs one text, and that argument's name."""
    found = []
    for tool in _own(snapshot):
        given = arguments(tool)
        needed = [name for name, facts in given.items() if facts["required"]] or list(given)
        says = {action_intent(_GAP.sub(" ", tool.name)), action_intent(tool.description)}
        if "search" in says and len(needed) == 1 and given[needed[0]].get("type") == "string":
            found.append((tool.name, needed[0]))
    return found[0] if len(found) == 1 else None


def tool_that_takes(snapshot: BaseSnapshot, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The one tool whose arguments are called like the values and that needs no others, and its arguments.

    None where a value is a secret: a tool is the page's code.
    """
    if any(isinstance(value, Secret) for value in values.values()):
        return None
    found = []
    for tool in _own(snapshot):
        declared = arguments(tool)
        names = {plain(_GAP.sub(" ", name)): name for name in declared}
        keys = {names.get(plain(_GAP.sub(" ", key))): value for key, value in values.items()}
        needed = {name for name, facts in declared.items() if facts["required"]}
        if None in keys or len(keys) != len(values) or not needed <= keys.keys():
            continue
        args = {str(name): _as(declared[str(name)].get("type"), value) for name, value in keys.items()}
        if None not in args.values():
            found.append((tool.name, args))
    return found[0] if len(found) == 1 else None


def _own(snapshot: BaseSnapshot) -> list[PageTool]:
    """The page's tools without those of frames, which may be other people's."""
    return [tool for tool in snapshot.page_tools if not tool.frame]


def _as(kind: Any, value: Any) -> Any:
    """A value as JSON of a declared type; None where it is no such value."""
    try:
        if kind in {"integer", "number"}:
            number = float(value)
            return int(number) if number.is_integer() else number if kind == "number" else None
        if kind == "boolean":
            if isinstance(value, bool):
                return value
            said = plain(str(value))
            return True if said in _YES else False if said in _NO else None
    except (TypeError, ValueError):
        return None
    return as_text(value) if kind == "string" else value
