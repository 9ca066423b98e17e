"""What every built-in skill is: match a page, find controls by words, plan steps, verify what came of them.

A skill binds in stages: each reads the page as it is, names the controls it surely means, and does a few steps with
them. The next stage reads the page anew. What can't be told apart is refused with its candidates.

Source: Browser Copilot technical specification, section 10, skill interface (match, bind, plan, effects).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from urllib.parse import unquote_plus

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.extraction.walking.nothing_found import found_nothing
from skillbook.perception.action_intent import action_intent
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.selectors.locator import build_locator
from skillbook.perception.summary import PageSummary
from skillbook.policy.labels import danger_of
from skillbook.policy.secrets import Secret
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.model.templates import escape, over_texts
from skillbook.skill.targets.element_target import target_of
from skillbook.skill.targets.healing import say

Params = Mapping[str, Any]
LEAST, MARGIN, MOST_CANDIDATES = 0.5, 0.1, 5


@dataclass(frozen=True)
class Candidate:
    """A control that a slot may be.

    label: role and name; page text, untrusted.
    kind: what it does by its words, where that is known.
    confidence: 0 to 1.
    risk: what its words say it does that can't be undone, such as `buy`; "" for nothing.
    """

    ref: str
    selector: str
    alternatives: tuple[str, ...]
    label: str
    kind: str | None
    confidence: float
    why: str = ""
    risk: str = ""

    @classmethod
    def of(cls, node: Node, confidence: float, why: str = "") -> Candidate:
        """The candidate that a node is."""
        selector, *others = (str(one) for one in build_locator(node).selectors)
        kind = action_intent(node.label, node.href)
        risk = danger_of(node.label, anywhere=False) or ""
        return cls(str(node.ref), selector, tuple(others), say(node), kind, round(confidence, 2), why, risk)


@dataclass(frozen=True)
class Refusal:
    """Why a skill doesn't bind to a page.

    slot: which part it could not tell, "" where the page as a whole doesn't fit.
    candidates: what the part may be, best first; empty where there is nothing.
    """

    reason: str
    slot: str = ""
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Slots:
    """The controls that one stage of a skill acts on.

    stage: what the stage does, such as `open` or `submit`.
    last: whether the skill is done once this stage's effects are verified.
    facts: what else the plan and the verification need to know.
    """

    nodes: Mapping[str, Node]
    stage: str = "do"
    last: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, slot: str) -> Node:
        return self.nodes[slot]


@dataclass(frozen=True)
class Details:
    """What a stage binds to.

    chosen: refs by slot, where a person or a scout chose among candidates.
    done: the stages that this run has done already.
    first: the page as it was when the run began.
    """

    summary: PageSummary
    chosen: Mapping[str, str] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    first: PageSummary | None = None

    def pick(self, slot: str, scored: Iterable[tuple[float, Node]], what: str) -> Node:
        """The one control that is surely meant.

        scored: candidates with their scores, 0 to 1.
        what: what is looked for, in words.
        Raises Unbound: none scores enough, or two are too near to each other.
        """
        found = sorted(scored, key=lambda one: (-one[0], one[1].index))
        if slot in self.chosen:
            chosen = next((node for _, node in found if node.ref == self.chosen[slot]), None)
            if chosen is not None:
                return chosen
        good = [(score, node) for score, node in found if score >= LEAST]
        if not good:
            raise Unbound(Refusal(f"there is no {what} on this page", slot, candidates_of(found)))
        score, best = good[0]
        rivals = [node for other, node in good[1:] if score - other < MARGIN and not _same(best, node)]
        if rivals:
            reason = f"there are {len(rivals) + 1} controls that may be the {what}"
            raise Unbound(Refusal(reason, slot, candidates_of(good)))
        return best


def candidates_of(scored: Sequence[tuple[float, Node]]) -> tuple[Candidate, ...]:
    """The best few, as a refusal shows them."""
    return tuple(Candidate.of(node, score) for score, node in scored[:MOST_CANDIDATES] if node.ref)


def _same(one: Node, other: Node) -> bool:
    """Whether it doesn't matter which is pressed: one is inside the other, or they are links to one address."""
    ends = one.snapshot.ends
    if one.index < other.index < ends[one.index] or other.index < one.index < ends[other.index]:
        return True
    return bool(one.href) and one.href == other.href and one.label.casefold() == other.label.casefold()


class Unbound(Exception):
    """Raised inside of `bind` with the refusal that it returns."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


def refuse(reason: str, slot: str = "", among: Sequence[tuple[float, Node]] = ()) -> Unbound:
    """The exception for a refusal."""
    return Unbound(Refusal(reason, slot, candidates_of(among)))


class Chooser(Protocol):
    """Answers a refusal with the ref of one of its candidates, or None: a scout, or a person."""

    async def __call__(self, page: Any, refusal: Refusal) -> str | None:
        """The ref of the candidate that is meant; None for none."""


class BuiltinSkill(ABC):
    """A skill that comes with skillbook and works on pages that nobody recorded.

    approves: which dangers running it approves by itself, because they are what it is for ("credentials", "cancel").
    sends: whether running it approves that requests go to the page's own site.
    hidden: inputs whose values no result keeps.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    inputs: ClassVar[tuple[SkillInput, ...]] = ()
    approves: ClassVar[frozenset[str]] = frozenset()
    sends: ClassVar[bool] = False
    hidden: ClassVar[frozenset[str]] = frozenset()
    most_stages: ClassVar[int] = 4

    @abstractmethod
    def params_of(self, goal: str) -> Params | None:
        """The parameters that a goal in words names; None where the goal isn't this skill's."""

    def match(self, summary: PageSummary, params: Params) -> float:
        """How surely the skill can be run on a page, 0 to 1; 0 where it doesn't bind."""
        bound = self.bind(Details(summary), params)
        if isinstance(bound, Slots):
            return 0.9
        return 0.3 if bound.candidates else 0.0

    def bind(self, details: Details, params: Params) -> Slots | Refusal:
        """The controls that the next stage acts on, or why they can't be told."""
        try:
            return self.slots(details, params)
        except Unbound as unbound:
            return unbound.refusal

    @abstractmethod
    def slots(self, details: Details, params: Params) -> Slots:
        """As `bind`."""

    @abstractmethod
    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """The steps of a stage."""

    @abstractmethod
    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Why a stage can't count as done by what the page shows; "" where it did what it is for."""

    def failed(self, after: PageSummary, slots: Slots, params: Params) -> str:
        """What the page says went wrong, so that nothing more is waited for; "" where it says nothing."""
        return ""

    def answer(self, before: PageSummary, after: PageSummary, slots: Slots) -> Mapping[str, str]:
        """What the page answers, by name, once a stage's effects are verified, such as that nothing was found."""
        return {}

    def instead(self, slots: Slots, failed: SkillStep, error: SkillbookError) -> Slots | None:
        """What a stage acts on where one of its steps failed in a way that another may not; None for nothing else."""
        return None


PRESSABLE = words("button link menuitem tab generic")
TEXT_FIELDS = words("textbox searchbox combobox")
_POPUPS = words("listbox option combobox menu tooltip")
_FRAME = words("navigation banner contentinfo complementary search")
_NOT_LETTERS = re.compile(r"[\W_]+")
_PLURAL_PARTS = re.compile(r"\((?:s|es)\)")


def step(command: str, node: Node | None = None, note: str = "", **params: Any) -> SkillStep:
    """A step on an element; its texts are taken as they are, but for secrets' placeholders."""
    given = over_texts(params, lambda text: text if isinstance(text, Secret) else escape(text))
    return SkillStep(command=command, target=target_of(node) if node else None, params=given, note=note)


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


def texts(snapshot: BaseSnapshot) -> list[str]:
    """The texts that a page shows, without fields' values and lists that pop up."""
    found, skip_to = [], 0
    for node in snapshot.nodes:
        if node.index < skip_to:
            continue
        if node.role in _POPUPS:
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
    changed = came or (now if went and left else Counter[str]())
    return bool(wanted) and any(all(word in plain(one) for word in wanted) for one in changed)


def changed(before: PageSummary, after: PageSummary) -> bool:
    """Whether a page shows other texts, or is another page."""
    return moved(before, after) or texts(before.snapshot) != texts(after.snapshot)


def moved(before: PageSummary, after: PageSummary) -> bool:
    """Whether the address is another one."""
    return before.url != after.url


def address_says(url: str, text: str) -> bool:
    """Whether the query, path or fragment of an address has every word of a text."""
    words = plain(unquote_plus(url.partition("://")[2].partition("/")[2]))
    wanted = plain(text).split()
    return bool(wanted) and all(word in words for word in wanted)


_STATUS = re.compile(r"(?i)\A(?:error ?)?(?:4\d\d|5\d\d)\b")


def says_broken(summary: PageSummary) -> str:
    """What an error page says in its title or first heading; "" where it is none."""
    headings = [node.name for node in summary.snapshot.nodes if node.role == "heading"][:1]
    texts = (clean(text) for text in (summary.title, *headings))
    return next(
        (text[:80] for text in texts if _STATUS.match(text) or lexicon.begins("error_page", text)), ""
    )


def nothing_found(before: PageSummary, after: PageSummary) -> dict[str, str]:
    """The words in which a page says, and didn't before, that there is nothing, as a fact; empty where it doesn't."""
    lists = [
        one for one in find_collections(after.snapshot) if not one.minor and not around(one.node, _FRAME)
    ]
    largest = max(lists, key=lambda one: one.count, default=None)
    message = found_nothing(after.snapshot, largest.rows if largest else ())
    return {"nothing_found": message} if message and message not in texts(before.snapshot) else {}


_PART = re.compile(r"\s[-–|:]\s|[|:] ")
_LONGEST_LOADING = 40


def says_loading(summary: PageSummary) -> bool:
    """Whether a page's title or a heading says that it is still loading."""
    headings = [node.name for node in summary.snapshot.nodes if node.role == "heading"]
    parts = (part for text in (summary.title, *headings) for part in _PART.split(clean(text)))
    return any(len(part) <= _LONGEST_LOADING and lexicon.begins("loading", part) for part in parts)
