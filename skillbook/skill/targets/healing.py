"""Finding a step's target: the primary selector, else the other selectors, the fingerprint, a model, and a person.

An answer counts only where it is sure: one candidate, clearly ahead of the next. Else the step is refused with the
candidates, and nothing is touched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from skillbook.errors import CommandTimeout, NoMatch, ReplayFailed, SelectorError, SkillbookError, StaleRef
from skillbook.limits import CAUSE_SECONDS, PAGE_SECONDS, PRESENT_SECONDS, READ_SECONDS
from skillbook.perception.escape import clean, shorten
from skillbook.perception.nodes import Node
from skillbook.perception.records import ChangedFact
from skillbook.perception.records.record_table import is_record
from skillbook.perception.roles import RECORDS
from skillbook.perception.selectors import build_locator, find_all, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.page_search import ListSearch, counts
from skillbook.session.actions.shown_page import visible_to_ai
from skillbook.session.page.page_rest import Looking
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.model.templates import Value, depends_on_input, fill_selector, fill_text, placeholders
from skillbook.skill.targets.element_target import (
    LONGEST,
    NEIGHBOURS,
    Likeness,
    fingerprint_of,
    is_generated,
    likeness,
    name_of,
    place_among_alike,
    similarity,
    skeleton,
)
from skillbook.skill.targets.surroundings import differences, has_record, verdict_of

SURE = 0.6
MARGIN = 0.12
_MOVING = {"page_navigated", "page_unreachable", "timeout"}
_OF_ITS_OWN = ("test_id", "html_id", "html_name", "href")
_SAME_CONTROL = (*_OF_ITS_OWN, "role", "type", "tag")


How = Literal["locator", "alternative", "ranking", "model", "person", ""]
"""By what a target was found."""


class Healer(Protocol):
    """Picks the element that a step means, where code alone can't."""

    async def __call__(
        self, wanted: StepTarget, note: str, snapshot: Snapshot, candidates: list[Node]
    ) -> str | None:
        """Return the ref of the element, or None where none is it."""


LetPoint = Callable[[PageDriver, "Wanted", str], Awaitable[Node | None]]
"""Lets a person point at the element that a step means; given the page, what is wanted, and the step in words."""


@dataclass(frozen=True)
class Found:
    """A target and how it was found."""

    node: Node
    how: How
    why: str = ""
    score: float | None = None
    """How like the recorded element it is, from 0 to 1; None where it was found as recorded, or chosen."""
    changed: tuple[ChangedFact, ...] = ()
    """Keys of its record that were others, and say nothing."""
    unsteady: frozenset[str] = frozenset()
    """The kinds of these keys."""


LookAgain = Callable[[PageDriver, "Wanted", Snapshot], Awaitable[Found | None]]
"""Finds the element that a step means by what a second load of the page shows; given the page, and what is wanted."""


@dataclass(frozen=True)
class Wanted:
    """A step's target with the run's inputs filled in."""

    target: StepTarget
    selectors: tuple[str, ...]
    fingerprint: Mapping[str, str]

    @property
    def by_input(self) -> bool:
        """Whether an input says which element it is."""
        return depends_on_input(*self.target.selectors)

    @property
    def name(self) -> str | None:
        """What it was called: "" where it had no name, None where the file doesn't say."""
        recorded = self.fingerprint.get("name")
        if recorded is not None:
            return recorded
        primary = parse_selector(self.selectors[0])
        exact = (
            primary.kind in {"role", "label"} and primary.name is not None and primary.name.mode == "exact"
        )
        return primary.name.text if exact and primary.name is not None else None

    def differences(self, node: Node) -> list[str]:
        """What around an element, or its name, is not as recorded; each with what was and what is."""
        compared = None
        if self.by_input:
            compared = [
                key
                for key, text in self.target.fingerprint.items()
                if next(placeholders(text), None) is not None
            ]
        found = differences(self.fingerprint, node, compared)
        if self.likeness(node) == "other":
            found.append(f"its name was {self.name!r} and is {name_of(node)!r}")
        if self._is_by_number(node):
            found.append(
                "css and nth count all elements now, and the file doesn't say in which record it was; write "
                f"{_spelling(node)}"
            )
        unnamed = not self.name and "place" in self.fingerprint and not has_record(self.fingerprint)
        if unnamed and not self.keeps_mark(node):
            found += self._moved(node)
        return found

    def _is_by_number(self, node: Node) -> bool:
        """Whether a recorded element in one of several records is known by css or a number alone.

        A file of an earlier version may be so: those counted other elements.
        """
        primary = parse_selector(self.selectors[0])
        says_record = has_record(self.fingerprint) or "record_place" in self.fingerprint
        return (
            (primary.kind == "css" or counts(primary))
            and bool(self.fingerprint)
            and not says_record
            and any(is_record(up) for up in node.ancestors)
        )

    def changes(self, node: Node) -> tuple[ChangedFact, ...]:
        """What the element's record says otherwise than when it was recorded; nothing where an input names it."""
        verdict = None if self.by_input else verdict_of(self.fingerprint, node)
        return verdict.changed if verdict is not None and verdict.is_same else ()

    def _moved(self, node: Node) -> list[str]:
        """What is another around an element that only its place says which it is."""
        now = {"place": place_among_alike(node), **{key: fingerprint_of(node).get(key) for key in NEIGHBOURS}}
        words = {"place": "its place was", "before": "before it was", "after": "after it was"}
        return [
            f"{words[key]} {self.fingerprint.get(key)!r} and is {now[key]!r}"
            for key in words
            if self.fingerprint.get(key) != now[key]
        ]

    def keeps_mark(self, node: Node) -> bool:
        """Whether an element has an id, form name or link of the recorded one that no counter made."""
        marks = (getattr(node, key) for key in _OF_ITS_OWN if self._keeps(node, key))
        return any(not re.search(r"\d", mark or "") for mark in marks)

    def _keeps(self, node: Node, key: str) -> bool:
        return key in self.fingerprint and self.fingerprint[key] == getattr(node, key)

    def likeness(self, node: Node) -> Likeness:
        """How an element's name relates to the recorded one; a generated one counts as the same inside its record."""
        recorded, now = self.name, clean(name_of(node))
        if recorded is None or (now and now == self.fingerprint.get("name_under_mouse")):
            return "same"
        if not recorded or not now:
            return "same" if recorded == now or self.keeps_mark(node) else "other"
        if is_generated(recorded, self.fingerprint.get("html_name"), self.fingerprint.get("html_id")):
            alike = skeleton(recorded) == skeleton(now) and has_record(self.fingerprint)
            return "same" if alike or recorded == now else "other"
        return likeness(recorded, now[:LONGEST])

    def is_sure(self, node: Node) -> bool:
        """Whether an element can't but be the recorded one, so that no later one is waited for."""
        if self.differences(node) or node.role != self.fingerprint.get("role"):
            return False
        kept = self._keeps(node, "test_id") or self._keeps(node, "html_id")
        return kept or (self.likeness(node) == "same" and bool(self.name))

    @classmethod
    def of(cls, target: StepTarget, inputs: Mapping[str, Value]) -> Wanted:
        """Fill in the inputs."""
        selectors = tuple(fill_selector(selector, inputs) for selector in target.selectors)
        return cls(
            target, selectors, {key: fill_text(text, inputs) for key, text in target.fingerprint.items()}
        )


async def find_target(
    driver: PageDriver,
    wanted: Wanted,
    *,
    note: str = "",
    look_again: LookAgain | None = None,
    healer: Healer | None = None,
    let_point: LetPoint | None = None,
    seconds: float = CAUSE_SECONDS,
) -> Found:
    """Find a step's target on the page as it is now.

    The primary selector is waited for as long as checks wait, `seconds`: only then is anything else taken for it. An
    element that can't but be the recorded one is taken once the page is at rest, and where nothing may be it, that is
    said then.

    look_again: loads the page once more where a record has another key than the recorded one.
    healer: is asked where code alone finds no sure candidate.
    let_point: lets a person point, where the healer found none either; wherever they point is it.
    Raises ReplayFailed: no single sure candidate; the nearest are in `data["candidates"]`.
    """
    started = time.monotonic()
    deadline = started + seconds
    standing = Looking(driver, seconds)
    search = _list_search(driver, wanted)
    just_read = driver.just_read(wanted.selectors)
    while True:
        snapshot = just_read or await _look(driver, wanted.selectors, deadline)
        first = _first_matches(snapshot, wanted)
        if (as_recorded := _as_recorded(snapshot, wanted, first)) is not None:
            return Found(as_recorded, "locator")
        if just_read is not None:  # it finds what was recorded, and decides nothing else
            just_read = None
            continue
        found, ranked = choose(snapshot, wanted)
        if found is None and not first and search is not None:
            looked_until = max(deadline, started + PAGE_SECONDS)
            if await search.scroll_on(snapshot, looked_until):
                continue
        sure = found.node.ref if found is not None and wanted.is_sure(found.node) else None
        left = deadline - time.monotonic()
        if sure is not None and not await standing.again(snapshot):
            break
        if left <= 0:
            break
        if found is None:  # it is refused, which takes no more proof than that nothing comes
            if not await standing.more_comes(snapshot):
                break
        elif sure is None and not await driver.changed_since(snapshot, left):
            break
    if found is None and look_again is not None:
        found = await look_again(driver, wanted, snapshot)
    if found is None and healer is not None:
        seen = visible_to_ai(driver, snapshot)
        candidates = [seen[node.ref] for _, node in ranked if node.ref and node.ref in seen][:8]
        ref = await healer(wanted.target, note, seen, candidates)
        if ref is not None and ref in snapshot and not _elsewhere(wanted, snapshot[ref]):
            return Found(snapshot[ref], "model", f"{wanted.selectors[0]} is not on the page; the model chose")
    if found is None and let_point is not None:
        node = await let_point(driver, wanted, note)
        if node is not None and node.ref is not None:
            return Found(node, "person", f"{wanted.selectors[0]} is not surely on the page; a person pointed")
    if found is None:
        raise refusal(wanted, snapshot, ranked, len(first))
    return found


def _spelling(node: Node) -> str:
    try:
        return str(build_locator(node))
    except NoMatch:
        return "a selector that names the record"


def _list_search(driver: PageDriver, wanted: Wanted) -> ListSearch | None:
    """Looks through a list that shows a part of its items, where the target is one of them."""
    try:
        return ListSearch(driver, parse_selector(wanted.selectors[0]))
    except SelectorError:
        return None


def find_now(snapshot: Snapshot, wanted: Wanted) -> Found | None:
    """What a step's target is on a page that is at rest; None where `find_target` would refuse."""
    as_recorded = _as_recorded(snapshot, wanted, _first_matches(snapshot, wanted))
    return Found(as_recorded, "locator") if as_recorded is not None else choose(snapshot, wanted)[0]


def _as_recorded(snapshot: Snapshot, wanted: Wanted, first: list[Node]) -> Node | None:
    """The one element that the primary selector matches, in its place; also by its name under the mouse."""
    if not first and "name_under_mouse" in wanted.fingerprint:
        first = _matches(snapshot, wanted.selectors[-1])
    return first[0] if len(first) == 1 and not wanted.differences(first[0]) else None


async def _look(driver: PageDriver, selectors: Sequence[str], deadline: float) -> Snapshot:
    while True:
        try:
            left = max(deadline - time.monotonic(), READ_SECONDS)
            return await driver.snapshot_for(*selectors, texts=False, timeout=left)
        except SkillbookError as error:
            if error.code not in _MOVING or time.monotonic() >= deadline:
                raise


def choose(snapshot: Snapshot, wanted: Wanted) -> tuple[Found | None, list[tuple[float, Node]]]:
    """The one sure candidate on a page at rest, or None; and all candidates with their scores, best first."""
    others = [_matches(snapshot, selector) for selector in wanted.selectors[1:]]
    selectors = [_first_matches(snapshot, wanted), *others]
    fitting = [node for node in selectors[0] if not wanted.differences(node)]
    pool = list(dict.fromkeys(node for matched in selectors for node in matched))
    if fitting:
        pool = selectors[0]
    else:
        role = wanted.fingerprint.get("role")
        alike = [node for node in snapshot.elements if node.role == role]
        pool = list(dict.fromkeys([*pool, *(alike or snapshot.elements)]))
    # among namesakes, what happens to stand beside them is no proof
    fingerprint = {
        key: text for key, text in wanted.fingerprint.items() if not fitting or key not in NEIGHBOURS
    }
    scored = sorted(((similarity(fingerprint, node), node) for node in pool), key=lambda pair: -pair[0])
    sure = [(score, node) for score, node in scored if _may_be(wanted, node, bool(fitting))]
    alike = _of_tag([node for _, node in sure], wanted)
    sure = [pair for pair in sure if pair[1] in alike] or sure
    if not sure or (len(sure) > 1 and sure[0][0] - sure[1][0] < MARGIN):
        return None, scored
    score, best = sure[0]
    if wanted.likeness(best) == "synonym":  # that it is called otherwise was judged
        score = similarity({key: text for key, text in fingerprint.items() if key != "name"}, best)
    if score < SURE and not (has_record(wanted.fingerprint) and len(sure) == 1):
        return None, scored
    if wanted.likeness(best) == "synonym" and len(sure) > 1:
        return None, scored
    selector = next((index for index, matched in enumerate(selectors) if matched == [best]), None)
    how: How = "ranking" if selector is None else "alternative"
    count = len(selectors[0])
    lead = f"{count or 'nothing'} {'match' if count > 1 else 'matches'} {wanted.selectors[0]}"
    if selectors[0] and not fitting:
        lead += f" in another place ({'; '.join(wanted.differences(selectors[0][0]))})"
    by = (
        f"{wanted.selectors[selector]} does"
        if selector is not None
        else f"the likeliest is {say(best)} ({score:.0%})"
    )
    return Found(best, how, f"{lead}; {by}", sure[0][0]), scored


def _elsewhere(wanted: Wanted, node: Node) -> bool:
    """Whether an element stands in another record, section or group than the recorded one."""
    return bool(differences(wanted.fingerprint, node, [] if wanted.by_input else None))


def _may_be(wanted: Wanted, node: Node, primary: bool) -> bool:
    """Whether an element can be the recorded one: in its place, called the same or a synonym, else the same."""
    if wanted.differences(node):
        return False
    fingerprint, now = wanted.fingerprint, fingerprint_of(node)
    marked = [key for key in _OF_ITS_OWN if key in fingerprint]
    kept = [key for key in marked if fingerprint[key] == now.get(key)]
    beside = all(fingerprint.get(key) == now.get(key) for key in NEIGHBOURS) and any(
        key in fingerprint for key in NEIGHBOURS
    )
    if wanted.likeness(node) == "synonym":
        same = all(fingerprint.get(key) == now.get(key) for key in _SAME_CONTROL if key in fingerprint)
        return same and (bool(kept) or beside)
    named = bool(wanted.name) and not is_generated(
        wanted.name or "", fingerprint.get("html_name"), fingerprint.get("html_id")
    )
    if "role" in fingerprint and fingerprint["role"] != node.role:
        return bool(kept)
    return primary or named or bool(kept) or has_record(fingerprint)


def refusal(
    wanted: Wanted, snapshot: Snapshot, ranked: list[tuple[float, Node]], matched: int
) -> ReplayFailed:
    """The error that says what was wanted and what is there."""
    candidates = [
        {"ref": node.ref, "role": node.role, "name": node.name[:80], "score": round(score, 2)}
        for score, node in ranked[:5]
    ]
    what = (
        f"{matched} elements match {wanted.selectors[0]}"
        if matched
        else f"nothing matches {wanted.selectors[0]}"
    )
    near = ", ".join(f"{say(node)} ({score:.0%})" for score, node in ranked[:3])
    hint = f"the nearest are {near}; " if near else ""
    if matched == 1:
        only = _matches(snapshot, wanted.selectors[0])
        what = (
            f"{say(only[0])} is not the recorded one: {'; '.join(wanted.differences(only[0]))};"
            if only
            else what
        )
    if not matched and (missing := _missing_record(wanted, snapshot)):
        return ReplayFailed(
            f"{what} on {snapshot.url}: the page shows no {missing}",
            hint="it may be gone, called otherwise, or on another page of its list",
            candidates=candidates,
            wanted=wanted.selectors[0],
        )
    return ReplayFailed(
        f"{what} on {snapshot.url}, and no other element surely is it",
        hint=hint + "give a healer, or record the step again",
        candidates=candidates,
        wanted=wanted.selectors[0],
    )


def _missing_record(wanted: Wanted, snapshot: Snapshot) -> str:
    """The row, item or card that the first selector names and that the page doesn't show; "" where it does."""
    outer = parse_selector(wanted.selectors[0]).within
    is_named = outer is not None and outer.name is not None and outer.role in {*RECORDS, "card"}
    return str(outer) if is_named and not _matches(snapshot, str(outer)) else ""


def say(node: Node) -> str:
    """An element in words."""
    label = " ".join(node.label.split())[:60]
    return f"{node.role} {label!r}" if label else node.role


def _first_matches(snapshot: Snapshot, wanted: Wanted) -> list[Node]:
    """What the primary selector matches; of several the one that is the same HTML element, where one alone is."""
    matched = _matches(snapshot, wanted.selectors[0])
    alike = _of_tag(matched, wanted)
    return alike if len(alike) == 1 else matched


def _of_tag(nodes: list[Node], wanted: Wanted) -> list[Node]:
    """Those with the recorded tag: a list that a script shows in the place of a select has its options once more."""
    tag = wanted.fingerprint.get("tag")
    return [node for node in nodes if tag and node.snapshot.columns.tag[node.index] == tag]


def _matches(snapshot: Snapshot, selector: str) -> list[Node]:
    try:
        # A hint's name is no name that was recorded.
        return [node for node in find_all(snapshot, selector) if node.ref is not None]
    except SelectorError:
        return []


async def let_point(driver: PageDriver, wanted: Wanted, note: str) -> Node | None:
    """Show the page and wait until a person presses the element that a step means; they don't press it for the page."""
    await driver.browser.switch_to(driver)
    what = shorten(clean(f"{wanted.selectors[0]}{f' ({note})' if note else ''}"), 120)
    try:
        return await driver.pick(
            # How long a replay waits for the person; then the step fails as it would have.
            f"Not found: {what}. Click what it is now. Esc: none.",
            timeout=PRESENT_SECONDS,
        )
    except (CommandTimeout, StaleRef):
        return None
