"""How an element is written down so that a replay finds it again: role selectors, names, and a fingerprint.

A name that has a content word more, less or other is another control: "New password" is not "Password".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from rapidfuzz import fuzz

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records import record_of
from skillbook.perception.records.record_pieces import plain
from skillbook.perception.records.same_record import lasting_heading
from skillbook.perception.roles import FIELDS, LANDMARKS, RECORDS
from skillbook.perception.selectors import GROUPS, Name, Selector, build_locator, frame_place
from skillbook.perception.selectors.selector_matching import find_indexes
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.model.templates import escape, write_selector
from skillbook.skill.targets.surroundings import (
    PARTS,
    date_of,
    language_of,
    layer_of,
    place_of,
    texts_around,
    write_record,
)

Likeness = Literal["same", "synonym", "other"]
_FREELY = (
    *("login", "logout", "search", "password", "username", "full_name", "email", "phone", "street", "city"),
    *("country", "quantity", "cart", "add_to_cart"),
)
"""Meanings of which all words say the same."""
_TRANSLATED = (
    *("save", "delete", "remove", "cancel", "send", "submit", "edit", "close", "pay", "register", "settings"),
    *("help", "next_page", "previous_page", "add", "create", "today"),
)
"""Meanings whose words differ within a language: "close account" is no "delete", but "löschen" is."""


@cache
def _silent() -> frozenset[str]:
    """Words that name nothing; `plain` writes "#" for a count and for how long ago something was."""
    words = [*lexicon.words("article"), *lexicon.words("polite")]
    return frozenset({"#", *map(lexicon.bare, words)})


def words_of(name: str) -> list[str]:
    """The content words of a name, in order."""
    text = lexicon.bare(plain(name))
    return [word for word in re.findall(r"[\w#+-]+", text.replace("-", " ")) if word not in _silent()]


def _joined(name: str) -> str:
    return "".join(words_of(name))


@cache
def _languages() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Each name without blanks, its meanings, and the languages in which it has them; synonyms are of none."""
    found: dict[str, dict[str, set[str]]] = {}
    for meaning in (*_FREELY, *_TRANSLATED):
        for language in lexicon.languages():
            for word in lexicon.words(meaning, language):
                found.setdefault(_joined(word), {}).setdefault(meaning, set()).add(language)
    for number, same in enumerate(lexicon.synonyms()):
        for word in same:
            found.setdefault(_joined(word), {})[f"pair {number}"] = set()
    return {
        name: {meaning: frozenset(codes) for meaning, codes in meanings.items()}
        for name, meanings in found.items()
    }


def _are_synonyms(one: str, other: str) -> bool:
    """Whether two names without blanks say the same: freely, or in two languages."""
    first, then = _languages().get(one, {}), _languages().get(other, {})
    return any(
        meaning in _FREELY or not first[meaning] & then[meaning] for meaning in first.keys() & then.keys()
    )


def likeness(recorded: str, now: str) -> Likeness:
    """How one control's name relates to another's."""
    first, then = words_of(recorded), words_of(now)
    joined, joined_now = "".join(first), "".join(then)
    if not first or not then:
        return "same" if plain(recorded) == plain(now) else "other"
    if joined == joined_now:
        return "same"
    if _are_synonyms(joined, joined_now):
        return "synonym"
    if len(first) == len(then) and all(
        one == other or _are_synonyms(one, other) for one, other in zip(first, then, strict=True)
    ):
        return "synonym"
    return "other"


def is_generated(name: str, html_name: str | None, html_id: str | None) -> bool:
    """Whether a name is no name of the element: it has none, or only what the markup calls it."""
    return not name or name in {html_name, html_id}


def skeleton(text: str) -> str:
    """A generated name without its numbers: "form-37-stock" and "form-38-stock" have the same."""
    return re.sub(r"\d+", "#", text)


WEIGHTS = {
    "role": 2.0,
    "name": 4.0,
    "test_id": 4.0,
    "html_id": 2.5,
    "html_name": 2.5,
    "placeholder": 2.0,
    "type": 1.0,
    "tag": 0.5,
    "href": 1.5,
    "landmark": 1.0,
    "inside": 2.0,
    "row": 3.0,
    "before": 1.0,
    "after": 1.0,
}
SHARED = {"role", "type", "tag", "landmark", "inside", "layer", "frame", "date", "language"}
"""What elements of one kind have in common, so that it says nothing of which one it is."""
NEIGHBOURS = {"before", "after"}
_FUZZY = {"name", "placeholder", "href", "inside", "row", "before", "after"}
LONGEST = 120
_NEAR = 40
_SCOPES = GROUPS | LANDMARKS | RECORDS | {"toolbar", "menu"}


def fingerprint_of(node: Node, others: Sequence[BaseSnapshot] = ()) -> dict[str, str]:
    """What is remembered of an element: names, attributes and what is around it; never its own value.

    One without a name has the name "", and its place among those of its role.

    others: snapshots that show what around it varies.
    """
    facts = {
        "role": node.role,
        "test_id": node.test_id,
        "html_id": node.html_id,
        "html_name": node.html_name,
        "placeholder": node.placeholder,
        "type": node.type,
        "tag": node.tag,
        "href": node.href,
        "landmark": node.landmark,
        "inside": next((up.name for up in node.ancestors if up.role in GROUPS and up.name), None),
        "heading": lasting_heading(node, others),
        "layer": layer_of(node),
        "language": language_of(node),
        "date": date_of(node),
        "frame": frame_place(node),
        "before": _neighbour(node, -1),
        "after": _neighbour(node, 1),
    }
    known = {key: clean(text)[:LONGEST] for key, text in facts.items() if text and clean(text)}
    known["name"] = clean(name_of(node))[:LONGEST]
    if not known["name"]:
        known["place"] = place_among_alike(node)
    known |= {key: write_record(texts) for key in PARTS if (texts := texts_around(key, node))}
    if place := place_of(node):
        known["record_place"] = place
    return known


def name_of(node: Node) -> str:
    """What an element is called: a field's text is what it holds, and no name of it."""
    return node.name if node.role in FIELDS else node.label


def place_among_alike(node: Node) -> str:
    """Which of the elements of its role it is in the group, section or row around it, as "2 of 5"."""
    snapshot, columns = node.snapshot, node.snapshot.columns
    scope = next((up for up in node.ancestors if up.role in _SCOPES), None)
    first, end = (scope.index + 1, snapshot.ends[scope.index]) if scope is not None else (0, len(snapshot))
    alike = [index for index in range(first, end) if columns.role[index] == node.role]
    return f"{alike.index(node.index) + 1} of {len(alike)}"


def _neighbour(node: Node, step: int) -> str | None:
    """The label of the nearest other actionable element before or after it."""
    snapshot, end = node.snapshot, node.snapshot.ends[node.index]
    index = node.index - 1 if step < 0 else end
    for _ in range(_NEAR):
        if not 0 <= index < len(snapshot):
            return None
        other = snapshot.nodes[index]
        if other.actionable and not index < node.index < snapshot.ends[index]:
            return other.label
        index += step
    return None


def similarity(fingerprint: Mapping[str, str], node: Node) -> float:
    """How much an element is like what was remembered, from 0 to 1."""
    if fingerprint.get("role", node.role) != node.role and not node.actionable:
        return 0.0
    now = fingerprint_of(node)
    total = reached = 0.0
    for key, weight in WEIGHTS.items():
        wanted = fingerprint.get(key)
        if not wanted:
            continue
        total += weight
        current = now.get(key)
        if not current:
            continue
        if key in _FUZZY:
            reached += weight * fuzz.ratio(wanted.casefold(), current.casefold()) / 100
        else:
            reached += weight * (wanted == current)
    return reached / total if total else 0.0


def target_of(node: Node) -> StepTarget:
    """How to find an element again: its role selectors and its fingerprint."""
    selectors = [write_selector(selector) for selector in selectors_of(node)]
    known = fingerprint_of(node)
    return StepTarget(selectors=selectors, fingerprint={key: escape(text) for key, text in known.items()})


def selectors_of(
    node: Node, unsteady: Collection[str] = (), is_input: Callable[[str], bool] = lambda _: False
) -> list[Selector]:
    """The selectors to record for an element: in its record by what that says, before names, ids and places.

    unsteady: pieces of the record that differ from run to run.
    is_input: whether a piece is what an input says: that comes before whatever else tells records apart.
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

    record = record_of(node)
    texts = ordered(record.texts) if record is not None else []
    contexts: list[dict[str, Any]] = [{"beside": Name(text)} for text in texts]
    if record is not None and record.role:
        names = [*texts, clean(node.snapshot.nodes[record.index].text)]
        scopes = [Selector("role", record.role, Name(text)) for text in names if text]
        contexts = [*({"within": scope} for scope in scopes), *contexts]
    for base in bases:
        for context in contexts:
            selector = replace(base, **context)
            if find_indexes(node.snapshot, selector) == [node.index]:
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
