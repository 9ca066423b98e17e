"""Hints that name calls in Python, in the words of whoever gets them: a model that makes calls, or a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_CALL = re.compile(r"(`?)\b(?:page|sb|browser)\.([a-z_]+)\(([^()]*)\)(`?)")
_TOOL = re.compile(r"`([a-z_]+)`")


def with_calls(words: str, name_call: Callable[[str, list[str]], str | None]) -> str:
    """A hint with other words in place of its calls.

    name_call: called with a method's name and arguments; what stands in its place, or None to leave the call.
    """

    def named(found: re.Match[str]) -> str:
        arguments = [each.strip() for each in found[3].split(",") if each.strip() not in {"", "page"}]
        call = name_call(found[2], arguments)
        return found[0] if call is None else f"{found[1]}{call}{found[4]}"

    return _CALL.sub(named, words)


def as_tools(words: str, names: Mapping[str, str]) -> str:
    """A hint with names of tools in place of its calls, and of the names that the tools have here.

    names: what each tool is called by whoever gets the hint.
    """
    calls = with_calls(words, lambda method, arguments: _tool_call(names.get(method), arguments))
    return _TOOL.sub(lambda found: f"`{names.get(found[1], found[1])}`", calls)


def _tool_call(name: str | None, arguments: list[str]) -> str | None:
    """A call by the tool's name, with the arguments that the hint names: `extract` with next=True."""
    named = ", ".join(each for each in arguments if "=" in each)
    return f"{name} with {named}" if name is not None and named else name
