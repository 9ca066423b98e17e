"""An element's fingerprint: what is remembered of it, and how much another element is like that."""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz import fuzz

from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node

WEIGHTS = {
    "role": 2.0,
    "name": 4.0,
    "test_id": 4.0,
    "html_id": 2.5,
    "html_name": 2.5,
    "placeholder": 2.0,
    "type": 1.0,
    "tag": 0.5,
    "href": 1.5,
    "landmark": 1.0,
    "inside": 2.0,
    "row": 3.0,
    "before": 1.0,
    "after": 1.0,
}
SHARED = {"role", "type", "tag", "landmark", "inside"}
"""What elements of one kind have in common, so that it says nothing of which one it is."""
NEIGHBOURS = {"before", "after"}
_ATTRIBUTES = ("test_id", "html_id", "html_name", "placeholder", "href")
_FUZZY = {"name", "placeholder", "href", "inside", "row", "before", "after"}
_GROUPS = {
    "dialog",
    "alertdialog",
    "form",
    "group",
    "region",
    "table",
    "list",
    "tabpanel",
    "radiogroup",
    "article",
}
_ROWS = {"row", "listitem", "article"}
_LONGEST = 120
_NEAR = 40


def fingerprint_of(node: Node) -> dict[str, str]:
    """What is remembered of an element: names, attributes and what is around it; never a field's value."""
    said = {
        "role": node.role,
        "name": node.label,
        "test_id": node.test_id,
        "html_id": node.html_id,
        "html_name": node.html_name,
        "placeholder": node.placeholder,
        "type": node.type,
        "tag": node.tag,
        "href": node.href,
        "landmark": node.landmark,
        "inside": next((up.name for up in node.ancestors if up.role in _GROUPS and up.name), None),
        "row": next((up.text for up in node.ancestors if up.role in _ROWS), None),
        "before": _neighbour(node, -1),
        "after": _neighbour(node, 1),
    }
    return {key: clean(text)[:_LONGEST] for key, text in said.items() if text and clean(text)}


def _neighbour(node: Node, step: int) -> str | None:
    """The label of the nearest other actionable element before or after it."""
    snapshot, end = node.snapshot, node.snapshot.ends[node.index]
    index = node.index - 1 if step < 0 else end
    for _ in range(_NEAR):
        if not 0 <= index < len(snapshot):
            return None
        other = snapshot.nodes[index]
        if other.actionable and not index < node.index < snapshot.ends[index]:
            return other.label
        index += step
    return None


def is_alike(fingerprint: Mapping[str, str], node: Node, name_at_least: float) -> bool:
    """Whether an element shares its name, or an attribute that only it has, with what was remembered."""
    now = fingerprint_of(node)
    if (
        fuzz.ratio(fingerprint.get("name", "").casefold(), now.get("name", "").casefold()) / 100
        >= name_at_least
    ):
        return True
    return any(key in fingerprint and fingerprint[key] == now.get(key) for key in _ATTRIBUTES)


def similarity(fingerprint: Mapping[str, str], node: Node) -> float:
    """How much an element is like what was remembered, from 0 to 1."""
    if fingerprint.get("role", node.role) != node.role and not node.actionable:
        return 0.0
    now = fingerprint_of(node)
    total = reached = 0.0
    for key, weight in WEIGHTS.items():
        wanted = fingerprint.get(key)
        if wanted is None:
            continue
        total += weight
        held = now.get(key)
        if held is None:
            continue
        if key in _FUZZY:
            reached += weight * fuzz.ratio(wanted.casefold(), held.casefold()) / 100
        else:
            reached += weight * (wanted == held)
    return reached / total if total else 0.0
