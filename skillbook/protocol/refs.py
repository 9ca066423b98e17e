"""Refs: `e12` in a page's main document, `f3e5` in the third child document seen in that tab.

A number is never given out twice in a tab, also not after a navigation, so a ref of an old document can't name an
element of a new one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbook.protocol.model import REF_PATTERN

_REF = re.compile(REF_PATTERN)


class RefParts(NamedTuple):
    """A ref taken apart: `frame` is 0 for the main document."""

    frame: int
    number: int


def is_ref(text: str) -> bool:
    """Whether a string has the form of a ref."""
    return _REF.match(text) is not None


def split_ref(ref: str) -> RefParts:
    """Take a ref apart.

    Raises ValueError: the string isn't a ref.
    """
    if not is_ref(ref):
        raise ValueError(f"not a ref: {ref!r}")
    frame, _, number = ref.rpartition("e")
    return RefParts(int(frame[1:] or 0) if frame else 0, int(number))


def make_ref(frame: int, number: int) -> str:
    """Put a ref together; frame 0 is the main document."""
    return f"f{frame}e{number}" if frame else f"e{number}"


_NAMES = [
    *("Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown"),
    *("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "CapsLock", "ContextMenu", "PrintScreen", "Pause"),
    *("Shift", "Control", "Alt", "Meta", *(f"F{number}" for number in range(1, 25))),
]
KEY_ALIASES = {
    alias: name
    for name, aliases in {
        "Enter": ["return", "numpadenter", "\r", "\n", "\r\n"],
        " ": ["space", "spacebar", "blank"],
        "Delete": ["del", "numpaddecimal"],
        "Backspace": ["bksp"],
        "Escape": ["esc"],
        "Tab": ["\t"],
        "Insert": ["ins"],
        "Control": ["ctrl", "ctl"],
        "Meta": ["cmd", "command", "super", "win", "windows"],
        "Alt": ["option", "opt"],
        "ArrowLeft": ["left", "leftarrow"],
        "ArrowRight": ["right", "rightarrow"],
        "ArrowUp": ["up", "uparrow"],
        "ArrowDown": ["down", "downarrow"],
        "PageUp": ["pgup"],
        "PageDown": ["pgdn", "pgdown"],
        "CapsLock": ["caps"],
        "ContextMenu": ["menu", "apps"],
        "PrintScreen": ["prtsc", "prtscn"],
        "+": ["plus"],
        "-": ["minus"],
    }.items()
    for alias in aliases
}
"""Other names that people and models give keys, in lower case."""
_KNOWN = {name.casefold(): name for name in _NAMES} | KEY_ALIASES
_MODIFIERS = frozenset({"Shift", "Control", "Alt", "Meta"})


def canonical_keys(text: str) -> str:
    """A key or combination with every key under its one name: `ctrl+return` is `Control+Enter`, `Spacebar` is a blank.

    text: names joined by `+`, or modifiers by `-`, as in `Ctrl-A`; `+` itself is the plus key, as in `Control++`.
    """
    if text == "+":
        return text
    parts = [*text[:-2].split("+"), "+"] if text.endswith("++") else text.split("+")
    modifiers, dash, key = text.rpartition("-")
    if dash and key and all(_canonical(part) in _MODIFIERS for part in modifiers.split("-")):
        parts = text.split("-")
    return "+".join(_canonical(part) for part in parts)


def _canonical(part: str) -> str:
    name = part.strip() or part
    folded = name.casefold()
    return _KNOWN.get(folded) or _KNOWN.get(re.sub(r"(?<=.)[\s_-](?=.)", "", folded), name)


def names_keys(text: object) -> bool:
    """Whether a text is the name of a key or of a combination of keys, as `press` takes it."""
    if not isinstance(text, str) or not text:
        return False
    keys = canonical_keys(text)
    modifiers = keys.removesuffix(final_key(keys)).rstrip("+")
    is_key = len(final_key(keys)) == 1 or final_key(keys) in _NAMES
    return is_key and (not modifiers or all(part in _MODIFIERS for part in modifiers.split("+")))


def final_key(text: str) -> str:
    """The key of a combination that the modifiers before it are held for."""
    keys = canonical_keys(text)
    return "+" if keys.endswith("+") else keys.rpartition("+")[2]


def types_character(text: str) -> bool:
    """Whether a combination types a character into a field, rather than doing something there."""
    keys = canonical_keys(text)
    modifiers = keys.removesuffix(final_key(keys)).rstrip("+")
    return len(final_key(keys)) == 1 and modifiers in {"", "Shift"}


def pastes(text: str) -> bool:
    """Whether a combination of keys puts in what the clipboard holds."""
    keys = canonical_keys(text)
    held, key = set(keys.split("+")[:-1]), final_key(keys).casefold()
    return (key == "v" and bool(held & {"Control", "Meta"})) or (key == "insert" and "Shift" in held)
