"""Finding a step's target: the primary selector, else the other selectors, the fingerprint, and a model.

An answer counts only where it is sure: one candidate, clearly ahead of the next. Else the step is refused with the
candidates, and nothing is touched.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from skillbook.errors import ReplayFailed, SelectorError, SkillbookError
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.session.drivers import PageDriver
from skillbook.session.page.ai_opt_out import visible_to_ai
from skillbook.skill.fingerprint import NEIGHBOURS, is_alike, similarity
from skillbook.skill.model import StepTarget
from skillbook.skill.result import How
from skillbook.skill.templates import Value, fill_selector, fill_text, placeholders

SURE = 0.6
SAME_NAME = 0.6
SAME_INPUT = 0.9
MARGIN = 0.12
SETTLE_SECONDS = 1.5
FIND_SECONDS = 10.0
_MOVING = {"page_navigated", "page_unreachable", "timeout"}


class Healer(Protocol):
    """Picks the element that a step means, where code alone can't; a model, or a person."""

    async def __call__(
        self, wanted: StepTarget, note: str, snapshot: Snapshot, candidates: list[Node]
    ) -> str | None:
        """Return the ref of the element, or None where none is it."""


@dataclass(frozen=True)
class Found:
    """A target and how it was found."""

    node: Node
    how: How
    why: str = ""


@dataclass(frozen=True)
class Wanted:
    """A step's target with the run's inputs filled in."""

    target: StepTarget
    selectors: tuple[str, ...]
    fingerprint: Mapping[str, str]

    @property
    def by_input(self) -> bool:
        """Whether an input says which element it is."""
        return next(placeholders(self.target.selectors), None) is not None

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
    healer: Healer | None = None,
    seconds: float = FIND_SECONDS,
) -> Found:
    """Find a step's target on the page as it is now.

    The primary selector is waited for: as long as the page keeps changing, at most `seconds`. Only on a page that
    came to rest is anything else taken for it.

    Raises
    ------
    ReplayFailed : no single sure candidate; the nearest are in `data["candidates"]`.
    """
    deadline = time.monotonic() + seconds
    while True:
        snapshot = await _look(driver, deadline)
        first = _matches(snapshot, wanted.selectors[0])
        if len(first) == 1:
            return Found(first[0], "locator")
        if not await driver.changed_since(snapshot, min(SETTLE_SECONDS, deadline - time.monotonic())):
            break
    found, ranked = choose(snapshot, wanted)
    if found is None and healer is not None:
        seen = visible_to_ai(driver, snapshot)
        candidates = [seen[node.ref] for _, node in ranked if node.ref and node.ref in seen][:8]
        ref = await healer(wanted.target, note, seen, candidates)
        if ref is not None and ref in snapshot:
            return Found(snapshot[ref], "model", f"{wanted.selectors[0]} is not on the page; the model chose")
    if found is None:
        raise refusal(wanted, snapshot, ranked, len(first))
    return found


async def _look(driver: PageDriver, deadline: float) -> Snapshot:
    while True:
        try:
            return await driver.snapshot(timeout=max(deadline - time.monotonic(), 1.0))
        except SkillbookError as error:
            if error.code not in _MOVING or time.monotonic() >= deadline:
                raise


def choose(snapshot: Snapshot, wanted: Wanted) -> tuple[Found | None, list[tuple[float, Node]]]:
    """The one sure candidate on a page at rest, or None; and all candidates with their scores, best first."""
    selectors = [_matches(snapshot, selector) for selector in wanted.selectors]
    pool = list(dict.fromkeys(node for matched in selectors for node in matched))
    if not selectors[0]:
        role = wanted.fingerprint.get("role")
        alike = [node for node in snapshot.elements if node.role == role]
        pool = list(dict.fromkeys([*pool, *(alike or snapshot.elements)]))
    else:
        pool = [node for node in pool if node in selectors[0]]
    # among namesakes, what happens to stand beside them is no proof
    fingerprint = {
        key: text for key, text in wanted.fingerprint.items() if not selectors[0] or key not in NEIGHBOURS
    }
    scored = sorted(((similarity(fingerprint, node), node) for node in pool), key=lambda pair: -pair[0])
    if not scored or scored[0][0] < SURE:
        return None, scored
    if len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN:
        return None, scored
    best = scored[0][1]
    if not is_alike(wanted.fingerprint, best, SAME_INPUT if wanted.by_input else SAME_NAME):
        return None, scored
    selector = next((index for index, matched in enumerate(selectors) if matched == [best]), None)
    how: How = "ranking" if selector is None else "alternative"
    lead = (
        f"{len(selectors[0])} elements match {wanted.selectors[0]}"
        if selectors[0]
        else f"nothing matches {wanted.selectors[0]}"
    )
    by = (
        f"{wanted.selectors[selector]} does"
        if selector is not None
        else f"the likeliest is {say(best)} ({scored[0][0]:.0%})"
    )
    return Found(best, how, f"{lead}; {by}"), scored


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
    return ReplayFailed(
        f"{what} on {snapshot.url}, and no other element surely is it",
        hint=hint + "give a healer, or record the step again",
        candidates=candidates,
        wanted=wanted.selectors[0],
    )


def say(node: Node) -> str:
    """An element in words."""
    label = " ".join(node.label.split())[:60]
    return f"{node.role} {label!r}" if label else node.role


def _matches(snapshot: Snapshot, selector: str) -> list[Node]:
    try:
        return [node for node in snapshot.find_all(selector) if node.ref is not None]
    except SelectorError:
        return []
