"""A step as a line of code for a cell."""

from __future__ import annotations

import inspect
from typing import Any

from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import SkillbookError
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import build_locator
from skillbook.policy.secrets import Secret
from skillbook.protocol.refs import is_ref
from skillbook.session.sync import Page
from skillbook.skill.recording.recorded_steps import RecordedStep

_EXTRACT = ("fields", "within", "scroll", "next", "max_pages")
_TARGETS = ("target", "to")


def code_of(step: StepRecord) -> str:
    """The call that does the same from a cell, with selectors in the place of refs; empty where none does."""
    node = step.extra.get("node")
    args = dict(step.final_args)
    if isinstance(node, Node) and is_ref(str(args.get("target", ""))):
        args["target"] = selector_of(node)
    return _code_of_call(step.tool, args)


def code_of_recorded(step: RecordedStep) -> str:
    """The call that does the same as a recorded step; empty where none does."""
    args = dict(step.params)
    for name, node, named in (("target", step.node, step.named), ("to", step.to_node, step.to_named)):
        if node is not None or named:
            args[name] = named or (selector_of(node) if node else "")
    return _code_of_call(step.command, args)


def _code_of_call(command: str, given: dict[str, Any]) -> str:
    args = {name: value for name, value in given.items() if value not in (None, [], {})}
    if command == "extract":
        known = {name: value for name, value in args.items() if name in _EXTRACT}
        return "" if _has_ref(known) else _call("df = sb.extract", ["page"], known)
    method = getattr(Page, command, None)
    if method is None or not callable(method):
        return ""
    parameters = inspect.signature(method).parameters
    if _has_ref(args) or not args.keys() <= parameters.keys():
        return ""
    positional = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    first = []
    for name in positional[1:]:
        if name not in args:
            break
        first.append(_written(args.pop(name)))
    return _call(f"page.{command}", first, args)


def code_for(node: Node) -> str:
    """What one most likely does with an element: fill a field, click anything else."""
    selector = selector_of(node)
    if not selector:
        return ""
    fills = node.role in {"textbox", "searchbox", "spinbutton"}
    return f'page.fill({selector!r}, "")' if fills else f"page.click({selector!r})"


def selector_of(node: Node) -> str:
    """The selector that names an element; empty where none does it alone."""
    try:
        return str(build_locator(node))
    except SkillbookError:
        return ""


def _has_ref(args: dict[str, Any]) -> bool:
    return any(not args[name] or is_ref(str(args[name])) for name in _TARGETS if name in args)


def _call(name: str, first: list[str], args: dict[str, Any]) -> str:
    given = [*first, *(f"{key}={_written(value)}" for key, value in args.items())]
    return f"{name}({', '.join(given)})"


def _written(value: Any) -> str:
    if isinstance(value, Secret) and len(value.names) == 1:
        return f"sb.secret({min(value.names)!r})"
    return repr(value)
