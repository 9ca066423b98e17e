"""Reaching a goal without a model: by saved skills, built-in skills and exploration, one tool call at a time.

It stands where a model would, and makes its calls. So every call of it is shown, approved, edited, journaled and saved
as a model's, and nothing that holds for agents has to be made anew.

Source: Browser Copilot technical specification, section 9, controller loop: skills, exploration, skills again;
effects are verified.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool

from skillbook.agents.control.scout import Scout
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.models.pricing import FixedPrice
from skillbook.agents.skill_goals import ELSEWHERE, goal_for, runs_surely, saved_for
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import ASSISTANCE, SKIPPED, StepRecord
from skillbook.errors import AgentError, CannotBind, GoalBlocked, InternalError, SkillbookError
from skillbook.goals import beyond_one_skill, only_looks, wants_action
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import PageSummary
from skillbook.skill.builtin.builtin_skill import Details, Refusal, Slots
from skillbook.skill.builtin.running import Builtin, BuiltinRun
from skillbook.skill.library import SkillMatch, skills
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.replay.skill_result import SkillResult

FREE = FixedPrice(0.0, 0.0)
NAME = "no model: skills and exploration"
_MOST_FAILURES = 2
_GOAL_PAGE, _FOUND = 0.8, 0.7
_MODEL_HINT = "do it by hand and go on with `run.start()`, or give the agent a model"


@dataclass
class _Attempt:
    """One built-in skill that is being carried out.

    run: binds its stages and verifies what they did.
    before, slots: of the stage that is under way; None before the first.
    """

    match: SkillMatch
    run: BuiltinRun
    first: PageSummary | None = None
    before: PageSummary | None = None
    slots: Slots | None = None
    calls: list[SkillStep] = field(default_factory=list)
    planned: int = 0
    done: list[str] = field(default_factory=list)


class Controller:
    """Decides on one run's calls.

    context: the run's; its steps say what came of the calls.
    """

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._attempt: _Attempt | None = None
        self._chosen: dict[str, str] = {}
        self._options: dict[str, tuple[str, str]] = {}
        self._call = ""
        self._seen = len(context.steps)
        self._failures = 0
        self._explored = False
        self._presses: list[str] = []
        self._look: Callable[[], Awaitable[Snapshot]] | None = None

    async def answer(self, messages: Sequence[BaseMessage] = ()) -> AIMessage:
        """The next call, or the run's result; the run's steps say what the conversation does.

        Raises GoalBlocked: neither skills nor exploration lead further.
        Raises AgentError: the person refused a call, or it failed again.
        """
        message = self._take_in()
        if message is not None:
            return message
        if self._attempt is None:
            message = await self._choose()
            if message is not None:
                return message
        return await self._carry_on()

    # --- what came of the last call -------------------------------------------------------------

    def _take_in(self) -> AIMessage | None:
        """Learn what the steps since the last answer did; the call that follows from one of them, if any."""
        new, self._seen = self._context.steps[self._seen :], len(self._context.steps)
        call, self._call = self._call, ""
        if any(step.call_id != call for step in new):
            # The person did something: the page is another one.
            self._attempt, self._explored, self._presses = None, False, []
        step = next((step for step in new if step.call_id == call), None)
        if step is None:
            if call and not new:
                self._attempt = None
            return None
        if step.tool == ASSISTANCE:
            self._take_choice(step)
            return None
        if step.decision == "respond" and step.result == SKIPPED:
            return None
        if step.decision in {"reject", "respond"}:
            self._attempt = None
            raise AgentError(
                f"{_refused(step)}, and without a model no other way is known.", hint=_MODEL_HINT
            )
        if step.error is not None:
            self._attempt = None
            self._failures += 1
            if self._failures >= _MOST_FAILURES:
                self._failures = 0
                raise AgentError(f"`{step.tool}` failed: {step.result}", hint=_MODEL_HINT)
            return None
        if step.tool == "explore":
            return self._take_exploration(step)
        if step.tool == "run_skill":
            return self._done(step.result)
        return self._press() if self._attempt is None else None

    def _take_choice(self, step: StepRecord) -> None:
        """Keep which control the person chose."""
        chosen = self._options.get(step.result)
        if step.decision != "respond" or chosen is None:
            raise GoalBlocked("No choice was made among the controls that may be meant.", hint=_MODEL_HINT)
        self._chosen[chosen[0]] = chosen[1]

    def _take_exploration(self, step: StepRecord) -> AIMessage | None:
        """Go to the page that was found."""
        found = step.extra["exploration"]
        if not found.found:
            raise GoalBlocked(f"No page of this site was found for it: {found.why}.", hint=_MODEL_HINT)
        self._context.advance(_GOAL_PAGE)
        self._presses = [press.selector for press in found.presses]
        if found.address != self._context.page.url:
            return self._ask("goto", {"url": found.address}, "This page has it.")
        return self._press()

    def _press(self) -> AIMessage | None:
        """The next control on the page that was found which leads to the goal, if any."""
        if not self._presses:
            return None
        return self._ask("click", {"target": self._presses.pop(0)}, "This shows it.")

    # --- choosing a way -------------------------------------------------------------------------

    async def _choose(self) -> AIMessage | None:
        """Take a skill up, or what is to be called before that."""
        context = self._context
        context.set_phase("planning")
        found = await skills.rank(context.page, context.goal)
        saved = next((one for one in found if runs_surely(one, context.goal)), None)
        if saved is not None:
            return self._ask("run_skill", {"name": saved.name}, f"A saved skill does this: {saved.why}.")
        if why := beyond_one_skill(context.goal):
            raise GoalBlocked(f"Without a model a goal is one thing to do, and {why}.", hint=_MODEL_HINT)
        builtin = [one for one in found if isinstance(one.skill, Builtin)]
        ready = next((one for one in builtin if not one.missing), None)
        if ready is None:
            return await self._go_to_page(builtin)
        summary = context.page.summarize(await context.page.snapshot())
        bound = ready.skill.skill.bind(Details(summary, self._chosen), ready.params)  # type: ignore[union-attr]
        if isinstance(bound, Slots):
            self._begin(ready)
            return None
        if bound.candidates:
            return self._ask_which(
                bound.slot, bound.reason, [(one.label, one.ref) for one in bound.candidates]
            )
        why = f"{ready.name} can't be done on {summary.url}: {bound.reason}"
        if ready.name not in (*ELSEWHERE, "navigate_by_menu"):
            raise GoalBlocked(f"{why}.", hint=_MODEL_HINT)
        return self._explore(why)

    async def _go_to_page(self, builtin: Sequence[SkillMatch]) -> AIMessage:
        """The goal is no skill's: a page that is about it."""
        if builtin:
            needs = " and ".join(builtin[0].missing)
            raise GoalBlocked(
                f"The built-in skill {builtin[0].name} would do this, but the goal doesn't give its {needs}.",
                hint=f"run it yourself: `sb.load_skill({builtin[0].name!r}).run(page, …)`; or give the agent a model",
            )
        page = self._context.page
        summary = page.summarize(await page.snapshot())
        wanted = goal_for(self._context.goal)
        if wanted.holds(summary):
            opened = f"The page is open: {summary.title or summary.url}"
            if only_looks(self._context.goal):
                return self._done(opened)
            raise GoalBlocked(f"{opened}. What the goal wants done there, no skill knows.", hint=_MODEL_HINT)
        if wants_action(self._context.goal):
            raise GoalBlocked(f"No skill does this on {summary.url}.", hint=_MODEL_HINT)
        return self._explore(f"{summary.url} has nothing of {wanted!r}")

    def _explore(self, why: str) -> AIMessage:
        if self._explored:
            raise GoalBlocked(f"{why[:1].upper()}{why[1:]}.", hint=_MODEL_HINT)
        self._explored = True
        return self._ask("explore", {"query": self._context.goal}, f"{why[:1].upper()}{why[1:]}.")

    def _ask_which(self, slot: str, reason: str, candidates: Sequence[tuple[str, str]]) -> AIMessage:
        self._options = {label: (slot, ref) for label, ref in candidates}
        if len(self._options) < len(candidates):  # two that are called the same
            self._options = {f"{label} [{ref}]": (slot, ref) for label, ref in candidates}
        args = {"type": "question", "message": f"{reason}: which one?", "options": list(self._options)}
        return self._ask(ASSISTANCE, args, "")

    # --- carrying a skill out -------------------------------------------------------------------

    def _begin(self, match: SkillMatch) -> None:
        skill, driver = match.skill.skill, self._context.page  # type: ignore[union-attr]
        run = BuiltinRun(
            skill, driver, match.params, SkillResult(match.name, {}), choose=self._chosen, look=self._look
        )
        self._attempt = _Attempt(match, run)

    async def _carry_on(self) -> AIMessage:
        """The attempt's next call, or its result."""
        attempt = self._attempt
        if attempt is None:
            raise InternalError("there is no attempt to go on with", hint="")
        while not attempt.calls:
            if attempt.slots is not None and attempt.before is not None:
                await self._verify(attempt.run.verify(attempt.before, attempt.slots))
                attempt.done.append(attempt.slots.stage)
                if attempt.slots.last:
                    return self._done(self._outcome(attempt))
            if len(attempt.done) >= attempt.run.skill.most_stages:
                self._attempt = None
                stages = len(attempt.done)
                raise AgentError(
                    f"{attempt.match.name} was not done after {stages} stages.", hint=_MODEL_HINT
                )
            await attempt.run.driver.settled("rest")
            attempt.before, attempt.slots = await self._verify(
                attempt.run.bind(tuple(attempt.done), attempt.first)
            )
            attempt.first = attempt.first or attempt.before
            attempt.calls = attempt.run.skill.plan(attempt.slots, attempt.match.params)
            attempt.planned += len(attempt.calls)
        made = attempt.planned - len(attempt.calls)
        self._context.advance(_GOAL_PAGE + (1 - _GOAL_PAGE) * made / (attempt.planned + 1))
        step = attempt.calls.pop(0)
        return self._ask(step.command, _args(step), f"{attempt.match.name}: {step.note or step.command}")

    async def _verify(self, work: Any) -> Any:
        """Await what may find that a stage didn't do what it is for."""
        try:
            return await work
        except CannotBind as error:
            self._attempt = None
            raise GoalBlocked(error.message, hint=_MODEL_HINT) from error
        except SkillbookError as error:
            self._attempt = None
            raise AgentError(error.message, hint=_MODEL_HINT) from error

    def _outcome(self, attempt: _Attempt) -> str:
        last = self._context.steps[-1] if self._context.steps else None
        result = f": {last.result}" if last is not None and last.tool == "download" and last.result else ""
        return f"{attempt.match.name} is done{result}"

    # --- answers --------------------------------------------------------------------------------

    def _ask(self, tool: str, args: dict[str, Any], why: str) -> AIMessage:
        self._call = f"call-{uuid4().hex[:12]}"
        call = {"name": tool, "args": args, "id": self._call, "type": "tool_call"}
        return AIMessage(content=why, tool_calls=[call])

    def _done(self, words: str) -> AIMessage:
        self._attempt = None
        self._context.advance(1.0)
        return AIMessage(content=words)


class ControllerModel(BaseChatModel):
    """What decides on a run's calls in a model's place, where the agent loop wants a chat model."""

    controller: Any = None
    model_name: str = NAME

    @property
    def _llm_type(self) -> str:
        return "skillbook-controller"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **options: Any,
    ) -> Any:
        """Itself: it knows the run's tools."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        raise InternalError("the controller is awaited", hint="")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self.controller.answer(messages))])


def without_model() -> ModelChoice:
    """The choice of no model."""
    return ModelChoice(ControllerModel(), NAME, FREE)


def is_controlled(context: RunContext) -> bool:
    """Whether a run goes without a model."""
    return isinstance(context.choice.model, ControllerModel)


def bind_controller(context: RunContext) -> bool:
    """Give a run without a model a controller of its own, unless something else decides; whether it is one."""
    if not is_controlled(context):
        return False
    if getattr(context.choice.model, "controller", None) is None:
        context.choice = ModelChoice(ControllerModel(controller=Controller(context)), NAME, FREE)
    return True


def _args(step: SkillStep) -> dict[str, Any]:
    target = {"target": step.target.selectors[0]} if step.target is not None else {}
    return {**target, **step.params}


def _refused(step: StepRecord) -> str:
    reason = f" ({step.result})" if step.result else ""
    return (
        f"You refused `{step.tool}`{reason}"
        if step.decision == "reject"
        else f"You answered `{step.tool}`{reason}"
    )


class FirstAttempts(Controller):
    """Makes the calls of one skill, and gives up where anything comes otherwise: the model plans then.

    context: the run's; where two controls fit, its model is the scout that is queried.
    """

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        self._look = context.snapshot  # what it reads comes into the calls, which the model sees
        self._scout = Scout(context.choice, context.page, run=context, vision=context.vision)
        self.skill = ""
        self.is_saved = False

    def _take_in(self) -> AIMessage | None:
        new = self._context.steps[self._seen :]
        if self._call and not (len(new) == 1 and new[0].call_id == self._call and _carried_out(new[0])):
            raise GoalBlocked(f"{self.skill} was not carried out as it was planned.")
        return super()._take_in()

    async def _choose(self) -> AIMessage | None:
        """Take up the skill that surely is the goal's."""
        context = self._context
        context.set_phase("planning")
        saved = await saved_for(context.page, context.goal)
        if saved is not None:
            self.skill, self.is_saved = saved.name, True
            return self._ask(
                "run_skill",
                {"name": saved.name},
                f"A saved skill does this: {saved.why}. Reject the call to let the model find its own way.",
            )
        match = await self._builtin()
        if match is None:
            raise GoalBlocked(f"No skill is surely the one for {context.goal!r}.")
        self.skill = match.name
        self._begin(match)
        return None

    async def _builtin(self) -> SkillMatch | None:
        """The built-in skill that the goal names with all it needs, and that binds to the page."""
        goal = self._context.goal
        claiming = [one for one in skills.builtin if one.params_of(goal) is not None]
        if not claiming or beyond_one_skill(goal):
            return None
        found = [one for one in await skills.rank(self._context.page, goal) if isinstance(one.skill, Builtin)]
        match = found[0] if found and not found[0].missing else None
        return match if match is not None and await self._binds(match) else None

    async def _binds(self, match: SkillMatch) -> bool:
        """Whether it binds to the page; the scout is queried where two controls fit."""
        skill = match.skill.skill  # type: ignore[union-attr]
        summary = self._context.page.summarize(await self._context.snapshot())
        bound = skill.bind(Details(summary, self._chosen), match.params)
        if isinstance(bound, Refusal) and bound.candidates and bound.slot:
            ref = await self._scout(self._context.page, bound)
            if ref is None:
                return False
            self._chosen[bound.slot] = ref
            bound = skill.bind(Details(summary, self._chosen), match.params)
        return isinstance(bound, Slots)


def _carried_out(step: StepRecord) -> bool:
    return step.error is None and step.decision not in {"reject", "respond"}
