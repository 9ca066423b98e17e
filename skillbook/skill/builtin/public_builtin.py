"""A built-in skill as users hold it; it looks and runs like a saved one."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from skillbook.errors import InvalidInput, MissingInput
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.perception.summary import PageSummary
from skillbook.session.page_driver import driver_of
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Chooser, Details, Params, Refusal, Slots
from skillbook.skill.builtin.running import BuiltinRun
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model import SkillInput, SkillStep
from skillbook.skill.replay.skill_result import Progress, SkillResult


class Builtin:
    """A skill that comes with skillbook: it works on pages that nobody recorded, without a model.

    Parameters
    ----------
    skill : what it does.
    """

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
        model: Any = None,
        *,
        inputs: Mapping[str, Any] | None = None,
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
        page : a `Page` of either twin.
        model : asked which control is meant, where the page has several; it can only look. None asks no model.
        inputs, more : the inputs' values, as a mapping or by keyword.
        choose : the ref of a control by its slot, where the page has several: `choose={"field": "e12"}`.
        chooser : asked in the model's place.
        approve : called with a question in words before what running the skill doesn't approve by itself. Running it
            approves what it is for, on the page's own site: that `login` sends the password, say.
        implied : False asks about that too.
        raise_on_error : raise what ended the run, rather than return it as `result.error`.
        progress : called after each step with its outcome.

        Returns
        -------
        A `SkillResult`. `error` is `CannotBind` where the page has no such control, or several, and nothing was done;
        `ReplayFailed` where it was done and the page doesn't show what it was for.

        Raises
        ------
        MissingInput, InvalidInput, ModelNotConfigured : before anything is done.
        """
        run = self._prepare(page, model, inputs, more, choose, chooser, approve, implied, progress)
        result = io.sync(run.run())
        return result.raise_for_error() if raise_on_error else result

    async def arun(
        self,
        page: Any,
        model: Any = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        choose: Mapping[str, str] | None = None,
        chooser: Chooser | None = None,
        approve: Approve | None = None,
        implied: bool = True,
        raise_on_error: bool = False,
        progress: Progress | None = None,
        **more: Any,
    ) -> SkillResult:
        """Like `run`, awaitable from any loop."""
        run = self._prepare(page, model, inputs, more, choose, chooser, approve, implied, progress)
        result = await io.wait(run.run())
        return result.raise_for_error() if raise_on_error else result

    def _prepare(
        self,
        page: Any,
        model: Any,
        inputs: Mapping[str, Any] | None,
        more: Mapping[str, Any],
        choose: Mapping[str, str] | None,
        chooser: Chooser | None,
        approve: Approve | None,
        implied: bool,
        progress: Progress | None,
    ) -> BuiltinRun:
        given = {**(inputs or {}), **more}
        params = self.check(given)
        shown = {name: str(value) for name, value in params.items() if name not in self.skill.hidden}
        self.last = SkillResult(self.name, dict(shown))
        driver = driver_of(page)
        if chooser is None and model is not None and hooks.make_scout is not None:
            chooser = hooks.make_scout(model, driver)
        return BuiltinRun(
            self.skill, driver, params, self.last, page,
            dict(choose or {}), chooser, approve, implied, progress,
        )  # fmt: skip

    def check(self, given: Mapping[str, Any]) -> Params:
        """The inputs as the skill takes them.

        Raises
        ------
        MissingInput, InvalidInput
        """
        known = {one.name: one for one in self.skill.inputs}
        for name in given:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise InvalidInput(f"{self.name} has no input {name!r}", hint=f"its inputs are: {listed}")
        missing = [name for name, one in known.items() if one.required and given.get(name) in (None, "")]
        if missing:
            raise MissingInput(f"{self.name} needs {', '.join(missing)}")
        defaults = {name: one.default for name, one in known.items() if one.default is not None}
        return {**defaults, **{name: value for name, value in given.items() if value is not None}}

    def __repr__(self) -> str:
        inputs = ", ".join(f"{one.name}{'' if one.required else '?'}" for one in self.inputs)
        return f"<Skill {self.name}({inputs}): built-in>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        rows = "".join(
            f"<li><code>{escape(one.name)}</code>: {escape(one.description)}</li>" for one in self.inputs
        )
        html = f"<b>{escape(self.name)}</b> (built-in)<p>{escape(self.description)}</p><ul>{rows}</ul>"
        return {"text/plain": repr(self), "text/html": html}
