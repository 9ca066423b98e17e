"""What the built-in skills share: finding controls by words, and reading what a page says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote_plus

from skillbook import lexicon
from skillbook.extraction.walking.nothing_found import found_nothing
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.secrets import Secret
from skillbook.skill.model import SkillStep
from skillbook.skill.model.templates import escape
from skillbook.skill.targets.element_target import target_of

PRESSABLE = words("button link menuitem tab generic")
TEXT_FIELDS = words("textbox searchbox combobox")
_POPUPS = words("listbox option combobox menu tooltip")
_FRAME = words("navigation banner contentinfo complementary search")
_NOT_LETTERS = re.compile(r"[\W_]+")
_PLURAL_PARTS = re.compile(r"\((?:s|es)\)")


def step(command: str, node: Node | None = None, note: str = "", **params: Any) -> SkillStep:
    """A step on an element; its texts are taken as they are, but for secrets' placeholders."""
    given = {name: _literal(value) for name, value in params.items()}
    return SkillStep(command=command, target=target_of(node) if node else None, params=given, note=note)


def _literal(value: Any) -> Any:
    if isinstance(value, list):
        return [_literal(one) for one in value]
    if isinstance(value, dict):
        return {name: _literal(one) for name, one in value.items()}
    return escape(str(value)) if isinstance(value, str) and not isinstance(value, Secret) else value


def plain(text: str) -> str:
    """A label without punctuation, underscores and case: "E-mail address *" and "e_mail_address" are one."""
    return _NOT_LETTERS.sub(" ", lexicon.fold(clean(_PLURAL_PARTS.sub("", text)))).strip()


def usable(node: Node) -> bool:
    """Whether it can be acted on now."""
    return node.ref is not None and "disabled" not in node.states


def fields_for_text(snapshot: BaseSnapshot) -> Iterator[Node]:
    """The fields that a text can be typed into."""
    for node in snapshot.elements:
        typed = node.role in TEXT_FIELDS and node.tag.split(".")[0] not in {"select", "button"}
        if usable(node) and "readonly" not in node.states and (typed or "editable" in node.states):
            yield node


def of_kind(snapshot: BaseSnapshot, *kinds: str) -> list[Node]:
    """What can be pressed and says that it does one of these."""
    return [
        node
        for node in snapshot.elements
        if node.role in PRESSABLE and usable(node) and action_intent(node.label) in kinds
    ]


def says_same(node: Node, text: str) -> bool:
    """Whether an element's label is a text, but for case and punctuation."""
    return bool(plain(text)) and plain(node.label) == plain(text)


def around(node: Node, roles: Iterable[str]) -> Node | None:
    """The nearest element around one that has one of these roles."""
    wanted = set(roles)
    return next((up for up in node.ancestors if up.role in wanted), None)


def inside(node: Node) -> list[Node]:
    """Everything in an element."""
    return list(node.snapshot.nodes[node.index + 1 : node.snapshot.ends[node.index]])


def texts(snapshot: BaseSnapshot, *, popups: bool = False) -> list[str]:
    """The texts that a page shows, without fields' values and, by default, without lists that pop up."""
    found, skip_to = [], 0
    for node in snapshot.nodes:
        if node.index < skip_to:
            continue
        if not popups and node.role in _POPUPS:
            skip_to = snapshot.ends[node.index]
            continue
        if node.role == "text" or (node.role in {"link", "button", "heading"} and node.name):
            found.append(clean(node.name))
    return found


def shows_new(before: BaseSnapshot, after: BaseSnapshot, text: str, *, left: bool) -> bool:
    """Whether what came to a page has every word of a text in one piece.

    `left` also counts what is left of it, where nothing came and something went, as when a list is filtered.
    """
    wanted = plain(text).split()
    known, now = Counter(texts(before)), Counter(texts(after))
    came, went = now - known, known - now
    said = came or (now if went and left else Counter[str]())
    return bool(wanted) and any(all(word in plain(one) for word in wanted) for one in said)


def changed(before: PageSummary, after: PageSummary) -> bool:
    """Whether a page shows other texts, or is another page."""
    return moved(before, after) or texts(before.snapshot) != texts(after.snapshot)


def moved(before: PageSummary, after: PageSummary) -> bool:
    """Whether the address is another one."""
    return before.url != after.url


def address_says(url: str, text: str) -> bool:
    """Whether the query, path or fragment of an address has every word of a text."""
    said = plain(unquote_plus(url.partition("://")[2].partition("/")[2]))
    wanted = plain(text).split()
    return bool(wanted) and all(word in said for word in wanted)


_STATUS = re.compile(r"(?i)\A(?:error ?)?(?:4\d\d|5\d\d)\b")


def says_broken(summary: PageSummary) -> str:
    """What an error page says in its title or first heading; "" where it is none."""
    headings = [node.name for node in summary.snapshot.nodes if node.role == "heading"][:1]
    said = (clean(text) for text in (summary.title, *headings))
    return next((text[:80] for text in said if _STATUS.match(text) or lexicon.begins("error_page", text)), "")


def nothing_found(before: PageSummary, after: PageSummary) -> dict[str, str]:
    """The words in which a page says, and didn't before, that there is nothing, as a fact; empty where it doesn't."""
    lists = [
        one for one in find_collections(after.snapshot) if not one.minor and not around(one.node, _FRAME)
    ]
    largest = max(lists, key=lambda one: one.count, default=None)
    said = found_nothing(after.snapshot, largest.rows if largest else ())
    return {"nothing_found": said} if said and said not in texts(before.snapshot) else {}


_PART = re.compile(r"\s[-–|:]\s|[|:] ")
_LONGEST_LOADING = 40


def says_loading(summary: PageSummary) -> bool:
    """Whether a page's title or a heading says that it is still loading."""
    headings = [node.name for node in summary.snapshot.nodes if node.role == "heading"]
    parts = (part for said in (summary.title, *headings) for part in _PART.split(clean(said)))
    return any(len(part) <= _LONGEST_LOADING and lexicon.begins("loading", part) for part in parts)
