"""Hints that name a call in Python, in the words of a terminal."""

from __future__ import annotations

import re

from skillbook.agents.tools.hint_calls import with_calls
from skillbook.serving.terminal.known_verbs import known_verbs

_PAGES = "browser.pages"
_OPTION = re.compile(r"(\w+)\s*=\s*(?!=)(.*)", re.S)


def in_terminal(words: str) -> str:
    """A hint with the commands that do what its calls do; a call that no verb does stays."""
    return with_calls(words, _command).replace(_PAGES, "`skillbook tabs`")


def _command(method: str, arguments: list[str]) -> str | None:
    verb = known_verbs().get(method.replace("_", "-"))
    if verb is None:
        return None
    known = {name for names, _ in verb.given for name in names}
    parts = [f"skillbook {verb.name}"]
    for argument in arguments:
        if option := _OPTION.fullmatch(argument):
            name = f"--{option[1].replace('_', '-')}"
            if name not in known:
                return None
            parts.append(f"{name} …")
        else:
            parts.append(argument.upper() if argument.isidentifier() else argument)
    return " ".join(parts)
