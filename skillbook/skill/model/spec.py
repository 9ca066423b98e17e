"""A skill as a whole, code included, as its files say it: its digest changes with any of its parts."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints, field_validator, model_validator

from skillbook.cells.foresight import ForeseenCall, foresee
from skillbook.cells.parsed_code import parsed
from skillbook.cells.surface import TAB_TOOLS
from skillbook.cells.written_secrets import find_hidden_code
from skillbook.errors import InvalidCell, InvalidParams
from skillbook.policy.secrets import Secret
from skillbook.session.devices import device_named
from skillbook.session.saved_state import is_state_name
from skillbook.skill.model.spec_base import SkillInput, SkillModel, SkillOutput, check_name
from skillbook.skill.model.spec_steps import EXTRACT, Fails, Send, SkillStep, SubSkill, in_order, own_steps
from skillbook.skill.model.templates import SECRET_NAME, Value, check_known, fill_text, inputs_naming

FIRST_LINE = "from skillbook.cells.in_kernel import sb"
"""What a kernel needs and the sandbox has by itself."""


def calls_of(code: str) -> list[ForeseenCall]:
    """The calls of a skill's code that need a step, one for each line and command.

    Raises InvalidCell: it is no Python.
    """
    found = {
        (call.line, call.method.tool): call
        for call in reversed(foresee(code).calls)
        if call.method.effect != "read" or call.method.tool == EXTRACT
    }
    return list(reversed(found.values()))


def check_code(code: str, steps: Sequence[SkillStep], inputs: Iterable[str]) -> None:
    """Refuse code that isn't one function with the inputs, or whose calls aren't the steps.

    Raises ValueError: with what is wrong, for the validation of models.
    """
    if not code:
        raise ValueError("steps have lines, and there is no code")
    try:
        calls, tree = calls_of(code), parsed(code)
        other = [call.line for call in foresee(code).calls if call.method.tool in TAB_TOOLS]
    except InvalidCell as error:
        raise ValueError(f"skill.py: {error.message}") from None
    if other:
        raise ValueError(f"skill.py, line {other[0]}: a skill that is code works in one tab")
    if hidden := find_hidden_code(code):
        raise ValueError(f"skill.py, {hidden[0].shown(code)}")
    body = [each for each in tree.body if not isinstance(each, ast.Expr)]
    if body and isinstance(body[0], ast.ImportFrom) and ast.unparse(body[0]) == FIRST_LINE:
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != "run":
        raise ValueError("skill.py: exactly one function `run` is wanted")
    arguments = body[0].args
    named = {each.arg for each in arguments.kwonlyargs}
    if [each.arg for each in arguments.args] != ["page"] or named - set(inputs) or arguments.vararg:
        raise ValueError(
            f"skill.py: run(page, *, …) takes the inputs, and there are {', '.join(inputs) or 'none'}"
        )
    wanted = [(call.line, call.method.tool) for call in calls]
    if sorted(wanted) != sorted((step.line, step.command) for step in steps):
        raise ValueError(
            "skill.py and the steps differ: each call that acts or reads rows is one step with its line and command; "
            f"the code has {', '.join(f'{tool} in line {line}' for line, tool in wanted) or 'none'}"
        )


def program_of(code: str, values: Mapping[str, Any]) -> str:
    """What the sandbox runs: the code, and a call of its function with the inputs' values."""
    function = next(each for each in parsed(code).body if isinstance(each, ast.FunctionDef))
    named = [each.arg for each in function.args.kwonlyargs]
    given = ", ".join(["page", *(f"{name}={_plain(values[name])}" for name in named)])
    return f"{code.replace(FIRST_LINE, '', 1).rstrip()}\n\n\nrun({given})\n"


def _plain(value: Any) -> str:
    """An input's value as an expression; only a `Secret` is one for the code, whatever a text says."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, Secret) and value == Secret(min(value.names)):
        return f"sb.secret({min(value.names)!r})"
    # Texts side by side are no placeholder (`skillbook.cells.written_secrets`).
    return " ".join(map(repr, re.split(r"(?<=\$)(?=\{secret:)", str.__str__(str(value)))))


VERSION, EARLIER_VERSION = "skillbook-version", "1"
DEVICE = "skillbook-device"
STATE = "skillbook-state"
BEGINS = "skillbook-begins"
IN_THE_MIDDLE = "in-the-middle"


class SkillSpec(SkillModel):
    """A skill as data: what its files say.

    body: the prompt in Markdown, with placeholders.
    start: the address where it begins, with placeholders; None is wherever the page is.
    outputs: what it gives: the frame's columns, where they are known, with their types where those are to be kept.
    origins: where it may write; scheme://host[:port], with placeholders.
    secrets: names of the secrets it types.
    sends: the requests that may change something which its steps may send, nothing else; None where it doesn't say.
    fails: requests that failed when its first page was opened, as a step's `fails`.
    steps: none for a skill that is a prompt only.
    code: the text of skill.py, whose function `run` makes the steps' calls; empty where the steps say it all.
    metadata: string to string, for others; `skillbook-device` names the device that its page is shown as on,
        `skillbook-state` the state that it is signed in by; `skillbook-begins: in-the-middle` says that somebody had
        acted on its page before it was recorded.
    """

    name: str
    description: str = Field(min_length=1, max_length=1024)
    body: str = ""
    inputs: list[SkillInput] = []
    outputs: list[SkillOutput] = []
    start: str | None = None
    origins: list[str] = []
    secrets: list[Annotated[str, StringConstraints(pattern=rf"^{SECRET_NAME}$")]] = []
    sends: list[Send] | None = None
    fails: Fails = []
    steps: list[SkillStep] = []
    code: str = ""
    license: str | None = None
    compatibility: str | None = Field(None, max_length=500)
    metadata: dict[str, str] = {}
    allowed_tools: list[Annotated[str, StringConstraints(pattern=r"^\S+$")]] = []

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        return check_name(name)

    @field_validator("metadata")
    @classmethod
    def _known_keys(cls, metadata: dict[str, str]) -> dict[str, str]:
        if not is_state_name(metadata.get(STATE, "none")):
            raise ValueError(
                f"{STATE} is a name such as shop, of browser.save_state, not a file or its content"
            )
        if name := metadata.get(DEVICE):
            try:
                device_named(name)
            except InvalidParams as error:
                raise ValueError(f"{error.message}; {error.hint}") from None
        return metadata

    @field_validator("body")
    @classmethod
    def _clean(cls, body: str) -> str:
        return body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")

    @model_validator(mode="after")
    def _consistent(self) -> SkillSpec:
        names = [one.name for one in self.inputs]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"inputs named twice: {', '.join(sorted(twice))}")
        inputs, secrets = set(names), set(self.secrets)
        check_known([self.start, self.origins], inputs, set(), "start or origins")
        for send in self.sends or ():
            check_known(send.model_dump(), inputs | self.item_names, set(), "sends")
            if send.step > (count := len(list(own_steps(self.steps, 1)))):
                raise ValueError(f"sends names step {send.step}, and there are {count}")
        _check_names(self.steps, inputs, secrets, 1)
        if self.code or any(step.line for step in self.all_steps):
            check_code(self.code, self.steps, inputs)
        return self

    @property
    def device(self) -> str:
        """The device that its page is shown as on while it runs; "" for the page as it is."""
        return self.metadata.get(DEVICE, "")

    @property
    def state(self) -> str:
        """The name of the state by which it is signed in; "" for none."""
        return self.metadata.get(STATE, "")

    @property
    def begins_in_the_middle(self) -> bool:
        """Whether it goes on from what was done on its page before, rather than from a page loaded anew."""
        return self.metadata.get(BEGINS) == IN_THE_MIDDLE

    @property
    def says_shown_errors(self) -> bool:
        """Whether its file says of each step if the page showed an error; those of an earlier version don't."""
        return self.metadata.get(VERSION) != EARLIER_VERSION

    @property
    def all_origins(self) -> list[str]:
        """Where it may write, with where the skills that it runs may."""
        return list(dict.fromkeys([*self.origins, *(one for skill in self._skills for one in skill.origins)]))

    @property
    def all_secrets(self) -> list[str]:
        """The secrets that it types, with those of the skills that it runs."""
        return list(dict.fromkeys([*self.secrets, *(one for skill in self._skills for one in skill.secrets)]))

    @property
    def all_sends(self) -> list[Send] | None:
        """What it and the skills that it runs may send, by the numbers of `all_steps`; None where one doesn't say."""
        own = dict(enumerate(own_steps(self.steps, 1), 1))
        if self.sends is None or any(skill.sends is None for skill in self._skills):
            return None
        sends = [send.model_copy(update={"step": own[send.step][0]}) for send in self.sends]
        for number, step in own.values():
            inner = step.skill.sends if step.skill is not None else None
            sends += [send.model_copy(update={"step": number + send.step}) for send in inner or ()]
        return sends

    @property
    def own_numbers(self) -> frozenset[int]:
        """The numbers of the steps that its file has; the others are those of skills that it runs."""
        return frozenset(number for number, _ in own_steps(self.steps, 1))

    @property
    def _skills(self) -> list[SubSkill]:
        return [step.skill for _, step in own_steps(self.steps, 1) if step.skill is not None]

    @property
    def all_steps(self) -> list[SkillStep]:
        """Every step, also those inside of loops and of skills that it runs, in the order of their numbers, from 1."""
        return list(in_order(self.steps))

    @property
    def record_inputs(self) -> frozenset[str]:
        """The inputs that say which record its steps act on: they are in targets' selectors or in addresses."""
        parts = [*self._addresses]
        for step in self.all_steps:
            parts.append(step.named)
            parts += [
                text for target in (step.target, step.to) if target is not None for text in target.selectors
            ]
        return inputs_naming(*parts) & {one.name for one in self.inputs}

    @property
    def _addresses(self) -> list[str]:
        """The addresses that it goes to, each without its site."""
        given = [self.start, *(step.params.get("url") for step in self.all_steps)]
        return [re.sub(r"^\$\{input:site\}", "", one) for one in given if isinstance(one, str)]

    @property
    def item_names(self) -> frozenset[str]:
        """What its loops call the item that is at hand; the person who runs it doesn't give these."""
        return frozenset(step.loop.name for step in self.all_steps if step.loop is not None)

    def prompt(self, inputs: Mapping[str, Value]) -> str:
        """The body with inputs filled in; the item of a loop is spoken of as "the order"."""
        return fill_text(self.body, {name: the_item(name) for name in self.item_names} | dict(inputs))

    @property
    def replays(self) -> bool:
        """Whether it has steps that run without a model; else it is a prompt for an agent."""
        return bool(self.steps)

    @property
    def digest(self) -> str:
        """Hash of everything the skill says, to notice a change since it was approved."""
        content = json.dumps(
            self.model_dump(mode="json", exclude_defaults=True), sort_keys=True, ensure_ascii=True
        )
        return hashlib.sha256(content.encode()).hexdigest()


def _check_names(steps: Iterable[SkillStep], inputs: set[str], secrets: set[str], first: int) -> None:
    """Refuse placeholders that name nothing where they stand; a loop's name is known to the steps inside."""
    number = first
    for step in steps:
        where = f"step {number} ({step.command})"
        fields = step.model_dump(mode="json", exclude={"steps": True, "skill": {"sends"}})
        check_known(fields, inputs, secrets, where)
        if step.loop is not None:
            if step.loop.name in inputs:
                raise ValueError(f"{where} calls its item {step.loop.name}, which is an input already")
            _check_names(step.steps, inputs | {step.loop.name}, secrets, number + 1)
        elif step.skill is not None:
            _check_names(step.steps, inputs, secrets | set(step.skill.secrets), number + 1)
        number += 1 + sum(1 for _ in in_order(step.steps))


def the_item(name: str) -> str:
    """How a text speaks of a loop's item where none is at hand."""
    return f"the {name.replace('_', ' ')}"
