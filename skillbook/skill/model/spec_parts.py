"""What steps are made of: where they act, what they read, go over and run, and what must hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from skillbook.errors import InvalidSkillName
from skillbook.session.page.act_requests import BROKE, FailedRequest
from skillbook.skill.model.skill_names import check_name
from skillbook.skill.model.spec_base import SkillModel, check_selector
from skillbook.skill.model.templates import INPUT_NAME, Value

Start = Literal["auto", "always", "here"]


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
    path : literal; `{id}` stands for any id, `{page[4]}` for the one that is the fourth part of the path of the page on
        which the step acts, `{page[#4]}` of its route after `#`, `{page[name]}` of its parameter. Query parameters
        follow after a `?`, by name, or as `name=value`.
    operation : the operation of a GraphQL or JSON-RPC call, or the value of a form's `action` field.
    fields : the names in the body, digits as `#`, with kinds and counts of items, as `RequestShape.names` has them;
        None where it doesn't say.
    count : how often, each time that the step is done.
    """

    step: int = Field(ge=1, strict=True)
    method: Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,20}$")]
    origin: str
    path: str
    operation: str = ""
    fields: list[str] | None = None
    count: int = Field(1, ge=1, strict=True)

    def __str__(self) -> str:
        said = f" ({self.operation})" if self.operation else ""
        named = f" with {', '.join(self.fields)}" if self.fields else ""
        return (
            f"{self.method} {self.origin}{self.path}{said}{named}{f', {self.count} times' * (self.count > 1)}"
        )


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
