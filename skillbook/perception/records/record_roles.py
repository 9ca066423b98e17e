"""Which elements are records by their role."""

from __future__ import annotations

from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import RECORDS


def record_role(snapshot: BaseSnapshot, index: int) -> str:
    """The role by which a selector knows a record; empty where a node is none."""
    role = snapshot.columns.role[index]
    return role if role in RECORDS else "card" if index in snapshot.cards else ""


def is_record(node: Node) -> bool:
    """Whether an element is a record by its role, or one of several cards."""
    return bool(record_role(node.snapshot, node.index))
