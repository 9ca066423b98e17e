"""What a skill is: typed inputs and outputs, steps with locators and checks, origins, secrets, a prompt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    field_validator,
    model_validator,
)

from skillbook.errors import InvalidSkillName, SelectorSyntaxError
from skillbook.perception.selectors import parse_selector
from skillbook.protocol.commands import COMMANDS
from skillbook.skill.names import check_name
from skillbook.skill.params import check_params
from skillbook.skill.templates import INPUT_NAME, SECRET_NAME, Value, check_known, fill_text, placeholders

InputType = Literal["str", "int", "float", "bool"]
TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
RESERVED_INPUTS = frozenset(
    {"self", "page", "model", "inputs", "start", "raise_on_error", "healer", "approve", "progress"}
)
EXTRACT = "extract"
FOR_EACH = "for_each"
RUN_SKILL = "run_skill"
_DEEPEST = 3
FACTS = frozenset(command.name for command in COMMANDS.values() if command.gives_fact)
STEP_COMMANDS = frozenset(
    command.name for command in COMMANDS.values() if command.scope == "page" and not command.internal
) | {EXTRACT, FOR_EACH, RUN_SKILL}
Start = Literal["auto", "always", "here"]


class SkillModel(BaseModel):
    """The base of a skill's parts: immutable, refusing fields it doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SkillInput(SkillModel):
    """One typed input of a skill.

    Parameters
    ----------
    default : the value where none is given; None means that there is none.
    required : whether a run needs it to be given, which a default makes false; an optional one without default
        is empty.
    choices : the only values it may have.
    from_page : `origin` takes the scheme, host and port of the page that the skill runs on, where no value is
        given and the page is on this machine.
    """

    name: Annotated[str, StringConstraints(pattern=rf"^{INPUT_NAME}$")]
    type: InputType = "str"
    description: str = Field("", max_length=1024)
    default: Value | None = None
    required: bool = True
    choices: list[Value] | None = None
    from_page: Literal["origin"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _default_makes_optional(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("default") is not None:
            return {**data, "required": False}
        return data

    @model_validator(mode="after")
    def _fits(self) -> SkillInput:
        if self.name in RESERVED_INPUTS:
            raise ValueError(f"{self.name!r} is a parameter of skill.run(); name it {self.name + '_value'!r}")
        if not self.required and self.default is None and self.from_page is None and self.type != "str":
            raise ValueError("an optional input that is no str needs a default")
        for value in [self.default, *(self.choices or [])]:
            if value is not None and not has_type(value, self.type):
                raise ValueError(f"{value!r} is no {self.type}")
        if self.choices and self.default is not None and self.default not in self.choices:
            raise ValueError(f"the default {self.default!r} is not among the choices")
        return self


def has_type(value: object, name: InputType) -> bool:
    """Whether a value is of an input type; an int counts as float, a bool only as bool."""
    if isinstance(value, bool):
        return name == "bool"
    return isinstance(value, (int, float) if name == "float" else TYPES[name])


def check_selector(text: str) -> None:
    """Refuse a text that is no role selector.

    Raises
    ------
    ValueError : with what is wrong, for the validation of models.
    """
    try:
        parse_selector(text)
    except SelectorSyntaxError as error:
        raise ValueError(error.message) from None


class Check(SkillModel):
    """What must hold after a step; every given part must. Texts may hold placeholders.

    Parameters
    ----------
    url : a glob (`*`, `?`) over the decoded address.
    present, absent : a role selector that must match something, or nothing.
    text : a text that the page must show.
    value : what the step's target must hold.
    rows : how many rows an `extract` step must give at least.
    within : seconds to wait for it.
    """

    url: str | None = None
    present: str | None = None
    absent: str | None = None
    text: str | None = None
    value: str | None = None
    rows: int | None = Field(None, ge=0, strict=True)
    within: float = Field(10.0, gt=0, le=600)

    @model_validator(mode="after")
    def _says_something(self) -> Check:
        if all(getattr(self, name) is None for name in ("url", "present", "absent", "text", "value", "rows")):
            raise ValueError("a check needs one of url, present, absent, text, value, rows")
        for selector in (self.present, self.absent):
            if selector is not None:
                check_selector(selector)
        return self


class Extract(SkillModel):
    """What an `extract` step reads: columns by selector, or the collection a selector names.

    Parameters
    ----------
    fields : column name to what to read of each item, as `sb.extract` has it; None reads the main collection.
    within : the collection, or the items.
    next : the selector of the way to the next page, or true to find it by its name.
    max_pages : pages or scrolls at most.
    scroll : scroll down until nothing new comes.
    append : add the rows to those of the extract step before.
    allow_partial : rows count also where the page claims to have more of them; else that is an error.
    """

    fields: dict[str, str] | None = None
    within: str | None = None
    next: str | bool | None = None
    max_pages: int | None = Field(None, ge=1, le=10_000, strict=True)
    scroll: bool = False
    append: bool = False
    allow_partial: bool = False

    @model_validator(mode="before")
    @classmethod
    def _names_are_fields(cls, data: Any) -> Any:
        fields = data.get("fields") if isinstance(data, dict) else None
        if isinstance(fields, list) and all(isinstance(name, str) for name in fields):
            return {**data, "fields": {name: name for name in fields}}
        return data


class Loop(SkillModel):
    """What a `for_each` step goes over: the items of a list, table or set of cards, one after the other.

    Parameters
    ----------
    items : the selector that every item fits.
    key : a selector inside an item; its text says which item it is, and no two may have the same.
    name : what the steps inside call that text: `${input:name}`.
    next : the selector of the way to the next page, or true to find it by its name; without it one page is all.
    max_items : so many at most; the rest is left alone.
    may_be_empty : whether a page without any item is no failure.
    """

    items: str
    key: str
    name: Annotated[str, StringConstraints(pattern=rf"^{INPUT_NAME}$")]
    next: str | Literal[True] | None = None
    max_items: int | None = Field(None, ge=1, le=10_000, strict=True)
    may_be_empty: bool = False

    @model_validator(mode="after")
    def _fits(self) -> Loop:
        for selector in (self.items, self.key, self.next):
            if isinstance(selector, str):
                check_selector(selector)
        return self


class Send(SkillModel):
    """One kind of request that a skill may send, and from which of its steps on. Texts may hold placeholders.

    Parameters
    ----------
    step : the number of the step that causes it, among those of the file; steps after that may cause it as well, where
        it comes late.
    origin : scheme://host[:port].
    path : a template: `{id}` stands for what names one thing; names of query parameters follow after a `?`.
    operation : the operation of a GraphQL or JSON-RPC call, or the value of a form's `action` field.
    """

    step: int = Field(ge=1, strict=True)
    method: Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,20}$")]
    origin: str
    path: str
    operation: str = ""

    def __str__(self) -> str:
        said = f" ({self.operation})" if self.operation else ""
        return f"{self.method} {self.origin}{self.path}{said}"


class SubSkill(SkillModel):
    """Which skill a `run_skill` step runs: one whose folder lies beside this one's.

    Parameters
    ----------
    inputs : the values of its inputs; texts may hold placeholders.
    start : whether to go to its first address, as for `skill.run`.
    address, origins, secrets, sends : what that skill says, in the words of this one; the file doesn't repeat it.
    """

    name: str
    inputs: dict[str, Value] = {}
    start: Start = "auto"
    address: str | None = None
    origins: list[str] = []
    secrets: list[str] = []
    sends: list[Send] | None = None

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        try:
            return check_name(name)
        except InvalidSkillName as error:
            raise ValueError(error.message) from None


class StepTarget(SkillModel):
    """Where a step acts.

    Parameters
    ----------
    selectors : role selectors, the primary one first; their names may hold placeholders.
    fingerprint : what the element was like when it was recorded, for ranking where no selector matches.
    """

    selectors: list[str] = Field(min_length=1, max_length=20)
    fingerprint: dict[str, str] = {}

    @field_validator("selectors")
    @classmethod
    def _parse(cls, selectors: list[str]) -> list[str]:
        for selector in selectors:
            check_selector(selector)
        return selectors


OutputType = Literal["str", "int", "float", "bool", "any"]


class SkillOutput(SkillModel):
    """One thing that a skill gives: a column of its rows, or the fact that a `get` or `is` step reads.

    Parameters
    ----------
    type : what a run must give; `any` takes whatever is there.
    """

    name: Annotated[str, StringConstraints(max_length=1000)]
    type: OutputType = "any"
    description: str = Field("", max_length=1024)

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data


class SkillStep(SkillModel):
    """One command of a skill with where it acts, its parameters and what must hold afterwards.

    Parameters
    ----------
    optional : a failure of it is no failure of the run.
    when : a role selector; the step is only done where the page shows such an element, as a banner to close.
    irreversible : it could not be undone when it was recorded, and a person approved it then.
    output : the name and type of what a `get` or `is` step reads; it is in `result.values`, and in a frame with a row
        for each item where the step is in a loop.
    loop, steps : of a `for_each` step: what it goes over, and what is done for each.
    skill : of a `run_skill` step: which one; `steps` are those of that skill, with this one's inputs.
    """

    command: str
    target: StepTarget | None = None
    to: StepTarget | None = None
    params: dict[str, JsonValue] = {}
    expect: list[Check] = []
    optional: bool = False
    when: str | None = None
    irreversible: bool = False
    note: str = ""
    extract: Extract | None = None
    output: SkillOutput | None = None
    loop: Loop | None = None
    skill: SubSkill | None = None
    steps: list[SkillStep] = []

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


def _own_steps(steps: Iterable[SkillStep], first: int) -> Iterator[tuple[int, SkillStep]]:
    """The steps that a skill's file has, those of other skills left out, with their numbers among all."""
    number = first
    for step in steps:
        yield number, step
        if step.skill is None:
            yield from _own_steps(step.steps, number + 1)
        number += 1 + len(list(in_order(step.steps)))


class SkillSpec(SkillModel):
    """A skill as data: what its files say.

    Parameters
    ----------
    body : the prompt in Markdown, with placeholders.
    start : the address where it begins, with placeholders; None is wherever the page is.
    outputs : what it gives: the frame's columns, where they are known, with their types where those are to be kept.
    origins : where it may write; scheme://host[:port], with placeholders.
    secrets : names of the secrets it types.
    sends : the requests that may change something which its steps may send, nothing else; None where it doesn't say.
    steps : none for a skill that is a prompt only.
    metadata : string to string, for others.
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
    steps: list[SkillStep] = []
    license: str | None = None
    compatibility: str | None = Field(None, max_length=500)
    metadata: dict[str, str] = {}
    allowed_tools: list[Annotated[str, StringConstraints(pattern=r"^\S+$")]] = []

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        return check_name(name)

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
            if send.step > (count := len(list(_own_steps(self.steps, 1)))):
                raise ValueError(f"sends names step {send.step}, and there are {count}")
        _check_names(self.steps, inputs, secrets, 1)
        return self

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
        own = dict(enumerate(_own_steps(self.steps, 1), 1))
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
        return frozenset(number for number, _ in _own_steps(self.steps, 1))

    @property
    def _skills(self) -> list[SubSkill]:
        return [step.skill for _, step in _own_steps(self.steps, 1) if step.skill is not None]

    @property
    def all_steps(self) -> list[SkillStep]:
        """Every step, also those inside of loops and of skills that it runs, in the order of their numbers, from 1."""
        return list(in_order(self.steps))

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
        said = json.dumps(
            self.model_dump(mode="json", exclude_defaults=True), sort_keys=True, ensure_ascii=True
        )
        return hashlib.sha256(said.encode()).hexdigest()


def _check_names(steps: Iterable[SkillStep], inputs: set[str], secrets: set[str], first: int) -> None:
    """Refuse placeholders that name nothing where they stand; a loop's name is known to the steps inside."""
    number = first
    for step in steps:
        where = f"step {number} ({step.command})"
        said = step.model_dump(mode="json", exclude={"steps": True, "skill": {"sends"}})
        check_known(said, inputs, secrets, where)
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


def inputs_of_text(text: str, known: list[SkillInput], items: Collection[str] = ()) -> list[SkillInput]:
    """The inputs that a prompt names and `known` doesn't: strings, described by their shown text.

    Parameters
    ----------
    items : what loops call their items, which are no inputs.
    """
    found: dict[str, SkillInput] = {}
    have = {one.name for one in known} | set(items)
    for one in placeholders(text):
        if one.kind == "input" and one.name not in have and (one.name not in found or one.shown):
            found[one.name] = SkillInput(name=one.name, description=one.shown)
    return [*known, *found.values()]
