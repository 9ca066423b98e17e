"""A skill's steps: one command each, or steps inside of a loop or another skill, numbered through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import Field, JsonValue, field_validator, model_validator

from skillbook.protocol.commands import COMMANDS
from skillbook.skill.model.spec_base import SkillModel, check_selector
from skillbook.skill.model.spec_parts import Check, Extract, Fails, Loop, StepTarget, SubSkill
from skillbook.skill.model.step_params import check_params
from skillbook.skill.model.values import SkillOutput

EXTRACT = "extract"
FOR_EACH = "for_each"
RUN_SKILL = "run_skill"
FACTS = frozenset(command.name for command in COMMANDS.values() if command.gives_fact)
STEP_COMMANDS = frozenset(
    command.name for command in COMMANDS.values() if command.scope == "page" and not command.internal
) | {EXTRACT, FOR_EACH, RUN_SKILL}
SWITCHES = ("sort", "pressed", "checked", "expanded")
_DEEPEST = 3


class SkillStep(SkillModel):
    """One command of a skill with where it acts, its parameters and what must hold afterwards.

    Parameters
    ----------
    optional : a failure of it is no failure of the run.
    when : a role selector; the step is only done where the page shows such an element, as a banner to close.
    irreversible : it could not be undone when it was recorded, and a person approved it then.
    fails : requests of it that failed when it was recorded, such as `POST /orders/{id} 422`; others end the run.
    output : the name and type of what a `get` or `is` step reads; it is in `result.values`, and in a frame with a row
        for each item where the step is in a loop.
    until, presses : of a click that switches something: the state that it reaches, as `{sort: descending}`, and how
        often it may be pressed for that. In that state already, it isn't pressed.
    loop, steps : of a `for_each` step: what it goes over, and what is done for each.
    skill : of a `run_skill` step: which one; `steps` are those of that skill, with this one's inputs.
    line : of a skill that is code: the line of skill.py that makes this call.
    named : how that line names the target; where it names another one, `target` says nothing of it.
    """

    command: str
    target: StepTarget | None = None
    to: StepTarget | None = None
    params: dict[str, JsonValue] = {}
    expect: list[Check] = []
    optional: bool = False
    when: str | None = None
    irreversible: bool = False
    fails: Fails = []
    note: str = ""
    extract: Extract | None = None
    output: SkillOutput | None = None
    until: dict[str, str] = {}
    presses: int = Field(1, ge=1, le=20, strict=True)
    loop: Loop | None = None
    skill: SubSkill | None = None
    steps: list[SkillStep] = []
    line: int = Field(0, ge=0, strict=True)
    named: str = ""

    @field_validator("command")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in STEP_COMMANDS:
            raise ValueError(f"there is no command {name!r}; there are {', '.join(sorted(STEP_COMMANDS))}")
        return name

    @model_validator(mode="after")
    def _fits(self) -> SkillStep:
        if self.when is not None:
            check_selector(self.when)
        if (self.output is not None) is not (self.command in FACTS):
            raise ValueError("an output is what a step reads with get or is, and these need one")
        is_loop, is_skill = self.command == FOR_EACH, self.command == RUN_SKILL
        if (self.loop is not None) is not is_loop or (bool(self.steps) is not is_loop and not is_skill):
            raise ValueError("for_each needs a loop and steps, and nothing else has them")
        if (self.skill is not None) is not is_skill:
            raise ValueError("run_skill needs a skill, and nothing else has one")
        if self.extract is not None and self.command != EXTRACT:
            raise ValueError("only an extract step has what to extract")
        if unknown := set(self.until) - set(SWITCHES):
            raise ValueError(f"until knows {', '.join(SWITCHES)}, not {min(unknown)}")
        if (self.until or self.presses > 1) and (self.command != "click" or not self.until):
            raise ValueError("until and presses belong to a click that switches something")
        check_params(self.command, self.params)
        if (is_loop or is_skill) and (self.optional or self.target or self.to or self.params or self.extract):
            raise ValueError(
                f"{self.command} has no target, parameters or rows of its own, and can't be optional"
            )
        if _depth(self) > _DEEPEST:
            raise ValueError(f"loops are nested more than {_DEEPEST} deep")
        return self


def _depth(step: SkillStep) -> int:
    return (step.loop is not None) + max(map(_depth, step.steps), default=0)


def in_order(steps: Iterable[SkillStep]) -> Iterator[SkillStep]:
    """Every step, those inside of a loop or another skill after the step that does them, as they are numbered."""
    for step in steps:
        yield step
        yield from in_order(step.steps)


def own_steps(steps: Iterable[SkillStep], first: int) -> Iterator[tuple[int, SkillStep]]:
    """The steps that a skill's file has, those of other skills left out, with their numbers among all."""
    number = first
    for step in steps:
        yield number, step
        if step.skill is None:
            yield from own_steps(step.steps, number + 1)
        number += 1 + len(list(in_order(step.steps)))
