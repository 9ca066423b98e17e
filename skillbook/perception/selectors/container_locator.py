"""What is around an element: selectors of what has rows in it — tables, lists, blocks — and words for a person.

The selectors never hold the rows' data, which change: a table that is known by its first row is another one tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from skillbook.errors import NoMatch
from skillbook.perception.collections.collection import name_of
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.forms import heading_of
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.records import record_of
from skillbook.perception.roles import CELLS, DIALOGS, LANDMARKS, TABLES, words
from skillbook.perception.selectors.grammar import Name, Selector, Test
from skillbook.perception.selectors.locator import (
    LONGEST_LABEL,
    NAMED,
    ROWS,
    build_locator,
    frame_path,
    is_made,
)
from skillbook.perception.selectors.selector_matching import find_indexes, with_number

_NAMED_BY_AUTHOR = NAMED | TABLES | words("iframe form region figure feed treegrid main")
"""Roles whose name is given to them; others are called by what they have in them."""
_RECORDS = ROWS | CELLS | words("option treeitem")


def build_container_locator(node: Node) -> Selector:
    """The selector of a container: by its name, id or heading, else by its place; of a record as any element's.

    Raises NoMatch: no selector names it alone.
    """
    if node.role in _RECORDS or node.index in node.snapshot.cards or node.actionable:
        return build_locator(node).selectors[0]
    found = next(container_selectors(node), None)
    if found is None:
        raise NoMatch(f"no selector names {node!r} alone", hint="use its ref", candidates=[])
    return found


def container_selectors(node: Node, *, by_place: bool = True) -> Iterator[Selector]:
    """Selectors that name a container alone, the best first.

    by_place: also those that only count: "table nth 2".
    """
    snapshot = node.snapshot
    for base in _bases(node):
        for selector in _in_parts(base, node):
            if find_indexes(snapshot, selector) == [node.index]:
                yield selector
                break
    if not by_place:
        return
    everywhere, *parts = _in_parts(Selector("role", node.role), node)
    for scoped in (*parts, everywhere):
        numbered = with_number(snapshot, scoped, node.index)
        if numbered is not None:
            yield numbered
            return


def _bases(node: Node) -> Iterator[Selector]:
    base, name = Selector("role", node.role), clean(node.name)
    if node.role in _NAMED_BY_AUTHOR and name and len(name) <= LONGEST_LABEL:
        yield replace(base, name=Name(name))
    if node.test_id:
        yield Selector("testid", name=Name(node.test_id))
    if node.html_id and not is_made(node.html_id):
        yield replace(base, tests=(Test("id", Name(node.html_id)),))
    if node.role != "generic":
        yield base
        if heading := name_of(node.snapshot, node.index):
            yield replace(base, beside=Name(heading))


def _in_parts(base: Selector, node: Node) -> Iterator[Selector]:
    """A selector by itself, then in the parts of the page around it that have a name, or are a landmark."""
    yield base
    frames = frame_path(node)
    for outer in node.ancestors:
        name = clean(outer.name)
        is_part = outer.role in LANDMARKS or (outer.role in _NAMED_BY_AUTHOR | DIALOGS and name)
        heading = heading_of(outer) if outer.tag == "form" and not name else ""
        if (is_part or heading) and outer.role != "iframe" and len(name) <= LONGEST_LABEL:
            named = Name(name or heading) if name or heading else None
            yield replace(base, within=Selector("role", outer.role if is_part else "form", named))
    if frames:
        yield replace(base, frames=frames)


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
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
