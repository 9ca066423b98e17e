"""What a call returns to a cell's code: small plain values, whatever the tool had."""

from __future__ import annotations

import json
from typing import Any

from skillbook.cells.crossing import ActionResult, Node, Page, SkillResult, to_plain
from skillbook.perception.nodes import Node as PageNode
from skillbook.session.actions.result import ActionResult as PageResult
from skillbook.session.page_driver import PageDriver

MOST_ROWS = 5_000
_NODES = 500
_NODE_TEXT = 2_000


def value_for_code(value: Any, tab: int = 0) -> Any:
    """A tool's value as plain data.

    Parameters
    ----------
    tab : where the call was made; 0 for the page that a cell begins with.
    """
    if isinstance(value, PageDriver):
        return to_plain(Page(value.tab.id))
    if isinstance(value, PageResult):
        path = str(value.path) if value.path is not None else None
        return to_plain(ActionResult(value.changed, value.url, path))
    if isinstance(value, list) and value and isinstance(value[0], PageNode):
        return to_plain([_node(each, tab) for each in value[:_NODES]])
    if isinstance(value, SkillResult):
        rows = _rows(value.rows) if value.rows is not None else []
        return to_plain(SkillResult(value.value, rows))
    return to_plain(_rows(value))


def _rows(value: Any) -> Any:
    """A frame as a list of dicts; anything else as it is."""
    if not hasattr(value, "to_json"):
        return value
    return json.loads(value.head(MOST_ROWS).to_json(orient="records", date_format="iso"))


def _node(node: PageNode, tab: int) -> Node:
    """A node without a ref has that of what it is in."""
    ref = next((each.ref for each in (node, *node.ancestors) if each.ref), "")
    value = None if node.value is None else str(node.value)
    return Node(ref, node.role, node.label, value, node.text[:_NODE_TEXT], tab)


def refs_of(value: Any) -> set[str]:
    """The refs of the elements in a plain value."""
    if isinstance(value, list):
        return {ref for each in value for ref in refs_of(each)}
    inner = value.get("of") if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return set()
    if isinstance(inner.get("ref"), str):
        return {inner["ref"]}
    return {ref for each in inner.values() for ref in refs_of(each)}
