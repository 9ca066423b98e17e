"""Selectors of cells: each names one cell on the page that it was read from, by a text that only its row has.

`build_locator` does the same for any element, a search through the page for each; a frame has thousands of cells, so
the rows of a page are gone through once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.selectors import Selector, find_within
from skillbook.perception.selectors.grammar import Name

_ROWS = words("row listitem article card option treeitem")
_LONGEST = 80  # characters of a text that names a row


class RowNames:
    """What the rows of one role on a page are called, so that no other row is.

    Parameters
    ----------
    snapshot : the page.
    role : the rows' role.
    """

    def __init__(self, snapshot: BaseSnapshot, role: str) -> None:
        self._role = role
        self._numbers: dict[int, int] = {}
        self._said: dict[int, list[str]] = {}
        around: list[int] = []
        for at in range(len(snapshot)):
            while around and at >= snapshot.ends[around[-1]]:
                around.pop()
            if row_role(snapshot, at) == role:
                around.append(at)
                self._numbers[at] = len(self._numbers) + 1
                self._said[at] = []
            if around:
                self._said[around[-1]] += _texts(snapshot, at)
        self._rows_with = Counter(text for texts in self._said.values() for text in set(texts))

    def scope(self, snapshot: BaseSnapshot, row: int) -> Selector:
        """A selector of what is around the cells of a row: by its first text that no other row has, else its place."""
        alone = (text for text in self._said[row] if self._rows_with[text] == 1 and len(text) <= _LONGEST)
        written = (_as_written(snapshot, row, text) for text in alone)
        found = next(filter(None, written), None)
        if found is None:
            return Selector("role", self._role, nth=self._numbers[row])
        return Selector("role", self._role, Name(found))


def _texts(snapshot: BaseSnapshot, at: int) -> list[str]:
    """What a selector could know a node by, without regard to case: its name, and the texts in it together."""
    name = snapshot.folded_names[at]
    several = snapshot.ends[at] > at + 2
    together = clean(snapshot.text_of(at)).casefold() if several else ""
    return [text for text in (name, together) if text]


def _as_written(snapshot: BaseSnapshot, row: int, folded: str) -> str:
    """A text of a row as the page has it; empty where no single node says it."""
    inside = range(row + 1, snapshot.ends[row])
    return next((name for at in inside if (name := snapshot.clean_names[at]).casefold() == folded), "")


# The values may not hold their keys, or no snapshot would ever be forgotten.
_names: WeakKeyDictionary[BaseSnapshot, dict[str, RowNames]] = WeakKeyDictionary()


def cell_selector(node: Node) -> str:
    """The selector of a cell: which of its role it is in its row; empty where it is in no row.

    Parameters
    ----------
    node : what says the cell's text.
    """
    snapshot = node.snapshot
    row = next((at for at in _around(node) if row_role(snapshot, at)), None)
    if row is None:
        return ""
    role = row_role(snapshot, row)
    known = _names.setdefault(snapshot, {})
    names = known.get(role) or known.setdefault(role, RowNames(snapshot, role))
    scope = names.scope(snapshot, row)
    if row == node.index:
        return str(scope) if scope.nth else ""
    by_role = [] if node.role == "text" else [Selector("role", node.role)]
    for selector in (*by_role, Selector("text")):
        found = find_within(snapshot, selector, row)
        if node.index in found:
            nth = found.index(node.index) + 1
            return str(replace(selector, within=scope, nth=nth if len(found) > 1 else None))
    return ""


def row_role(snapshot: BaseSnapshot, index: int) -> str:
    """The role by which a selector knows a row; empty where a node is none."""
    role = snapshot.columns.role[index]
    return role if role in _ROWS else "card" if index in snapshot.cards else ""


def _around(node: Node) -> Sequence[int]:
    return [node.index, *(outer.index for outer in node.ancestors)]
