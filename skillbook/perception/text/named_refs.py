"""Refs that a reader can do without: those of elements which role and name, as the text says them, name alone.

::

    - link "Home" | link "Edit" [ref=e17] | link "Edit" [ref=e18]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import INTERACTIVE, TABLES
from skillbook.protocol.refs import make_ref

_BY_NAME = INTERACTIVE | TABLES
_LONGEST = 60  # characters of a name from which on a ref is shorter to write
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
        and 0 < len(name) <= _LONGEST
        and not _AWKWARD.search(name)
        and columns.number[found[0]]
        and not columns.document_at(found[0]).frame
    }


def without_named_refs(text: str, named: Mapping[str, str]) -> str:
    """The text without those of the refs that follow role and name as a selector would say them."""
    return _SAID.sub(lambda match: match[1] + match[2] if named.get(match[3]) == match[1] else match[0], text)
