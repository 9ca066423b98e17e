"""How an element is written down so that a replay finds it again: role selectors and a fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import Name, Selector, beside_of, build_locator
from skillbook.perception.selectors.selector_matching import find_indexes
from skillbook.skill.model import StepTarget
from skillbook.skill.model.templates import escape, write_selector
from skillbook.skill.targets.control_names import is_generated
from skillbook.skill.targets.fingerprint import fingerprint_of
from skillbook.skill.targets.surroundings import keys_first, own_of, record_of


def target_of(node: Node) -> StepTarget:
    """How to find an element again: its role selectors and its fingerprint."""
    selectors = [write_selector(selector) for selector in selectors_of(node)]
    known = fingerprint_of(node)
    if own := own_of(node):
        known["own"] = own
    return StepTarget(selectors=selectors, fingerprint={key: escape(text) for key, text in known.items()})


def selectors_of(
    node: Node, unsteady: Collection[str] = (), is_input: Callable[[str], bool] = lambda _: False
) -> list[Selector]:
    """The selectors to record for an element: in its record by what that says, before names, ids and places.

    Parameters
    ----------
    unsteady : pieces of the record that differ from run to run.
    is_input : whether a piece is what an input says: that comes before whatever else tells records apart.
    """
    selectors = list(build_locator(node).selectors)
    by_tag = _name_and_tag(node)
    if by_tag is not None and not (selectors[0].kind in {"role", "label"} and selectors[0].name):
        selectors.insert(0, by_tag)
    bases = [Selector("role", node.role)]
    name = clean(node.name)
    if not is_generated(name, node.html_name, node.html_id) and len(name) <= 120:
        bases.insert(0, Selector("role", node.role, Name(name)))

    def ordered(texts: Iterable[str]) -> list[str]:
        return sorted((text for text in texts if text not in unsteady), key=lambda text: not is_input(text))

    inside: list[Selector | None] = []
    if (nearest := record_of(node)) is not None:
        item, texts = nearest
        role = "card" if item.index in node.snapshot.cards else item.role
        said = [*ordered(keys_first(item, node, texts)), clean(item.text)]
        inside = [Selector("role", role, Name(text)) for text in said if text]
    beside = beside_of(node)
    near = [Name(text) for text in ordered(beside.texts)] if beside is not None else []
    for base in bases:
        for within in inside or [None]:
            for text in [*near, None] if within is None else [None, *near]:
                selector = replace(base, beside=text, within=within)
                if (within or text) and find_indexes(node.snapshot, selector) == [node.index]:
                    return [selector, *(other for other in selectors if other != selector)]
    return selectors


def _name_and_tag(node: Node) -> Selector | None:
    """Role and name, where of all that they match this one alone has its tag, which the fingerprint says."""
    name, tags = clean(node.name), node.snapshot.columns.tag
    if not name or len(name) > 120 or is_generated(name, node.html_name, node.html_id):
        return None
    selector = Selector("role", node.role, Name(name))
    found = find_indexes(node.snapshot, selector)
    return selector if [one for one in found if tags[one] == tags[node.index]] == [node.index] else None
