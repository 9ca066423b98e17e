"""Hints that name a call in Python, in the words of a terminal."""

from __future__ import annotations

import re

from skillbook.agents.tools.hint_calls import with_calls
from skillbook.serving.terminal.known_verbs import known_verbs

_PAGES = "browser.pages"
_TOOL = re.compile(r"`([a-z_]+)`")
_FENCED = re.compile(r"(<page-content untrusted nonce=(\w+)>.*?</page-content nonce=\2>)", re.S)
_SWITCH = {"tabs": "switch"}
"""Tools that do several things, of which a terminal needs one."""
_OPTION = re.compile(r"(\w+)\s*=\s*(?!=)(.*)", re.S)


def in_terminal(words: str) -> str:
    """A hint with the commands that do what its calls do; a call that no verb does stays."""
    return with_calls(words, _command).replace(_PAGES, "`skillbook tabs`")


def tools_as_commands(text: str) -> str:
    """What a tool answers, with commands in place of the tools that it names; the page's words stay."""
    parts = _FENCED.split(text)
    # What is caught twice, text and nonce, follows each part of ours.
    parts[::3] = [_TOOL.sub(_as_command, part) for part in parts[::3]]
    return "".join(part for at, part in enumerate(parts) if at % 3 != 2)


def _as_command(found: re.Match[str]) -> str:
    verb = _SWITCH.get(found[1], found[1]).replace("_", "-")
    return f"`skillbook {verb}`" if verb in known_verbs() else found[0]


def _command(method: str, arguments: list[str]) -> str | None:
    verb = known_verbs().get(method.replace("_", "-"))
    if verb is None:
        return None
    known = {name: options for names, options in verb.given for name in names}
    parts = [f"skillbook {verb.name}"]
    for argument in arguments:
        if option := _OPTION.fullmatch(argument):
            name = f"--{option[1].replace('_', '-')}"
            if name not in known:
                return None
            parts.append(name if "action" in known[name] else f"{name} …")
        else:
            parts.append(argument.upper() if argument.isidentifier() else argument)
    return " ".join(parts)
