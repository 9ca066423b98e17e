"""Elements by a role selector, else by words that they are described with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbook.errors import SelectorSyntaxError

if TYPE_CHECKING:
    from skillbook.perception.nodes import Node
    from skillbook.perception.snapshot import Snapshot


def find_nodes(snapshot: Snapshot, query: str) -> list[Node]:
    """Nodes that a role selector names, if it is one, else nodes whose words contain all of the query's."""
    try:
        return list(snapshot.find_all(query))
    except SelectorSyntaxError:
        pass
    words = query.casefold().split()
    scored = []
    for node in snapshot.nodes:
        fields = (node.role, node.name or node.hint, node.value, node.placeholder, node.description)
        text = " ".join(str(part) for part in fields if part).casefold()
        if all(word in text for word in words):
            scored.append((not node.actionable, len(text), node.index, node))
    return [entry[-1] for entry in sorted(scored, key=lambda entry: entry[:3])]
