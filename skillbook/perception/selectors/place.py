"""Where an element is, in words that a person reads: the dialog, row, card or landmark around it."""

from __future__ import annotations

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.records import record_of
from skillbook.perception.roles import DIALOGS, LANDMARKS
from skillbook.perception.selectors.locator import NAMED, ROWS

_LONGEST = 80


def place_of(node: Node) -> str:
    """The nearest thing around an element that sets it apart."""
    own, record = clean(node.label), record_of(node)
    for outer in node.ancestors:
        role, name = outer.role, clean(outer.name)
        if record is not None and outer.index == record.index:
            role, name = record.role, next((text for text in record.texts if text != own), "")
        elif role not in NAMED or (not name and role not in DIALOGS | LANDMARKS - {"main"}):
            continue
        if name and name != own:
            return f"{role} {_shorten(name)!r}"
        if not name and role not in ROWS:
            return role
    return ""


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
