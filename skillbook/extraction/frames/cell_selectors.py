"""Selectors of cells: each names one cell on the page that it was read from, by what names the record that it is in.

`build_locator` does the same for any element, a search through the page for each; a frame has thousands of cells, so
the rows of a page are gone through once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records.nearest_record import names_of, unit_at
from skillbook.perception.records.record_pieces import is_name
from skillbook.perception.records.record_table import record_role
from skillbook.perception.selectors import Selector, build_locator, find_within
from skillbook.perception.selectors.grammar import Name


class RowNames:
    """What the rows of one role on a page are called, so that no other row is."""

    def __init__(self, snapshot: BaseSnapshot, role: str) -> None:
        self._role = role
        self._numbers: dict[int, int] = {}
        self._said: dict[int, list[str]] = {}
        self._named: Counter[str] = Counter()
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
        """A selector of what is around the cells of a row: by a text that no other row has, else its place.

        That is what names its record; a price only where no other text does.
        """
        names = self._names(snapshot, row)
        named = [text.casefold() for text in names]
        alone = [
            text
            for text in [*named, *self._said[row]]
            if self._rows_with[text] == 1 and len(text) <= LONGEST_NAME
        ]
        written = (_as_written(snapshot, row, text) for text in named if text in alone)
        if found := next(filter(None, written), None):
            return Selector("role", self._role, Name(found))
        if parts := [text for text in names if self._rows_with[text.casefold()] == 0]:
            counts = self._named = self._named or self._count_names(snapshot)
            if part := next((text for text in parts if counts[text] == 1), None):
                return Selector("role", self._role, Name(part))
        written = (
            _as_written(snapshot, row, text) for text in sorted(alone, key=lambda one: not is_name(one))
        )
        if found := next(filter(None, written), None):
            return Selector("role", self._role, Name(found))
        return Selector("role", self._role, nth=self._numbers[row])

    def _names(self, snapshot: BaseSnapshot, row: int) -> list[str]:
        unit = unit_at(snapshot.nodes[row])
        return names_of(unit, unit.pieces)

    def _count_names(self, snapshot: BaseSnapshot) -> Counter[str]:
        """How many rows are called so, by names that are a part of a text."""
        return Counter(text for row in self._said for text in self._names(snapshot, row))


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

    node: what says the cell's text.
    """
    snapshot = node.snapshot
    row = next((at for at in _around(node) if row_role(snapshot, at)), None)
    if row is None:
        return str(build_locator(node)) if node.actionable else ""
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
    return "option" if snapshot.columns.role[index] == "option" else record_role(snapshot, index)


def _around(node: Node) -> Sequence[int]:
    return [node.index, *(outer.index for outer in node.ancestors)]
