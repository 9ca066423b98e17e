"""What a cell can call, derived from the table of commands and the public methods, and which tool does each call."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from skillbook.cells.crossing import Node
from skillbook.protocol.commands import COMMANDS
from skillbook.session.arguments import key_and_target
from skillbook.session.sync import Page

_LEFT_OUT = frozenset(
    {"timeout", "delay_ms", "modifiers", "wait", "position", "level", "by", "folder", "function", "request"}
    | {"load", "to_row", "links", "budget", "at", "x", "y"}
)
"""Parameters that a model seldom needs."""
_FACTS = ("text", "value", "attribute")
_STATES = ("visible", "enabled", "checked")
_RETURNS = {"get": "Any", "is_": "bool", "markdown": "str", "wait_for": "None", "screenshot": "None"}
_METHODS = {"is": "is_"}
_ALSO = {"go_back": "back", "go_forward": "forward"}
"""Names that models know from elsewhere."""
RUN_SKILL = "run_skill"
POPUP, OPEN, CLOSE = "popup", "tabs_open", "tabs_close"
TAB_TOOLS = frozenset({POPUP, OPEN, CLOSE})
"""Tools by which a cell gets at another tab, or closes it."""
_NEVER = frozenset({"snapshot", "console", "focus", "submit", "screenshot"})
"""Methods that are left out: others do the same, or what they return is not for code."""


@dataclass(frozen=True)
class Method:
    """One method that a cell can call.

    name: the method's name; `owner` is `page` or `sb`.
    signature: what it takes, as the stubs have it.
    returns: the type of what it returns, as the stubs have it.
    doc: one line; empty where the name says it all.
    fixed: arguments of the tool that the method implies.
    """

    owner: str
    name: str
    tool: str
    signature: inspect.Signature
    returns: str
    doc: str
    effect: str = "read"
    fixed: tuple[tuple[str, Any], ...] = ()

    def args(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The tool's arguments for a call.

        Raises TypeError: they don't fit.
        """
        bound = self.signature.bind(*args, **kwargs).arguments
        if self.tool == "press":
            bound["key"], bound["target"] = key_and_target(bound["key"], bound.get("target"))
        given = {name: _plain(value) for name, value in bound.items() if name != "page" and value is not None}
        if (
            self.tool == "select"
            and len(given.get("values", ())) == 1
            and isinstance(given["values"][0], list)
        ):
            given["values"] = given["values"][0]
        return {**dict(self.fixed), **given}


def _plain(value: Any) -> Any:
    """An argument as a tool takes it: an element is its ref, a tuple a list."""
    if isinstance(value, Node):
        return value.ref
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


@lru_cache(maxsize=1)
def page_methods() -> dict[str, Method]:
    """Every method of `page`, by name."""
    methods = {}
    for command in COMMANDS.values():
        name = _METHODS.get(command.name, command.name)
        offered = command.scope == "page" and not (
            command.internal or command.runs_script or command.page_tools
        )
        if offered and name not in _NEVER and hasattr(Page, name):
            returns = _RETURNS.get(name, "ActionResult")
            methods[name] = _of_page(name, command.name, returns, command.description, command.effect.value)
    for fact in _FACTS:
        signature = _short(inspect.signature(getattr(Page, fact)))
        returns = "str" if fact == "text" else "str | None"
        methods[fact] = Method("page", fact, "get", signature, returns, "", fixed=(("what", fact),))
    counted = _short(inspect.signature(Page.count))
    methods["count"] = Method("page", "count", "count", counted, "int", "How many elements match.")
    for state in _STATES:
        name = f"is_{state}"
        signature = _short(inspect.signature(getattr(Page, name)))
        methods[name] = Method("page", name, "is", signature, "bool", "", fixed=(("what", state),))
    return (
        methods
        | {name: replace(methods[ours], name=name, doc="") for name, ours in _ALSO.items()}
        | _search("find", "query", "Elements by selector, else by words.")
        | _search("query", "text", "Controls, forms and lists by what they are for.")
        | _of_tabs()
    )


def _of_tabs() -> dict[str, Method]:
    nothing = inspect.Signature()
    return {
        "popup": Method("page", "popup", POPUP, nothing, "Page", "The tab that the last action here opened."),
        "close": Method("page", "close", CLOSE, nothing, "None", "Close such a tab.", "write"),
    }


def _search(name: str, argument: str, doc: str) -> dict[str, Method]:
    text = inspect.Parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str")
    return {name: Method("page", name, name, inspect.Signature([text]), "list[Node]", doc)}


def _of_page(name: str, tool: str, returns: str, doc: str, effect: str) -> Method:
    return Method("page", name, tool, _short(inspect.signature(getattr(Page, name))), returns, doc, effect)


def _short(signature: inspect.Signature) -> inspect.Signature:
    """A method's signature without `self` and what is seldom needed."""
    kept = [each for name, each in signature.parameters.items() if name != "self" and name not in _LEFT_OUT]
    return inspect.Signature(kept)


@lru_cache(maxsize=1)
def sb_methods() -> dict[str, Method]:
    """Every method of `sb` that goes to the page, by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    page = inspect.Parameter("page", kind, annotation="Page")
    named = {
        "fields": "dict[str, str] | None",
        "within": "str | None",
        "next": "str | bool | None",
        "max_pages": "int | None",
        "scroll": "bool",
    }
    only = inspect.Parameter.KEYWORD_ONLY
    wanted = [
        inspect.Parameter(name, only, default=False if each == "bool" else None, annotation=each)
        for name, each in named.items()
    ]
    return {
        "extract": Method(
            "sb",
            "extract",
            "extract",
            inspect.Signature([page, *wanted]),
            "list[dict[str, Any]]",
            "Rows of a table, list or cards: column to a selector in a row (heading, link@href); the person gets them.",
        ),
        "tables": Method(
            "sb",
            "tables",
            "list_tables",
            inspect.Signature([page]),
            "list[dict[str, Any]]",
            "The page's tables and lists: name, rows, fields.",
        ),
        "open": Method(
            "sb",
            "open",
            OPEN,
            inspect.Signature([page, inspect.Parameter("url", kind, annotation="str")]),
            "Page",
            "Open a URL in a new tab.",
            "write",
        ),
        RUN_SKILL: Method(
            "sb",
            RUN_SKILL,
            RUN_SKILL,
            inspect.Signature(
                [
                    page.replace(kind=inspect.Parameter.POSITIONAL_ONLY),
                    inspect.Parameter("name", inspect.Parameter.POSITIONAL_ONLY, annotation="str"),
                    inspect.Parameter("inputs", inspect.Parameter.VAR_KEYWORD, annotation="Any"),
                ]
            ),
            "SkillResult",
            "Run a skill.",
            "write",
        ),
    }


ATTRIBUTES = {"url": "str", "title": "str"}
"""Attributes of `page`, read when they are named."""


def find_method(owner: str, name: str) -> Method | None:
    """The method of an object of a cell; None where there is none."""
    return (page_methods() if owner == "page" else sb_methods()).get(name)
