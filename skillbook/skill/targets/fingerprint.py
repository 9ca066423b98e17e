"""An element's fingerprint: what is remembered of it, and how much another element is like that."""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz import fuzz

from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.roles import FIELDS, LANDMARKS
from skillbook.perception.selectors import GROUPS, beside_of, frame_place
from skillbook.skill.targets.calendar_date import date_of
from skillbook.skill.targets.surroundings import (
    headings_over,
    layer_of,
    place_of,
    record_of,
    write_record,
)

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
SHARED = {"role", "type", "tag", "landmark", "inside", "layer", "frame", "date"}
"""What elements of one kind have in common, so that it says nothing of which one it is."""
NEIGHBOURS = {"before", "after"}
_FUZZY = {"name", "placeholder", "href", "inside", "row", "before", "after"}
LONGEST = 120
_NEAR = 40
_SCOPES = GROUPS | LANDMARKS | {"toolbar", "menu", "row", "listitem"}


def fingerprint_of(node: Node) -> dict[str, str]:
    """What is remembered of an element: names, attributes and what is around it; never its own value.

    One without a name has the name "", and its place among those of its role.
    """
    said = {
        "role": node.role,
        "test_id": node.test_id,
        "html_id": node.html_id,
        "html_name": node.html_name,
        "placeholder": node.placeholder,
        "type": node.type,
        "tag": node.tag,
        "href": node.href,
        "landmark": node.landmark,
        "inside": next((up.name for up in node.ancestors if up.role in GROUPS and up.name), None),
        "heading": next(iter(headings_over(node)), None),
        "layer": layer_of(node),
        "date": date_of(node),
        "frame": frame_place(node),
        "before": _neighbour(node, -1),
        "after": _neighbour(node, 1),
    }
    known = {key: clean(text)[:LONGEST] for key, text in said.items() if text and clean(text)}
    known["name"] = clean(name_of(node))[:LONGEST]
    if not known["name"]:
        known["place"] = place_among_alike(node)
    record = record_of(node)
    if record is not None:
        known["record"] = write_record(record[1])
        if place := place_of(node):
            known["record_place"] = place
    if (beside := beside_of(node)) is not None:
        known["beside"] = write_record(beside.texts)
        if beside.place:
            known["beside_place"] = beside.place
        elif "record_place" in known:  # the record doesn't tell it, and this does
            del known["record"], known["record_place"]
    return known


def name_of(node: Node) -> str:
    """What an element is called: a field's text is what it holds, and no name of it."""
    return node.name if node.role in FIELDS else node.label


def place_among_alike(node: Node) -> str:
    """Which of the elements of its role it is in the group, section or row around it, as "2 of 5"."""
    snapshot, columns = node.snapshot, node.snapshot.columns
    scope = next((up for up in node.ancestors if up.role in _SCOPES), None)
    first, end = (scope.index + 1, snapshot.ends[scope.index]) if scope is not None else (0, len(snapshot))
    alike = [index for index in range(first, end) if columns.role[index] == node.role]
    return f"{alike.index(node.index) + 1} of {len(alike)}"


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


def similarity(fingerprint: Mapping[str, str], node: Node) -> float:
    """How much an element is like what was remembered, from 0 to 1."""
    if fingerprint.get("role", node.role) != node.role and not node.actionable:
        return 0.0
    now = fingerprint_of(node)
    total = reached = 0.0
    for key, weight in WEIGHTS.items():
        wanted = fingerprint.get(key)
        if not wanted:
            continue
        total += weight
        held = now.get(key)
        if not held:
            continue
        if key in _FUZZY:
            reached += weight * fuzz.ratio(wanted.casefold(), held.casefold()) / 100
        else:
            reached += weight * (wanted == held)
    return reached / total if total else 0.0
