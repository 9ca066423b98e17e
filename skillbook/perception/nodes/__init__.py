"""A page's nodes: read from the wire, joined over its documents, each with its role, name, states, box and place."""

from __future__ import annotations

from skillbook.perception.nodes.base_snapshot import AnySnapshot, BaseSnapshot, Box, Node, remembered
from skillbook.perception.nodes.columns import Columns, Document
from skillbook.perception.nodes.document import DocumentSnapshot

__all__ = [
    "AnySnapshot",
    "BaseSnapshot",
    "Box",
    "Columns",
    "Document",
    "DocumentSnapshot",
    "Node",
    "remembered",
]
