"""Long names of controls that repeat from line to line, said once.

::

    - row [ref=e3]: checkbox "Press Space to select this row" [ref=e4] | Ann
    - row [ref=e6]: checkbox ditto [ref=e7] | Bob

`ditto` has the name that stands at its place in the line above. Page text stands in quotes or between bars, so it
can't be taken for this word before a ref.
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


def shorten_names(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Lines with their depths as text, without names that the line above has at the same place."""
    above: dict[int, _Names] = {}
    for depth, text in lines:
        for deeper in [level for level in above if level > depth]:
            del above[deeper]
        names, said = _shortened(text, above.get(depth, []))
        if text.startswith("…"):
            above.pop(depth, None)
        else:
            above[depth] = names
        yield f"{'  ' * depth}- {said}"


def _shortened(text: str, before: _Names) -> tuple[_Names, str]:
    """The names of the elements on a line, and the line without those that stood there before."""
    names: _Names = []
    parts: list[str] = []
    done = 0
    for string in _STRING.finditer(text):
        role = _ROLE.search(text, done, string.start())
        labels = string.start() == 0 and text.startswith(":", string.end())
        if not labels and (role is None or not text.startswith((" [", ":"), string.end())):
            continue
        name = (role[0].strip(" |") if role else "", string[0])
        if len(string[0]) >= _SHORTEST + 2 and len(before) > len(names) and before[len(names)] == name:
            parts += [text[done : string.start()], "ditto"]
            done = string.end()
        names.append(name)
    return names, "".join(parts) + text[done:]
