"""Names an element by a selector that finds it alone: by itself, else within what is around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from skillbook.errors import NoMatch
from skillbook.perception.collections.collection import name_of
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.forms import heading_of
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.records import record_of
from skillbook.perception.roles import CELLS, DIALOGS, FIELDS, LANDMARKS, RECORDS, TABLES, words
from skillbook.perception.selectors.grammar import Name, Selector, Test
from skillbook.perception.selectors.selector_matching import find_indexes, with_number

ROWS = RECORDS | {"card"}
NAMED = (
    DIALOGS
    | LANDMARKS
    | {"group", "radiogroup", "table", "grid", "list", "listbox", "tabpanel", "toolbar", "menu", "tree"}
)
LONGEST_LABEL = 120
_MADE_ID = re.compile(r"\d{3,}|[0-9a-f]{8,}|:|^\d|__")
_MIXED = re.compile(r"\d[A-Za-z]")
_WORD = re.compile(r"[A-Za-z]{3}")
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


@dataclass(frozen=True)
class Locator:
    """Role selectors for one element, the primary one first; each names it alone on the page it was built on."""

    selectors: tuple[Selector, ...]

    def __str__(self) -> str:
        return str(self.selectors[0])


def build_locator(node: Node) -> Locator:
    """The locator of an element: role and name in as little context as needed, then what else only it has.

    Raises NoMatch: no selector names the element alone.
    """
    snapshot = node.snapshot
    selectors: list[Selector] = []
    families = (_by_name, _by_testid, _by_label, _by_property, _by_text, _by_neighbour, _by_place)
    for family in families:
        unique = next((selector for selector in family(node) if _is_unique(snapshot, selector, node)), None)
        if unique is not None and unique not in selectors:
            selectors.append(unique)
    if not selectors:
        raise NoMatch(f"no selector names {node!r} alone", hint="use its ref", candidates=[])
    return Locator(tuple(selectors))


def _is_unique(snapshot: BaseSnapshot, selector: Selector, node: Node) -> bool:
    return find_indexes(snapshot, selector) == [node.index]


def _by_name(node: Node) -> Iterator[Selector]:
    name = clean(node.label if node.actionable else node.name)
    if not name or len(name) > LONGEST_LABEL:
        return
    base = Selector("role", node.role, Name(name))
    yield from _in_context(base, node)


def _in_context(base: Selector, node: Node) -> Iterator[Selector]:
    """A selector by itself, then inside what is around the element, narrow context last."""
    yield base
    scopes = list(_scopes(node))
    for scope in scopes:
        yield replace(base, within=scope)
    for outer in scopes:
        for inner in scopes:
            if inner is not outer and inner.role in ROWS:
                yield replace(base, within=replace(inner, within=outer))
    frames = frame_path(node)
    if frames:
        yield replace(base, frames=frames)
        for scope in scopes:
            yield replace(base, within=scope, frames=frames)


def _scopes(node: Node) -> Iterator[Selector]:
    """Selectors of what is around an element: dialogs, rows by a text of theirs, landmarks, named groups."""
    around = list(node.ancestors)
    for outer in around:
        if outer.role in DIALOGS:
            yield Selector("role", outer.role, _short_name(outer))
    record = record_of(node)
    if record is not None and record.role:
        for text in record.names or record.facts:
            yield Selector("role", record.role, Name(text))
    for outer in around:
        if outer.role in LANDMARKS:
            yield Selector("role", outer.role, _short_name(outer))
    for outer in around:
        if outer.role != "form" and outer.tag == "form" and (heading := heading_of(outer)):
            yield Selector("role", "form", Name(heading))
    for outer in around:
        if outer.role in NAMED - LANDMARKS - DIALOGS and (name := _short_name(outer)):
            yield Selector("role", outer.role, name)


def _short_name(node: Node) -> Name | None:
    name = clean(node.name)
    return Name(name) if name and len(name) <= LONGEST_LABEL else None


def frame_path(node: Node) -> tuple[str, ...]:
    """The names or addresses of the frames that an element is in, outermost first."""
    parts = []
    for outer in node.ancestors:
        if outer.role == "iframe":
            document = next((d for d in node.snapshot.documents if d.owner == outer.index), None)
            part = clean(outer.name) or outer.html_name or outer.html_id or (document.url if document else "")
            if part:
                parts.append(part)
    return tuple(reversed(parts))


def frame_place(node: Node) -> str:
    """Which frames an element is in, outermost first: each by name, else by address, and which of those it is."""
    parts = []
    for outer in node.ancestors:
        if outer.role == "iframe":
            alike = [
                one
                for one in node.snapshot.nodes
                if one.role == "iframe" and _frame_name(one) == _frame_name(outer)
            ]
            place = f" {alike.index(outer) + 1} of {len(alike)}" if len(alike) > 1 else ""
            parts.append(_frame_name(outer) + place)
    return " in ".join(parts)


def _frame_name(frame: Node) -> str:
    document = next((one for one in frame.snapshot.documents if one.owner == frame.index), None)
    address = re.split(r"[?#]", document.url)[0] if document else ""
    return clean(frame.name) or frame.html_name or frame.html_id or address


def _by_testid(node: Node) -> Iterator[Selector]:
    if node.test_id:
        yield from _in_context(Selector("testid", name=Name(node.test_id)), node)


def _by_label(node: Node) -> Iterator[Selector]:
    name = clean(node.name)
    if name and len(name) <= LONGEST_LABEL and (node.role in FIELDS or "editable" in node.states):
        yield from _in_context(Selector("label", name=Name(name)), node)


def _by_property(node: Node) -> Iterator[Selector]:
    for key, value in (("placeholder", node.placeholder), ("id", node.html_id), ("href", node.href)):
        if value and len(value) <= 200 and not (key == "id" and is_made(value)):
            base = Selector("role", node.role, tests=(Test(key, Name(value)),))
            yield base
            if frames := frame_path(node):
                yield replace(base, frames=frames)


def is_made(id: str) -> bool:
    """Whether an id looks made by a script: with counters, hashes, or parts such as `a9ku` and `09pj`."""
    return bool(_MADE_ID.search(id)) or any(
        len(part) > 3 and _MIXED.search(part) and not _WORD.search(part)
        for part in re.split(r"[^A-Za-z0-9]", id)
    )


def _by_text(node: Node) -> Iterator[Selector]:
    text = "" if node.tag == "select" else node.text
    if text and len(text) <= LONGEST_LABEL:
        yield from _in_context(Selector("text", name=Name(text)), node)


def _by_neighbour(node: Node) -> Iterator[Selector]:
    """By the text that tells it from others like it."""
    record = record_of(node)
    if record is None:
        return
    bases = [Selector("role", node.role)]
    if (name := _short_name(node)) is not None:
        bases.insert(0, Selector("role", node.role, name))
    for base in bases:
        for text in record.names or record.facts:
            yield from _in_context(replace(base, beside=Name(text)), node)


def _by_place(node: Node) -> Iterator[Selector]:
    """Which of its role it is, in the narrowest thing that a selector names; else on the whole page."""
    base = Selector("role", node.role)
    for scope in [*_scopes(node), None]:
        selector = with_number(node.snapshot, replace(base, within=scope), node.index)
        if selector is not None:
            yield selector
