"""States that a press switches: pressed, checked, expanded, and how a column is sorted."""

from __future__ import annotations

from collections.abc import Mapping

from skillbook.perception.nodes import Node
from skillbook.perception.roles import FIELDS
from skillbook.protocol.snapshot import State

TICKED = frozenset({"checkbox", "switch", "menuitemcheckbox"})
_HEADERS = {"columnheader", "rowheader"}


def states_of(node: Node) -> dict[str, str]:
    """What a press on an element may switch, as it is now: of a header's button, how its column is sorted."""
    flags, found = node.flags, {}
    header = next((one for one in (node, *node.ancestors) if one.role in _HEADERS), None)
    if header is not None:
        found["sort"] = str(header.extra.get("sort") or "none")
    if node.role == "button":
        found["pressed"] = _said(flags & State.PRESSED)
    if node.role in TICKED:
        found["checked"] = "mixed" if flags & State.MIXED else _said(flags & State.CHECKED)
    if flags & (State.EXPANDED | State.COLLAPSED) and node.role not in FIELDS:
        found["expanded"] = _said(flags & State.EXPANDED)
    return found


def _said(flag: int) -> str:
    return "true" if flag else "false"


def switched(before: Node, after: Node) -> dict[str, str]:
    """The state that a press switched, as it was afterwards; empty where it switched none."""
    was, now = states_of(before), states_of(after)
    changed = [key for key in was if key in now and was[key] != now[key]]
    return {changed[0]: now[changed[0]]} if changed else {}


def holds(wanted: Mapping[str, str], node: Node) -> bool:
    """Whether an element is in a state."""
    now = states_of(node)
    return all(now.get(key) == value for key, value in wanted.items())
