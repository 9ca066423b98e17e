"""Leaves out long names of controls that the line above has at the same place.

::

    - row [ref=e3]: checkbox "Press Space to select this row" [ref=e4] | Ann
    - row [ref=e6]: checkbox [ref=e7] | Bob
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SHORTEST = 16  # characters of a name that is worth it
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# Links are what a page says, these are how it is used.
_ROLE = re.compile(
    r"(?:^|[ |])(?:button|checkbox|radio|switch|menuitem|tab|textbox|combobox|generic|group) \Z"
)
_Names = list[tuple[str, str]]


def leave_out_repeated_names(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Lines with their depths as text, without the names of controls that the line above has at the same place."""
    above: dict[int, _Names] = {}
    for depth, text in lines:
        for deeper in [level for level in above if level > depth]:
            del above[deeper]
        names, shortened = _shortened(text, above.get(depth, []))
        if text.startswith("…"):
            above.pop(depth, None)
        else:
            above[depth] = names
        yield f"{'  ' * depth}- {shortened}"


def _shortened(text: str, before: _Names) -> tuple[_Names, str]:
    """The roles and names of the controls on a line, and the line without those that stood there before."""
    names: _Names = []
    parts: list[str] = []
    done = 0
    for string in _STRING.finditer(text):
        role = _ROLE.search(text, done, string.start())
        if role is None or not text.startswith((" [", ":"), string.end()):
            continue
        name = (role[0].strip(" |"), string[0])
        if len(string[0]) >= _SHORTEST + 2 and len(before) > len(names) and before[len(names)] == name:
            parts.append(text[done : string.start() - 1])
            done = string.end()
        names.append(name)
    return names, "".join(parts) + text[done:]
