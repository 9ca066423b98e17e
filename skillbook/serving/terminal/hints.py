"""Hints that name a call in Python, in the words of a terminal."""

from __future__ import annotations

import re
from collections.abc import Collection

_CALL = re.compile(r"\b(?:page|sb|browser)\.([a-z_]+)\(([^()]*)\)")
_OPTION = re.compile(r"(\w+)=")
_PAGES = "browser.pages"


def in_terminal(words: str, verbs: Collection[str]) -> str:
    """A hint with the commands that do what its calls do; a call that is no verb stays.

    Parameters
    ----------
    verbs : what a terminal can do.
    """

    def command(found: re.Match[str]) -> str:
        verb = found[1].replace("_", "-")
        if verb not in verbs:
            return found[0]
        options = "".join(f" --{name.replace('_', '-')} …" for name in _OPTION.findall(found[2]))
        return f"skillbook {verb}{options}"

    return _CALL.sub(command, words).replace(_PAGES, "`skillbook tabs`")
