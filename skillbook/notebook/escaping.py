"""Page text made safe to show: nothing hides in it, nothing in it is markup."""

from __future__ import annotations

import html
import re

_BREAKS = {"\n": "⏎", "\r": "␍", "\t": "⇥", "\u2028": "⏎", "\u2029": "⏎"}
_JOINERS = {"\u200c", "\u200d"}
"""Zero-width joiners are part of many scripts and emoji; alone of the format characters they stay."""
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_TEX = re.compile(r"[$\\]")


def show_hidden(text: str) -> str:
    """Put a visible sign in the place of each line break, control, bidirectional or invisible character."""
    return _HIDDEN.sub(_sign, text)


def _sign(match: re.Match[str]) -> str:
    char = match[0]
    if char in _JOINERS:
        return char
    return _BREAKS.get(char) or f"⟨U+{ord(char):04X}⟩"


def escape(text: object) -> str:
    """Make HTML that shows a text literally, in JupyterLab and nbconvert too.

    The dollar and backslash stand in separate elements, so that no formula is found in what a page says.
    """
    safe = html.escape(show_hidden(str(text)), quote=True)
    return _TEX.sub(lambda match: f"<span>{match[0]}</span>", safe)


def escape_attribute(text: object) -> str:
    """Make a quoted attribute's value that stands for a text literally."""
    return html.escape(show_hidden(str(text)), quote=True)


def shorten(text: str, length: int) -> str:
    """Cut a text to at most `length` characters, with an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"
