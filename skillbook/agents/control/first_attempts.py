"""What is tried before a model plans: a saved skill that says the goal, else a built-in skill that binds."""

from __future__ import annotations

from langchain_core.messages import AIMessage

from skillbook.agents.control.controller import Controller
from skillbook.agents.control.saved_goals import saved_for
from skillbook.agents.control.scout import Scout
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import GoalBlocked
from skillbook.goals import beyond_one_skill
from skillbook.skill.builtin import Builtin, Details, Refusal, Slots
from skillbook.skill.library import skills
from skillbook.skill.matches import SkillMatch


class FirstAttempts(Controller):
    """Makes the calls of one skill, and gives up where anything comes otherwise: the model plans then.

    Parameters
    ----------
    context : the run's; where two controls fit, its model is the scout that is queried.
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
        """Take up the skill that surely is the goal's.

        Raises
        ------
        GoalBlocked : there is none.
        """
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
