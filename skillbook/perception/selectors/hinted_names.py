"""A site's hints on one snapshot: which controls they name, and which parts of the page they leave out.

A hint counts only where its selector matches as it was meant. Names that the page itself gives come first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from skillbook.errors import AmbiguousMatch, NoMatch, SelectorError
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.selectors.grammar import Selector, parse_selector
from skillbook.perception.selectors.one_match import describe, find_one, sentence
from skillbook.perception.selectors.selector_matching import find_all, find_indexes


def hinted_names(snapshot: BaseSnapshot) -> Mapping[int, str]:
    """The names that hints give to controls without name or text, by index, where a selector matches nothing else."""
    found = {}
    for selector, name in snapshot.hints.names.items() if snapshot.hints else ():
        node = only_match(snapshot, selector)
        if node is not None and node.ref and node.actionable and not clean(node.label):
            found[node.index] = name
    return found


def ignored_parts(snapshot: BaseSnapshot) -> tuple[range, ...]:
    """The nodes of each part of the page that hints leave out."""
    selectors = snapshot.hints.ignore if snapshot.hints else ()
    matched = sorted({index for selector in selectors for index in _matches(snapshot, selector)})
    return tuple(range(index, snapshot.ends[index]) for index in matched)


def only_match(snapshot: BaseSnapshot, selector: str) -> Node | None:
    """The one node that a hint's selector matches; None if it matches none or several."""
    found = _matches(snapshot, selector)
    return snapshot.nodes[found[0]] if len(found) == 1 else None


def find_named(snapshot: BaseSnapshot, selector: str | Selector) -> Node:
    """The one node that a selector names, by a hint's name only if no name on the page fits.

    Raises NoMatch, AmbiguousMatch: with the nearest candidates in `data["candidates"]`.
    """
    try:
        return find_one(snapshot, selector)
    except NoMatch:
        found = _by_hint(snapshot, selector)
        if not found:
            raise
    if len(found) == 1:
        return found[0]
    candidates = [describe(node) for node in found]
    raise AmbiguousMatch(
        f"{len(found)} elements have the hint that {selector} names: {sentence(candidates)}",
        selector=str(selector),
        count=len(found),
        candidates=candidates,
    )


def find_all_named(snapshot: BaseSnapshot, selector: str | Selector) -> list[Node]:
    """Every node that a selector names, by a hint's name only if no name on the page fits."""
    return find_all(snapshot, selector) or _by_hint(snapshot, selector)


def _by_hint(snapshot: BaseSnapshot, selector: str | Selector) -> list[Node]:
    hinted = snapshot.hinted_names
    if not hinted:
        return []
    names = [hinted.get(index, name) for index, name in enumerate(snapshot.columns.name)]
    with_hints = BaseSnapshot(replace(snapshot.columns, name=names), css=snapshot.css)
    parsed = parse_selector(selector) if isinstance(selector, str) else selector
    return [snapshot.nodes[index] for index in find_indexes(with_hints, parsed) if index in hinted]


def _matches(snapshot: BaseSnapshot, selector: str) -> list[int]:
    """What a hint's selector matches in the documents of its origin."""
    assert snapshot.hints is not None
    site = f"{snapshot.hints.origin}/"
    try:
        found = find_indexes(snapshot, parse_selector(selector))
    except SelectorError:
        return []
    return [index for index in found if snapshot.columns.document_at(index).url.startswith(site)]
