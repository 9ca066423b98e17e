"""One run of a skill: with recorded steps, which can go on where it ended, or by an agent that follows its prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from skillbook.errors import DialogBlocked
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.page_driver import PageDriver
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import RUN_SKILL, Start
from skillbook.skill.model.templates import Value
from skillbook.skill.replay.replayer import loads_start, run_skill
from skillbook.skill.replay.skill_result import Progress, SkillResult, Stopped, is_called
from skillbook.skill.targets.healing import Healer, let_point, say


class PromptRunner(Protocol):
    """Runs a prompt with an agent: for skills without recorded steps."""

    async def __call__(self, page: Any, prompt: str, *, spec: SkillSpec, model: Any) -> SkillResult:
        """Run the prompt."""


@dataclass
class RecordedRun:
    """A run of a skill with recorded steps.

    given: the inputs' values that whoever runs it gave; `values` has those of all inputs.
    result: filled in as the run goes on.
    """

    spec: SkillSpec
    driver: PageDriver
    page: Any
    given: dict[str, Any]
    values: dict[str, Value]
    model: Any
    healer: Healer | Literal["person"] | None
    approve: Approve | None
    progress: Progress | None
    result: SkillResult = field(init=False)
    _options: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        healing = self._healing(self.healer)
        self._options = {**healing, "approve": self.approve, "progress": self.progress}
        self.result = SkillResult(self.spec.name)
        self.result.again = self._go_on

    async def begin(self, start: Start) -> SkillResult:
        """Do the steps; the driver sees them as one call."""
        if not is_called() and loads_start(self.spec, self.driver, self.values, start):
            await self._leave_what_was_typed()
        arguments = {"name": self.spec.name, "inputs": self.given, "start": start}
        with self.driver.recorded_as(RUN_SKILL, arguments) as done:
            result = await self._run(self.result, start=start, **self._options)
            if _asks_to_stay(result) and await self._goes_to_new_tab(
                "the tab that was given asks before it is left"
            ):
                result = await self._run(self.result, start=start, **self._options)
            done.failed = not result.ok
        return result

    async def _leave_what_was_typed(self) -> None:
        """Go on in a new tab where this one holds what a person typed: loading it anew would lose that."""
        if (field := await self.driver.typed_by_hand()) is not None:
            await self._goes_to_new_tab(f"{say(field)} holds what somebody typed in the tab that was given")

    async def _goes_to_new_tab(self, why: str) -> bool:
        """Whether the run goes on in a new tab, which a step that runs another skill can't."""
        if is_called() or not hasattr(self.page, "browser"):
            return False
        self.driver = await self.driver.browser.open("about:blank")
        self.page = self.result.page = type(self.page)(self.page.browser, self.driver)
        self.result.why_new_tab, self.result.error = why, None
        return True

    def _go_on(self, result: SkillResult, stopped: Stopped, options: Mapping[str, Any]) -> SkillResult:
        """Do the steps that are left; `options` stand in the place of those that the run began with."""
        kept = {**self._options, **options}
        if "healer" in options:
            kept |= self._healing(options["healer"])
        result.ok, result.error = False, None
        if result.outcomes and result.outcomes[-1].index == stopped.step:
            result.outcomes.pop()
        return io.sync(self._run(result, stopped=stopped, **kept))

    async def _run(self, result: SkillResult, **options: Any) -> SkillResult:
        given = [str(value) for value in self.given.values()]
        return await run_skill(
            self.spec, self.driver, self.values, result=result, page=self.page, given=given, **options
        )

    def _healing(self, healer: Healer | Literal["person"] | None) -> dict[str, Any]:
        """Who finds what code alone can't find: a function or the model, then the person."""
        found = None if isinstance(healer, str) else healer
        if found is None and self.model is not None and hooks.make_scout is not None:
            found = hooks.make_scout(self.model, self.driver).heal
        return {"healer": found, "let_point": let_point if healer == "person" else None}


def _asks_to_stay(result: SkillResult) -> bool:
    """Whether a run ended before its first step, since its page asked the person whether to leave it."""
    error = result.error
    asks = isinstance(error, DialogBlocked) and error.data.get("kind") == "beforeunload"
    return asks and not result.outcomes
