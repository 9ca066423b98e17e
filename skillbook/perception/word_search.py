"""Elements by a role selector, else by words that they are described with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from skillbook.errors import AmbiguousMatch, SelectorSyntaxError
from skillbook.perception.nodes import Node

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot


class FoundNodes(list[Node]):
    """Nodes that were found, the best first; of a single one its attributes, too, as `snapshot.find` gives it."""

    def __init__(self, nodes: Iterable[Node], snapshot: Snapshot, query: str) -> None:
        super().__init__(nodes)
        self._snapshot, self._query = snapshot, query

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Node, name):
            raise AttributeError(f"a list of nodes has no {name!r}")
        return getattr(self._only(), name)

    def _only(self) -> Node:
        """The one node."""
        if len(self) == 1:
            return self[0]
        try:
            return self._snapshot.find(self._query)
        except SelectorSyntaxError:
            if not self:
                raise
        raise AmbiguousMatch(
            f"{len(self)} elements have the words {self._query!r}",
            hint="take one by its number, or name its role",
        )


def find_nodes(snapshot: Snapshot, query: str) -> FoundNodes:
    """Nodes that a role selector names, if it is one, else nodes whose words contain all of the query's."""
    try:
        return FoundNodes(snapshot.find_all(query), snapshot, query)
    except SelectorSyntaxError:
        pass
    words = query.casefold().split()
    scored = []
    for node in snapshot.nodes:
        fields = (node.role, node.name or node.hint, node.value, node.placeholder, node.description)
        text = " ".join(str(part) for part in fields if part).casefold()
        if all(word in text for word in words):
            scored.append((not node.actionable, len(text), node.index, node))
    best = sorted(scored, key=lambda entry: entry[:3])
    return FoundNodes((entry[-1] for entry in best), snapshot, query)
