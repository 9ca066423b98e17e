"""Where an element is, in words that a person reads: the dialog, row, card or landmark around it."""

from __future__ import annotations

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import DIALOGS, LANDMARKS
from skillbook.perception.selectors.locator import NAMED, ROWS, row_texts

_LONGEST = 80


def place_of(node: Node) -> str:
    """The nearest thing around an element that sets it apart.

    Parameters
    ----------
    node : the element.

    Returns
    -------
    Such as `row 'Ann'`, `region 'Results'` or `navigation`; page text. Empty where nothing but the page is around it.
    """
    own = clean(node.label)
    for outer in node.ancestors:
        role = "card" if outer.index in node.snapshot.cards else outer.role
        name = clean(outer.name)
        if role in ROWS:
            name = _title_of(outer, node, own)
        elif role not in NAMED or (not name and role not in DIALOGS | LANDMARKS - {"main"}):
            continue
        if name and name != own:
            return f"{role} {_shorten(name)!r}"
        if not name and role not in ROWS:
            return role
    return ""


def _title_of(row: Node, node: Node, own: str) -> str:
    """A heading of a row, or else its first text, that is not the element's."""
    snapshot = row.snapshot
    inside = snapshot.nodes[row.index + 1 : snapshot.ends[row.index]]
    within = range(node.index, snapshot.ends[node.index])
    headings = [clean(each.label) for each in inside if each.role == "heading" and each.index not in within]
    return next((text for text in [*headings, *row_texts(row, node)] if text and text != own), "")


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
