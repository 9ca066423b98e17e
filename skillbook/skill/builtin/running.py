"""Running a built-in skill: stage by stage, replayed as a skill, and verified; and what its call approves by itself."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.errors import ApprovalRequired, CannotBind, ReplayFailed, SkillbookError
from skillbook.limits import ANSWER_SECONDS, CAUSE_SECONDS
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import PageSummary
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.rules import DANGERS
from skillbook.policy.urls import origin_of, same_site
from skillbook.session.page.act_requests import HeldRequest, failed_requests
from skillbook.session.page_driver import PageDriver
from skillbook.skill.builtin.builtin_skill import (
    BuiltinSkill,
    Chooser,
    Details,
    Params,
    Refusal,
    Slots,
    says_loading,
)
from skillbook.skill.consent.send_allowlist import Approve, answer_of
from skillbook.skill.model import SkillSpec, SkillStep
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import Progress, SkillResult, StepOutcome

# As `SecretStore.questions` words them: what a call with a secret approves, and what it doesn't.
_UNBOUND, _NO_FIELD = "belongs to no site yet", "no field for passwords"


class CallConsent:
    """Approves what running the skill is for; everything else is asked of whoever may approve.

    approve: asked about the rest; None where nobody is.
    """

    def __init__(self, skill: BuiltinSkill, origin: str, approve: Approve | None, *, implied: bool) -> None:
        self._skill = skill
        self._origin = origin
        self._approve = approve
        self._implied = implied

    def __call__(self, question: str) -> bool:
        """Only `judge` is asked: a question alone says too little."""
        return False

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        """Whether it may be done."""
        if self._implied:
            own = self._sends(about.fact) if isinstance(about, HeldRequest) else self._does(about)
            if own:
                return True
        if self._approve is None or isinstance(self._approve, str):
            return False
        return await answer_of(self._approve, question, about)

    def _sends(self, fact: RequestFact) -> bool:
        return self._skill.sends and not fact.leaks and not fact.files and self._is_own(fact.origin)

    def _is_own(self, origin: str) -> bool:
        return origin == self._origin or same_site(origin, self._origin)

    def _does(self, question: ApprovalRequired) -> bool:
        """Whether a step is dangerous in no other way than the skill is, and sends its form to the page's site."""
        binding = question.binding
        reason = str(question.data.get("reason", ""))
        dangers = {kind for kind, words in DANGERS.items() if words in reason}
        types_secret = _UNBOUND in reason and _NO_FIELD not in reason
        if binding is None or not (dangers or types_secret) or not dangers <= self._skill.approves:
            return False
        if types_secret and "credentials" not in self._skill.approves:
            return False
        origin = origin_of(binding.form[1]) if binding.form else None
        return origin is None or self._is_own(origin)


_MOVING = {"page_navigated", "page_unreachable", "timeout", "stale_ref"}
_MOST_CHOICES = 3


@dataclass
class BuiltinRun:
    """One run of a built-in skill.

    choose: refs by slot that a person chose.
    chooser: answers what can't be told apart; None where that ends the run.
    look: reads the page; as it is where it is None.
    """

    skill: BuiltinSkill
    driver: PageDriver
    params: Params
    result: SkillResult
    page: Any = None
    choose: Mapping[str, str] = field(default_factory=dict)
    chooser: Chooser | None = None
    approve: Approve | None = None
    implied: bool = True
    progress: Progress | None = None
    look: Callable[[], Awaitable[Snapshot]] | None = None

    async def run(self) -> SkillResult:
        """Run it; what ended it is in the result."""
        started, first = time.perf_counter(), self.driver.actions + 1
        try:
            stopping = self.driver.browser.gateway.stopping
            with stopping.operation(), stopping.steps():
                await self._stages()
            self._check_requests(first)
            self.result.ok = True
        except SkillbookError as error:
            self.result.error = error
        finally:
            self.result.elapsed_ms = (time.perf_counter() - started) * 1000
        return self.result

    def _check_requests(self, first: int) -> None:
        """See that the server took what the acts from a number on sent."""
        if failed := failed_requests(self.driver.acts.since(first)):
            raise ReplayFailed(
                f"{self.skill.name}: it was done, but its request failed: {failed[0]}",
                hint="look at the page",
            )

    async def _stages(self) -> None:
        done: list[str] = []
        first: PageSummary | None = None
        for _ in range(self.skill.most_stages):
            await self.driver.browser.gateway.stopping.between_steps()
            if not done:  # after a stage, the page has come to rest
                await self.driver.settled("rest")
            before, slots = await self.bind(tuple(done), first)
            first = first or before
            slots = await self._carry_out(slots)
            await self.verify(before, slots)
            done.append(slots.stage)
            if slots.last:
                self.result.values.update(slots.facts.get("values", {}))
                return
        raise ReplayFailed(
            f"{self.skill.name} was not done after {self.skill.most_stages} stages: {', '.join(done)}",
            hint="look at the page, and go on from there",
        )

    async def _look(self) -> PageSummary:
        return self.driver.summarize(await (self.look or self.driver.snapshot)())

    async def bind(self, done: tuple[str, ...], first: PageSummary | None) -> tuple[PageSummary, Slots]:
        """The page and what the next stage acts on, once the page shows that.

        Raises CannotBind: it doesn't, or not without doubt.
        """
        # How long a page may take to show what a skill binds to.
        deadline, chosen, choices = time.monotonic() + ANSWER_SECONDS, dict(self.choose), 0
        while True:
            summary = await self._look()
            bound = self.skill.bind(Details(summary, chosen, done, first), self.params)
            if isinstance(bound, Slots):
                return summary, bound
            if await self._changes(summary, deadline - time.monotonic()):
                continue
            if self.chooser is not None and bound.candidates and choices < _MOST_CHOICES:
                ref = await self.chooser(self.page or self.driver, bound)
                choices += 1
                if ref is not None and any(ref == one.ref for one in bound.candidates):
                    chosen[bound.slot] = ref
                    continue
            raise cannot_bind(self.skill, bound, summary.url)

    async def _changes(self, summary: PageSummary, seconds: float) -> bool:
        seen: Any = summary.snapshot
        return bool(await self.driver.changed_since(seen, seconds))

    async def _carry_out(self, slots: Slots) -> Slots:
        """Do a stage's steps; what was acted on, which is something else where that failed in a way that allows it."""
        failed: SkillbookError | None = None
        while steps := self.skill.plan(slots, self.params):  # none where the page has done it by itself
            ended = await self._replay(steps)
            self.result.values.update(ended.values)
            self.result.files += ended.files
            if ended.error is None:
                break
            at = ended.outcomes[-1].index if ended.outcomes else 0
            other = self.skill.instead(slots, steps[at - 1], ended.error) if at else None
            if other is None:
                raise failed or ended.error
            slots, failed = other, failed or ended.error
        return slots

    async def _replay(self, steps: Sequence[SkillStep]) -> SkillResult:
        origin = origin_of(self.driver.url) or ""
        spec = spec_of(self.skill, steps, origin)
        shift = len(self.result.outcomes)

        def report(outcome: StepOutcome) -> None:
            moved = replace(outcome, index=outcome.index + shift)
            self.result.outcomes.append(moved)
            if self.progress is not None:
                self.progress(moved)

        return await run_skill(
            spec, self.driver, {}, start="here", page=self.page, progress=report,
            approve=CallConsent(self.skill, origin, self.approve, implied=self.implied),
            given=[str(value) for value in self.params.values()], judge_requests=False,
        )  # fmt: skip

    async def verify(self, before: PageSummary, slots: Slots) -> None:
        """Wait until the page shows that the stage did what it is for.

        Raises ReplayFailed: it doesn't, or shows that it failed.
        """
        # How long a stage's effects may take to show.
        deadline = time.monotonic() + CAUSE_SECONDS
        why = ""
        while True:
            try:
                after = await self._look()
                why = self.skill.failed(after, slots, self.params)
                ends = bool(why)
                why = why or self._missing(before, after, slots)
            except SkillbookError as error:
                if error.code not in _MOVING or time.monotonic() >= deadline:
                    raise
                continue
            if not why and await self._still(before, slots):
                return await self._check_status(before, after)
            if not why and time.monotonic() < deadline:
                continue
            why = why or "the page did not stay so"
            if ends or not await self._changes(after, deadline - time.monotonic()):
                raise ReplayFailed(
                    f"{self.skill.name}: it was done, but {why}", hint="look at the page", effect=False
                )

    async def _still(self, before: PageSummary, slots: Slots) -> bool:
        """Whether the effects also hold once the page is at rest: a form that goes away may come back."""
        await self.driver.settled("rest")
        after = await self._look()
        if self.skill.failed(after, slots, self.params) or self._missing(before, after, slots):
            return False
        if slots.last:
            self.result.values.update(self.skill.answer(before, after, slots))
        return True

    def _missing(self, before: PageSummary, after: PageSummary, slots: Slots) -> str:
        """Why the effects don't hold yet; a page that says that it is loading shows none."""
        loading = "the page is still loading" if says_loading(after) else ""
        return loading or self.skill.effects(before, after, slots, self.params)

    async def _check_status(self, before: PageSummary, after: PageSummary) -> None:
        """A document that the server answered with an error shows nothing that counts."""
        if before.url != after.url and (status := await self.driver.status()) >= 400:
            raise ReplayFailed(
                f"{self.skill.name}: the page was answered with status {status}", hint="look at the page"
            )


def spec_of(skill: BuiltinSkill, steps: Sequence[SkillStep], origin: str) -> SkillSpec:
    """A stage as a skill that the replayer runs."""
    return SkillSpec(
        name=skill.name.replace("_", "-"),
        description=skill.description,
        origins=[origin] if origin else [],
        secrets=secrets_in(steps),
        steps=list(steps),
    )


def secrets_in(steps: Sequence[SkillStep]) -> list[str]:
    """The names of the secrets that steps type."""
    from skillbook.skill.model.templates import placeholders

    found = [one.name for step in steps for one in placeholders(step.params) if one.kind == "secret"]
    return list(dict.fromkeys(found))


def cannot_bind(skill: BuiltinSkill, refusal: Refusal, url: str) -> CannotBind:
    """The error for a refusal; its data has the candidates."""
    candidates = [
        {"ref": one.ref, "selector": one.selector, "label": one.label, "confidence": one.confidence}
        for one in refusal.candidates
    ]
    near = ", ".join(f"{one.label} [{one.ref}]" for one in refusal.candidates[:3])
    pick = f"choose={{{refusal.slot!r}: {refusal.candidates[0].ref!r}}}" if refusal.candidates else ""
    hint = f"there are: {near}; give {pick}, for instance" if near else ""
    return CannotBind(
        f"{skill.name} can't be done on {url}: {refusal.reason}",
        **({"hint": hint} if hint else {}),
        slot=refusal.slot,
        candidates=candidates,
    )
