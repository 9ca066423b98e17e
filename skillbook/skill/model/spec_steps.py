"""A skill's steps: one command each, or steps inside of a loop or another skill; what they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    JsonValue,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from skillbook.errors import InvalidSkillName
from skillbook.extraction.frames.evidence import Law
from skillbook.protocol.commands import COMMANDS
from skillbook.session.page.act_requests import BROKE, FailedRequest
from skillbook.skill.model.spec_base import SkillModel, SkillOutput, check_name, check_selector
from skillbook.skill.model.templates import INPUT_NAME, Value, placeholders

Start = Literal["auto", "always", "here"]


class Check(SkillModel):
    """What must hold after a step; every given part must. Texts may hold placeholders.

    url: a glob (`*`, `?`) over the decoded address.
    present, absent: a role selector that must match something, or nothing.
    text: a text that the page must show.
    rows: how many rows an `extract` step must give at least.
    within: seconds to wait for it.
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

    fields: column name to what to read of each item, as `sb.extract` has it; None reads the main collection.
    next: the selector of the way to the next page, or true to find it by its name.
    max_pages: pages or scrolls at most.
    scroll: scroll down until nothing new comes.
    append: add the rows to those of the extract step before.
    leftover: laws that were broken when this was recorded: broken again, these are noted; others are an error.
    allow_partial: rows count whatever law is broken.
    """

    fields: dict[str, str] | None = None
    within: str | None = None
    next: str | bool | None = None
    max_pages: int | None = Field(None, ge=1, le=10_000, strict=True)
    scroll: bool = False
    append: bool = False
    leftover: list[Law] = []
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

    items: the selector that every item fits.
    key: a selector inside an item; its text says which item it is, and no two may have the same.
    name: what the steps inside call that text: `${input:name}`.
    next: the selector of the way to the next page, or true to find it by its name; without it one page is all.
    max_items: so many at most; the rest is left alone.
    may_be_empty: whether a page without any item is no failure.
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

    step: the number of the step that causes it, among those of the file; steps after that may cause it as well, where
        it comes late.
    origin: scheme://host[:port].
    path: literal; `{id}` stands for any id, `{page[4]}` for the one that is the fourth part of the path of the page on
        which the step acts, `{page[#4]}` of its route after `#`, `{page[name]}` of its parameter. Query parameters
        follow after a `?`, by name, or as `name=value`.
    operation: the operation of a GraphQL or JSON-RPC call, or the value of a form's `action` field.
    fields: the names in the body, digits as `#`, with kinds and counts of items, as `RequestShape.names` has them; None
        where it doesn't say.
    count: how often, each time that the step is done.
    """

    step: int = Field(ge=1, strict=True)
    method: Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,20}$")]
    origin: str
    path: str
    operation: str = ""
    fields: list[str] | None = None
    count: int = Field(1, ge=1, strict=True)

    def __str__(self) -> str:
        operation = f" ({self.operation})" if self.operation else ""
        named = f" with {', '.join(self.fields)}" if self.fields else ""
        return f"{self.method} {self.origin}{self.path}{operation}{named}{f', {self.count} times' * (self.count > 1)}"


@dataclass(frozen=True)
class FailureShape:
    """A request that failed in the recording: `POST /orders/{id} 422`, or `GET /list broke`.

    In the path `{id}` stands for any id, and `*` for any part; parameters follow after a `?` by their names.
    """

    method: str
    path: str
    status: str

    def matches(self, request: FailedRequest) -> bool:
        """Whether a request is of this shape."""
        method, path, status = request.shape
        parts, others = self.path.split("/"), path.split("/")
        is_path = len(parts) == len(others) and all(
            part in ("*", other) for part, other in zip(parts, others, strict=True)
        )
        return is_path and (method, status) == (self.method, self.status)


Fails = list[Annotated[str, StringConstraints(pattern=rf"^[A-Z]{{1,20}} /\S* (?:[45]\d\d|{BROKE})$")]]


def shape_of(text: str) -> FailureShape:
    """A failure as a skill's file has it."""
    return FailureShape(*text.split(" "))


class SubSkill(SkillModel):
    """Which skill a `run_skill` step runs: one whose folder lies beside this one's.

    inputs: the values of its inputs; texts may hold placeholders.
    start: whether to go to its first address, as for `skill.run`.
    address, origins, secrets, sends: what that skill says, in the words of this one; the file doesn't repeat it.
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

    selectors: role selectors, the primary one first; their names may hold placeholders.
    fingerprint: what the element was like when it was recorded, for ranking where no selector matches.
    """

    selectors: list[str] = Field(min_length=1, max_length=20)
    fingerprint: dict[str, str] = {}

    @field_validator("selectors")
    @classmethod
    def _parse(cls, selectors: list[str]) -> list[str]:
        for selector in selectors:
            check_selector(selector)
        return selectors


_REFS = {"ref", "to_ref"}
_TEXT: Any = str | int | float | bool
_Duration: Any = Annotated[float, Field(strict=True, gt=0, le=600)]
_WAITS: dict[str, Any] = {
    **dict.fromkeys(("text", "text_gone", "selector", "url", "function"), _TEXT),
    **dict.fromkeys(("idle", "load"), bool),
    **dict.fromkeys(("seconds", "timeout"), _Duration),
}


def check_params(command: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that the command doesn't have, and plain values that it can't take.

    What holds a placeholder is judged when the step is done.

    command: its name; one that is no command of pages has no parameters.
    Raises ValueError: with the parameter's name, for the validation of models.
    """
    known = _types(command)
    for name, value in params.items():
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ValueError(f"{command} has no parameter {name!r}; it has: {listed}")
        if next(placeholders(value), None) is not None:
            continue
        try:
            TypeAdapter(known[name]).validate_python(value)
        except ValidationError as error:
            raise ValueError(f"the parameter {name!r}: {error.errors()[0]['msg']}") from None


def _types(command: str) -> dict[str, Any]:
    if command == "wait_for":
        return _WAITS
    if command not in COMMANDS:
        return {}
    fields = COMMANDS[command].params.model_fields
    return {name: _type(info) for name, info in fields.items() if name not in _REFS}


def _type(info: FieldInfo) -> Any:
    """What the file may say: numbers and booleans become texts where the command takes texts."""
    if info.annotation is str:
        return _TEXT
    if info.annotation == list[str]:
        return list[_TEXT]
    return Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


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

    optional: a failure of it is no failure of the run.
    when: a role selector; the step is only done where the page shows such an element, as a banner to close.
    irreversible: it could not be undone when it was recorded, and a person approved it then.
    confirms: what was listed where this was confirmed, by the dialog or the page: related records, counts, names. What
        is listed otherwise now is asked about; `${any}` stands for anything, and None compares nothing.
    fails: requests of it that failed when it was recorded, such as `POST /orders/{id} 422`; others end the run.
    shows_error: the page said that something was wrong when it was recorded; where it didn't, that ends the run.
    output: the name and type of what a `get` or `is` step reads; it is in `result.values`, and in a frame with a row
        for each item where the step is in a loop.
    until, presses: of a click that switches something: the state that it reaches, as `{sort: descending}`, and how
        often it may be pressed for that. In that state already, it isn't pressed.
    loop, steps: of a `for_each` step: what it goes over, and what is done for each.
    skill: of a `run_skill` step: which one; `steps` are those of that skill, with this one's inputs.
    line: of a skill that is code: the line of skill.py that makes this call.
    named: how that line names the target; where it names another one, `target` says nothing of it.
    """

    command: str
    target: StepTarget | None = None
    to: StepTarget | None = None
    params: dict[str, JsonValue] = {}
    expect: list[Check] = []
    optional: bool = False
    when: str | None = None
    irreversible: bool = False
    confirms: list[str] | None = None
    fails: Fails = []
    shows_error: bool = False
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
