"""What the page itself is asked of a selector: which elements it may name, and what one demands before input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import FIELDS, words
from skillbook.perception.selectors.counting import items_by_number
from skillbook.perception.selectors.grammar import Name, Selector
from skillbook.perception.selectors.selector_matching import find_indexes, find_scopes
from skillbook.protocol.commands.read import FindQuery
from skillbook.protocol.envelopes import SeenCount, SeenPart
from skillbook.protocol.snapshot import State

_ROLES = {"img": None, "dialog": ["dialog", "alertdialog"]}
_BY_LAYOUT = frozenset({"offscreen", "obscured", "modal", "description"})
"""What only a whole snapshot says."""


def query_of(selector: Selector) -> dict[str, Any] | None:
    """What the page needs to know of a selector; None where it can't find what that names."""
    if selector.beside is not None or selector.frames:
        return None
    if any(test.key in _BY_LAYOUT for test in selector.tests):
        return None
    name = selector.name if selector.name is not None and selector.name.mode != "regex" else None
    wanted: dict[str, Any] = {"name": name.text, "part": name.mode == "includes"} if name is not None else {}
    if selector.kind == "label":
        wanted |= {"roles": sorted(FIELDS), "editable": True}
    elif selector.kind == "role" and selector.role not in {"any", "card", "form"}:
        roles = _ROLES.get(selector.role, [selector.role])
        if roles is None:
            return None
        wanted["roles"] = roles
    else:
        return None
    if selector.within is None:
        return wanted
    outer = selector.within
    if (
        outer.kind != "role"
        or outer.nth is not None
        or (outer.name is not None and outer.name.mode != "exact")
    ):
        return None
    around = query_of(outer)
    return None if around is None else {**wanted, "within": around}


_OF_ITS_OWN = words("checked expanded collapsed selected pressed current invalid required")
"""States that an element has by itself; others depend on what is around it, or come by the press."""


def seen_parts(node: Node, selector: Selector) -> list[SeenPart]:
    """The parts of a selector by which it named an element: that one's states, and states and names around it."""
    parts = (
        _part(holder, level, is_scope=level is not selector) for holder, level in _levels(node, selector)
    )
    return [part for part in parts if part is not None and _demands(part)]


def seen_counts(node: Node, selector: Selector) -> list[SeenCount]:
    """The numbers in a selector: what was counted before the element that it named, or before what is around that."""
    counts = (
        _count(holder, level, is_scope=level is not selector)
        for holder, level in _levels(node, selector)
        if level.nth is not None
    )
    return [count for count in counts if count is not None]


def _levels(node: Node, selector: Selector) -> Iterator[tuple[Node, Selector]]:
    """What a selector named, and what it is in, each with its part of the selector; of the element's document."""
    level: Selector | None = selector
    holder: Node | None = node
    while level is not None and holder is not None:
        if holder.frame == node.frame:
            yield holder, level
        level = level.within
        if level is not None:
            around = set(find_scopes(node.snapshot, level))
            holder = next((outer for outer in holder.ancestors if outer.index in around), None)


def _demands(part: SeenPart) -> bool:
    return bool(part.has or part.lacks or part.name or part.text)


def _part(node: Node, level: Selector, *, is_scope: bool) -> SeenPart | None:
    has, lacks = _states(level)
    name, text = _name_and_text(node, level.name) if is_scope and level.kind == "role" else ("", "")
    if node.ref is None:
        return None
    alone = replace(level, within=None, frames=(), nth=None, beside=None)
    return SeenPart(ref=node.ref, words=str(alone), name=name, text=text, has=has, lacks=lacks)


def _count(node: Node, level: Selector, *, is_scope: bool) -> SeenCount | None:
    """What a level counted before a node; None where the page numbers its items, or an element has no ref."""
    snapshot, ref = node.snapshot, node.ref
    uncounted = replace(level, nth=None)
    counted = (find_scopes if is_scope else find_indexes)(snapshot, uncounted)
    numbers = items_by_number(snapshot, level, counted)
    if ref is None or [*numbers.values()] != [*counted] or numbers.get(level.nth or 0) != node.index:
        return None
    nodes = [snapshot.nodes[index] for index in counted[: counted.index(node.index)]]
    before = [_part(each, level, is_scope=True) for each in nodes if each.frame == node.frame]
    around = find_scopes(snapshot, level.within) if level.within is not None else []
    holders = [outer for outer in map(snapshot.nodes.__getitem__, around) if outer.frame == node.frame]
    inside = [_part(outer, level.within or level, is_scope=True) for outer in holders]
    if not all((*before, *inside)):
        return None
    query = query_of(replace(uncounted, within=None, frames=(), tests=(), beside=None))
    return SeenCount(
        ref=ref,
        words=str(replace(level, within=None, frames=())),
        css=level.css or "",
        query=FindQuery.model_validate(query) if query is not None else None,
        before=[part for part in before if part is not None],
        others=[*_others(node, level, counted)] if query is not None else [],
        inside=[part for part in inside if part is not None],
        known=[*_known(node, query)] if query is not None else [],
    )


def _known(node: Node, query: Mapping[str, Any]) -> Iterator[int]:
    """The numbers of the refs of what a query might have found up to a node."""
    columns = node.snapshot.columns
    for index in range(node.index + 1):
        if query.get("editable") or columns.role[index] in query["roles"]:
            other = node.snapshot.nodes[index]
            if other.frame == node.frame and columns.number[index]:
                yield columns.number[index]


def _others(node: Node, level: Selector, counted: list[int]) -> Iterator[SeenPart]:
    """What stands before a node and would be counted with its name and the states that a level demands."""
    snapshot, wanted = node.snapshot, _part(node, level, is_scope=True)
    if wanted is None or not _demands(wanted):
        return
    tests = tuple(test for test in level.tests if test.key not in _OF_ITS_OWN)
    for index in find_indexes(snapshot, replace(level, nth=None, name=None, tests=tests)):
        other = snapshot.nodes[index]
        if index >= node.index or index in counted or other.ref is None or other.frame != node.frame:
            continue
        flags = snapshot.columns.flags[index]
        has_states = flags & wanted.has == wanted.has and not flags & wanted.lacks
        if not (has_states and wanted.name == other.name):
            yield wanted.model_copy(update={"ref": other.ref})


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
        shown = clean(name).casefold()
        return shown == text if wanted.mode == "exact" else text in shown

    if fits(node.name):
        return node.name, ""
    snapshot = node.snapshot
    names = snapshot.columns.name
    inside = range(node.index + 1, snapshot.ends[node.index])
    return "", next((names[index] for index in inside if names[index] and fits(names[index])), "")
