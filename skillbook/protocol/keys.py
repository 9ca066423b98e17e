"""Names of keys, in the one spelling that policy, journal and extension decide on (UI Events, key values)."""

from __future__ import annotations

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
        "Control": ["ctrl"],
        "Meta": ["cmd", "command", "super", "win"],
        "Alt": ["option"],
        "ArrowLeft": ["left"],
        "ArrowRight": ["right"],
        "ArrowUp": ["up"],
        "ArrowDown": ["down"],
        "PageUp": ["pgup"],
        "PageDown": ["pgdn", "pgdown"],
        "+": ["plus"],
    }.items()
    for alias in aliases
}
"""Other names that people and models give keys, in lower case."""
_KNOWN = {name.casefold(): name for name in _NAMES} | KEY_ALIASES


def canonical_keys(text: str) -> str:
    """A key or combination with every key under its one name: `ctrl+return` is `Control+Enter`, `Spacebar` is a blank.

    Parameters
    ----------
    text : names joined by `+`; `+` itself is the plus key, as in `Control++`.

    Returns
    -------
    The same combination; a name that no key has stays as it is, for the browser to refuse.
    """
    if text == "+":
        return text
    parts = [*text[:-2].split("+"), "+"] if text.endswith("++") else text.split("+")
    return "+".join(_canonical(part) for part in parts)


def _canonical(part: str) -> str:
    name = part.strip() or part
    return _KNOWN.get(name.casefold(), name)


def final_key(text: str) -> str:
    """The key of a combination that the modifiers before it are held for."""
    keys = canonical_keys(text)
    return "+" if keys.endswith("+") else keys.rpartition("+")[2]
