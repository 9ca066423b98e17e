"""What is read of an element: what it says, or an attribute of it."""

from __future__ import annotations

from typing import Literal

from skillbook.perception.collections import Cell, cell_text
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node

Attribute = Literal["", "href", "src", "value", "ref", "name", "text"]


def read_attribute(node: Node, attribute: Attribute, text: str | None = None) -> Cell | None:
    """What to read of an element: what it says, or an attribute of it; None where it has none."""
    whole = Cell.of(text or "", node)
    if attribute == "href":
        return Cell.of(whole.href, whole.link) if whole.href else _outer_link(node)
    if attribute == "src":
        snapshot = node.snapshot
        inside = (snapshot.nodes[at] for at in range(node.index, snapshot.ends[node.index]))
        found = next((inner for inner in inside if inner.src), None)
        return Cell.of(str(found.src), found) if found else None
    if attribute == "value":
        return Cell.of(clean(node.value), node) if node.value is not None else None
    if attribute == "ref":
        return Cell.of(whole.ref, node) if whole.ref else None
    if attribute == "name":
        return Cell.of(clean(node.name), node)
    if attribute == "text":
        return Cell.of(node.text, node)
    return Cell.of(text if text is not None else cell_text(node.snapshot, node.index), node)


def _outer_link(node: Node) -> Cell | None:
    link = next((outer for outer in node.ancestors if outer.href), None)
    return Cell.of(str(link.href), link) if link else None
