"""The one node that a selector names, or an error that says what to do instead, with the nearest candidates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from skillbook.errors import AmbiguousMatch, NoMatch
from skillbook.perception.collections.collection_search import PartialList, partial_lists
from skillbook.perception.escape import MOST_NAMED, clean, quote, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import CELLS, CONTEXT, FIELDS, ITEMS, RECORDS, words
from skillbook.perception.selectors.grammar import Selector, parse_selector
from skillbook.perception.selectors.selector_matching import find_all, find_indexes
from skillbook.protocol.snapshot import State

_SHORT = 3  # characters up to which a name is compared as a whole word: a part of most labels is like it


def describe(node: Node) -> dict[str, Any]:
    """A node in a few words: ref, role, name, and what it is in."""
    # A name of characters that nobody sees is none, as for selectors.
    name = clean(node.name) or ("" if node.tag == "select" else clean(node.text))
    facts: dict[str, Any] = {"ref": node.ref, "role": node.role, "name": shorten(name, 80)}
    for outer in node.ancestors:
        if outer.role in CONTEXT:
            label = clean(outer.label if outer.role in RECORDS else outer.name)
            facts["within"] = f"{outer.role} {quote(label, 40)}" if label else outer.role
            break
    return facts


def sentence(candidates: Sequence[dict[str, Any]]) -> str:
    """Candidates as one line."""
    return "; ".join(
        # Without a name none is said: an empty one asks for an element that has neither a name nor a text.
        " ".join(
            filter(None, (facts["role"], facts["name"] and quote(facts["name"]), f"[ref={facts['ref']}]"))
        )
        + (f" in {facts['within']}" if facts.get("within") else "")
        for facts in candidates
    )


def nearest(snapshot: BaseSnapshot, selector: Selector, count: int = 5) -> list[dict[str, Any]]:
    """The elements most like what a selector names, best first."""
    from rapidfuzz import process

    columns = snapshot.columns
    same = _role_filter(selector)
    bit = int(State.ACTIONABLE)
    pool = [
        index
        for index, flags in enumerate(columns.flags)
        if (flags & bit or same(columns.role[index])) and columns.role[index] != "text"
    ]
    if selector.name is None or selector.kind in {"css", "testid"}:
        chosen = [index for index in pool if same(columns.role[index])] or pool
        return [describe(snapshot.nodes[index]) for index in chosen[:count]]
    labels = {index: clean(columns.name[index] or snapshot.text_of(index))[:200] for index in pool}
    wanted = clean(selector.name.text).casefold()
    scored = process.extract(
        wanted, labels, scorer=_likeness, processor=str.casefold, limit=4 * count, score_cutoff=45
    )
    ranked = sorted(scored, key=lambda hit: (-hit[1] - (15 if same(columns.role[hit[2]]) else 0), hit[2]))
    if not ranked:
        # Nothing is like it; where there are few of the role, they are told.
        of_role = [index for index in pool if same(columns.role[index])]
        ranked = [("", 0.0, index) for index in of_role] if len(of_role) <= count else []
    return [describe(snapshot.nodes[index]) for _, _, index in ranked[:count]]


def _likeness(wanted: str, label: str, *, score_cutoff: float | None = None) -> float:
    """How like two names are, from 0 to 100."""
    from rapidfuzz import fuzz

    if len(wanted) > _SHORT or not wanted.isascii():
        return fuzz.WRatio(wanted, label, score_cutoff=score_cutoff)
    if wanted in re.findall(r"\w+", label):
        return 90.0 - min(len(label), 40)
    return fuzz.ratio(wanted, label, score_cutoff=score_cutoff)


def _role_filter(selector: Selector) -> Any:
    if selector.kind == "label":
        return lambda role: role in FIELDS
    if selector.kind == "role" and selector.role != "any":
        return lambda role: role == selector.role
    return lambda role: True


_ITEMS = CELLS | ITEMS | words("row option treeitem menuitem menuitemcheckbox menuitemradio")


def find_one(snapshot: BaseSnapshot, selector: str | Selector) -> Node:
    """The one node that a selector names.

    Raises NoMatch, AmbiguousMatch: with the nearest candidates in `data["candidates"]`.
    """
    parsed = parse_selector(selector) if isinstance(selector, str) else selector
    found = find_all(snapshot, parsed)
    if len(found) == 1:
        return found[0]
    if not found:
        candidates = nearest(snapshot, parsed)
        hint = f"the nearest are {sentence(candidates)}" if candidates else "take a new snapshot"
        if (part := _by_part_of_the_name(snapshot, parsed)) is not None:
            hint = f"{part} matches, by a part of the name; {hint}"
        lists = lists_that_may_hold(snapshot, parsed)
        if lists:
            listed = "; ".join(map(str, lists[:MOST_NAMED]))
            hint = f"{listed}: scroll it until the target is there; {hint}"
        partial = [{"ref": each.node.ref, "shown": len(each.items), "total": each.total} for each in lists]
        data = {"candidates": candidates, "partial_lists": partial} if partial else {"candidates": candidates}
        raise NoMatch(f"nothing matches {parsed}", hint=hint, selector=str(parsed), **data)
    candidates = [describe(node) for node in found[:8]]
    raise AmbiguousMatch(
        f"{len(found)} elements match {parsed}: {sentence(candidates)}",
        selector=str(parsed),
        count=len(found),
        candidates=candidates,
    )


def lists_that_may_hold(snapshot: BaseSnapshot, selector: Selector) -> list[PartialList]:
    """Lists that show a part of their items, of which a selector may name one that isn't there, or something in one."""
    found = partial_lists(snapshot)
    if not found:
        return []
    roles: set[str] = set()
    around: set[int] = set()
    at: Selector | None = selector
    while at is not None:
        roles.add(at.role or "")
        at = at.within
        if at is not None:
            around.update(find_indexes(snapshot, at))
    return [each for each in found if roles & each.roles & _ITEMS or each.node.index in around]


def _by_part_of_the_name(snapshot: BaseSnapshot, selector: Selector) -> Selector | None:
    """The selector with `~` before its name, where that names one element."""
    if selector.name is None or selector.name.mode != "exact" or selector.kind in {"css", "testid"}:
        return None
    if not selector.name.text:
        return None
    part = replace(selector, name=replace(selector.name, mode="includes"))
    return part if len(find_indexes(snapshot, part)) == 1 else None
