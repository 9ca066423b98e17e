"""What goes into a skill and what comes out of it: inputs and outputs, with their names and types."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from skillbook.skill.model.spec_base import SkillModel
from skillbook.skill.model.templates import INPUT_NAME, Value, placeholders

InputType = Literal["str", "int", "float", "bool"]
TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
RESERVED_INPUTS = frozenset(
    {"self", "page", "model", "inputs", "start", "raise_on_error", "healer", "approve", "progress", "empty"}
)


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
