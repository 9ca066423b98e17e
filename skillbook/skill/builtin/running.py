"""Running a built-in skill: stage by stage, replayed as a skill, and verified; and such a skill as users hold it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from skillbook.errors import (
    ApprovalRequired,
    CannotBind,
    InvalidInput,
    MissingInput,
    ReplayFailed,
    SkillbookError,
)
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import ANSWER_SECONDS, CAUSE_SECONDS
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import PageSummary
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.rules import DANGERS
from skillbook.policy.urls import origin_of, same_site
from skillbook.session.page.act_requests import HeldRequest, failed_requests
from skillbook.session.page_driver import PageDriver, driver_of
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
from skillbook.skill.model.inputs import Empty, insert_button, merge_inputs, named_model, refuse_blank
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep
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


class Builtin:
    """A skill that comes with skillbook: it works on pages that nobody recorded, without a model."""

    kind = "built-in"
    path = None
    planned = None

    def __init__(self, skill: BuiltinSkill) -> None:
        self.skill = skill
        self.last: SkillResult | None = None

    @property
    def name(self) -> str:
        """Its name in the library."""
        return self.skill.name

    @property
    def description(self) -> str:
        """What it does."""
        return self.skill.description

    @property
    def inputs(self) -> list[SkillInput]:
        """Its typed inputs."""
        return list(self.skill.inputs)

    def params_of(self, goal: str) -> Params | None:
        """The inputs that a goal in words gives; None where the goal isn't this skill's."""
        return self.skill.params_of(goal)

    def match(self, summary: PageSummary, params: Mapping[str, Any]) -> float:
        """How surely it can be run on a page with some inputs, 0 to 1."""
        return self.skill.match(summary, params)

    def bind(self, summary: PageSummary, params: Mapping[str, Any]) -> Slots | Refusal:
        """The controls that it would act on first, or why they can't be told; nothing is done."""
        return self.skill.bind(Details(summary), params)

    def plan(self, slots: Slots, params: Mapping[str, Any]) -> list[SkillStep]:
        """The steps that it would do first."""
        return self.skill.plan(slots, params)

    def run(
        self,
        page: Any,
        *unnamed: Any,
        model: Any = None,
        inputs: Mapping[str, Any] | None = None,
        empty: Empty = "refuse",
        choose: Mapping[str, str] | None = None,
        chooser: Chooser | None = None,
        approve: Approve | None = None,
        implied: bool = True,
        raise_on_error: bool = False,
        progress: Progress | None = None,
        **more: Any,
    ) -> SkillResult:
        """Run the skill on a page and block until its effects are verified.

        Parameters
        ----------
        page : Page
            A page of `sb.launch()`, `sb.connect()` or their async versions.
        *unnamed : object
            Nothing: inputs and model are given by name.
        model : str, BaseChatModel or False, optional
            Decides which control is meant if the page has several; it can only look. By default no model does.
        inputs : dict, optional
            The inputs' values.
        empty : {"refuse", "default"}
            "default" takes the default for values that are blank (None, nan), which are refused otherwise.
        choose : dict, optional
            The ref of a control by its slot, if the page has several: `choose={"field": "e12"}`.
        chooser : function, optional
            Decides in the model's place.
        approve : function, optional
            Gets a question in words before what running the skill doesn't approve by itself. Running it
            approves what it is for, on the page's own site: that `login` sends the password, say.
        implied : bool
            False asks about that too.
        raise_on_error : bool
            Raise what ended the run, rather than return it as `result.error`.
        progress : function, optional
            Called after each step with its outcome.
        **more : object
            The inputs' values by keyword.

        Returns
        -------
        SkillResult
            `error` is `CannotBind` if the page has no such control, or several, and nothing was done;
            `ReplayFailed` if it was done and the page doesn't show what it was for.

        Raises
        ------
        MissingInput, InvalidInput, ModelNotConfigured
            Before anything is done.
        """
        given = merge_inputs(inputs, more, empty)
        options = {"approve": approve, "implied": implied, "progress": progress}
        run = self._prepare(page, unnamed, model, given, choose, chooser, **options)
        result = io.sync(run.run())
        return result.raise_for_error() if raise_on_error else result

    async def arun(
        self,
        page: Any,
        *unnamed: Any,
        model: Any = None,
        inputs: Mapping[str, Any] | None = None,
        empty: Empty = "refuse",
        choose: Mapping[str, str] | None = None,
        chooser: Chooser | None = None,
        approve: Approve | None = None,
        implied: bool = True,
        raise_on_error: bool = False,
        progress: Progress | None = None,
        **more: Any,
    ) -> SkillResult:
        """Like `run`, awaitable from any loop."""
        given = merge_inputs(inputs, more, empty)
        options = {"approve": approve, "implied": implied, "progress": progress}
        run = self._prepare(page, unnamed, model, given, choose, chooser, **options)
        result = await io.wait(run.run())
        return result.raise_for_error() if raise_on_error else result

    def _prepare(
        self,
        page: Any,
        unnamed: Sequence[Any],
        model: Any,
        given: Mapping[str, Any],
        choose: Mapping[str, str] | None,
        chooser: Chooser | None,
        **options: Any,
    ) -> BuiltinRun:
        model = named_model(self.name, self.inputs, unnamed, model)
        params = self.check(given)
        shown = {name: str(value) for name, value in params.items() if name not in self.skill.hidden}
        self.last = SkillResult(self.name, dict(shown))
        driver = driver_of(page)
        if chooser is None and model and hooks.make_scout is not None:
            chooser = hooks.make_scout(model, driver)
        chosen = dict(choose or {})
        return BuiltinRun(self.skill, driver, params, self.last, page, chosen, chooser, **options)

    def check(self, given: Mapping[str, Any]) -> Params:
        """The inputs as the skill takes them."""
        known = {one.name: one for one in self.skill.inputs}
        for name in given:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise InvalidInput(f"{self.name} has no input {name!r}", hint=f"its inputs are: {listed}")
            self._refuse_blanks(name, given[name])
        missing = [name for name, one in known.items() if one.required and _is_left_out(given.get(name))]
        if missing:
            raise MissingInput(f"{self.name} needs {', '.join(missing)}")
        defaults = {name: one.default for name, one in known.items() if one.default is not None}
        return {**defaults, **given}

    def _refuse_blanks(self, name: str, value: Any) -> None:
        """Refuse a blank value, also one among several."""
        refuse_blank(self.name, name, value)
        fields = getattr(type(value), "model_fields", ())
        parts: Mapping[Any, Any] = {key: part for key in fields if (part := getattr(value, key)) is not None}
        if isinstance(value, Mapping):
            parts = value
        for key, part in parts.items():
            self._refuse_blanks(f"{name}.{key}", part)
        if isinstance(value, list | tuple):
            for part in value:
                self._refuse_blanks(name, part)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{one.name}{'' if one.required else '?'}" for one in self.inputs)
        return f"<Skill {self.name}({inputs}): built-in>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        rows = "".join(
            f"<li><code>{escape(one.name)}</code>: {escape(one.description)}</li>" for one in self.inputs
        )
        head = f"<b>{escape(self.name)}</b> (built-in) {insert_button(self.name, self.inputs)}"
        html = f"{head}<p>{escape(self.description)}</p><ul>{rows}</ul>"
        return {"text/plain": repr(self), "text/html": html}


def _is_left_out(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value)
