"""Leaves out of a page's text what a reader can do without.

Refs of elements which role and name, as the text says them, name alone; long names of controls that the line above has
at the same place::

    - link "Home" | link "Edit" [ref=e17] | link "Edit" [ref=e18]
    - row [ref=e3]: checkbox "Press Space to select this row" [ref=e4] | Ann
    - row [ref=e6]: checkbox [ref=e7] | Bob
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import INTERACTIVE, TABLES
from skillbook.protocol.refs import make_ref

LONG_NAME = 16  # characters of a name that is worth leaving out where a line says it again
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
        if len(string[0]) >= LONG_NAME + 2 and len(before) > len(names) and before[len(names)] == name:
            parts.append(text[done : string.start() - 1])
            done = string.end()
        names.append(name)
    return names, "".join(parts) + text[done:]


_BY_NAME = INTERACTIVE | TABLES
LONGEST_LABEL = 60  # characters that a line gives to a name or an address; a ref is shorter than more
_SAID = re.compile(r'([a-z]+ "[^"\\]+")((?: \[[a-z0-9=]+\])*) \[ref=(e\d+)\]')
_AWKWARD = re.compile(r"['\"\\\[…]")


def named_refs(snapshot: BaseSnapshot) -> Mapping[str, str]:
    """The refs of elements that a role selector with the whole name finds alone, and how a line says role and name.

    Elements of frames keep their refs, and so do those whose names are long or need escapes.
    """
    columns, names = snapshot.columns, snapshot.clean_names
    called: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, role in enumerate(columns.role):
        if role in _BY_NAME:
            called[role, names[index] or snapshot.text_of(index)].append(index)
    return {
        make_ref(0, columns.number[found[0]]): f'{role} "{name}"'
        for (role, name), found in called.items()
        if len(found) == 1
        and 0 < len(name) <= LONGEST_LABEL
        and not _AWKWARD.search(name)
        and columns.number[found[0]]
        and not columns.document_at(found[0]).frame
    }


def without_named_refs(text: str, named: Mapping[str, str]) -> str:
    """The text without those of the refs that follow role and name as a selector would say them."""
    return _SAID.sub(lambda match: match[1] + match[2] if named.get(match[3]) == match[1] else match[0], text)
