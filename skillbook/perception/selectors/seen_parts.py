"""What a selector demands of an element and of what is around it, for the page to compare before input."""

from __future__ import annotations

from dataclasses import replace

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import words
from skillbook.perception.selectors.grammar import Name, Selector
from skillbook.perception.selectors.selector_matching import find_scopes
from skillbook.protocol.envelopes import SeenPart
from skillbook.protocol.snapshot import State

_OF_ITS_OWN = words("checked expanded collapsed selected pressed current invalid required")
"""States that an element has by itself; others depend on what is around it, or come by the press."""


def seen_parts(node: Node, selector: Selector) -> list[SeenPart]:
    """The parts of a selector by which it named an element: that one's states, and states and names around it.

    Parameters
    ----------
    node : what it named, in the snapshot in which it did.
    """
    found = []
    level: Selector | None = selector
    holder: Node | None = node
    while level is not None and holder is not None:
        if holder.frame == node.frame and (part := _part(holder, level, is_scope=level is not selector)):
            found.append(part)
        level = level.within
        if level is not None:
            around = set(find_scopes(node.snapshot, level))
            holder = next((outer for outer in holder.ancestors if outer.index in around), None)
    return found


def _part(node: Node, level: Selector, *, is_scope: bool) -> SeenPart | None:
    has, lacks = _states(level)
    name, text = _name_and_text(node, level.name) if is_scope and level.kind == "role" else ("", "")
    if node.ref is None or not (has or lacks or name or text):
        return None
    said = replace(level, within=None, frames=(), nth=None, beside=None)
    return SeenPart(ref=node.ref, words=str(said), name=name, text=text, has=has, lacks=lacks)


def _states(level: Selector) -> tuple[int, int]:
    has = lacks = State(0)
    for test in level.tests:
        if test.key not in _OF_ITS_OWN:
            continue
        if isinstance(test.wanted, Name):
            has |= State.MIXED if test.key == "checked" else State(0)
        elif test.wanted:
            has |= State[test.key.upper()]
        elif test.key == "expanded":
            has |= State.COLLAPSED
        else:
            lacks |= State.CHECKED | State.MIXED if test.key == "checked" else State[test.key.upper()]
    return int(has), int(lacks)


def _name_and_text(node: Node, wanted: Name | None) -> tuple[str, str]:
    """The name of a container by which a selector knew it; else the text in it that says so."""
    if wanted is None or wanted.mode == "regex":
        return "", ""
    text = clean(wanted.text).casefold()

    def fits(name: str) -> bool:
        said = clean(name).casefold()
        return said == text if wanted.mode == "exact" else text in said

    if fits(node.name):
        return node.name, ""
    snapshot = node.snapshot
    names = snapshot.columns.name
    inside = range(node.index + 1, snapshot.ends[node.index])
    return "", next((names[index] for index in inside if names[index] and fits(names[index])), "")
