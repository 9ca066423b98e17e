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
from skillbook.skill.model.inputs import Empty, insert_button, merge_inputs, named_model, refuse_blank
from skillbook.skill.replay.skill_result import Progress, SkillResult


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
        model = named_model(self.name, self.inputs, unnamed, model)
        run = self._prepare(
            page, model, merge_inputs(inputs, more, empty), choose, chooser, approve, implied, progress
        )
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
        model = named_model(self.name, self.inputs, unnamed, model)
        run = self._prepare(
            page, model, merge_inputs(inputs, more, empty), choose, chooser, approve, implied, progress
        )
        result = await io.wait(run.run())
        return result.raise_for_error() if raise_on_error else result

    def _prepare(
        self,
        page: Any,
        model: Any,
        given: Mapping[str, Any],
        choose: Mapping[str, str] | None,
        chooser: Chooser | None,
        approve: Approve | None,
        implied: bool,
        progress: Progress | None,
    ) -> BuiltinRun:
        params = self.check(given)
        shown = {name: str(value) for name, value in params.items() if name not in self.skill.hidden}
        self.last = SkillResult(self.name, dict(shown))
        driver = driver_of(page)
        if chooser is None and model and hooks.make_scout is not None:
            chooser = hooks.make_scout(model, driver)
        return BuiltinRun(
            self.skill, driver, params, self.last, page,
            dict(choose or {}), chooser, approve, implied, progress,
        )  # fmt: skip

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
