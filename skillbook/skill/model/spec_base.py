"""What all parts of a skill's model share: names that can be a skill's, and what goes in and comes out."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from skillbook.errors import InvalidSkillName, SelectorSyntaxError
from skillbook.perception.selectors import parse_selector
from skillbook.skill.model.templates import INPUT_NAME, Value, placeholders


class SkillModel(BaseModel):
    """The base of a skill's parts: immutable, refusing fields it doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def check_selector(text: str) -> None:
    """Refuse a text that is no role selector.

    Raises ValueError: with what is wrong, for the validation of models.
    """
    try:
        parse_selector(text)
    except SelectorSyntaxError as error:
        raise ValueError(error.message) from None


MAX_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)


def check_name(name: object) -> str:
    """Return the name if it can be a skill's (Agent Skills specification, and Windows' reserved names).

    Raises InvalidSkillName: it is no string, too long, has other characters, or is a device's name on Windows.
    """
    shown = ascii(name)[:80]
    if not isinstance(name, str):
        raise InvalidSkillName(f"a skill's name must be a string, not {type(name).__name__}")
    if len(name) > MAX_NAME:
        raise InvalidSkillName(f"the skill name {shown} is longer than {MAX_NAME} characters")
    if not _NAME.fullmatch(name):
        hint = slug(name)
        raise InvalidSkillName(
            f"{shown} can't be a skill's name",
            hint=f"use lowercase letters, digits and single hyphens, such as {hint!r}" if hint else None,
        )
    if name in _RESERVED:
        raise InvalidSkillName(f"{shown} is a device's name on Windows", hint=f"try {name + '-skill'!r}")
    return name


def slug(text: str) -> str:
    """The nearest valid name to a text, or '' where nothing of it is left."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    short = words[:MAX_NAME].rstrip("-")
    return f"{short}-skill" if short in _RESERVED else short


def skill_folder(folder: Path, name: str) -> Path:
    """Where a skill of that name lives in `folder`, checked to be a real child of it.

    Raises InvalidSkillName: a bad name, a symbolic link in its place, or an entry that differs only by case.
    """
    check_name(name)
    place = folder / name
    if place.is_symlink():
        raise InvalidSkillName(
            f"{place} is a symbolic link",
            hint="replace it by a real folder; skills are never written through links",
        )
    if folder.is_dir():
        for entry in folder.iterdir():
            if entry.name != name and entry.name.lower() == name:
                raise InvalidSkillName(
                    f"{folder} already has {entry.name!a}, which differs from {name!r} only by case",
                    hint="choose another name, or rename the folder",
                )
    return place


InputType = Literal["str", "int", "float", "bool"]
TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
RESERVED_INPUTS = frozenset(
    {"self", "page", "model", "inputs", "start", "raise_on_error", "healer", "approve", "progress", "empty"}
)


class SkillInput(SkillModel):
    """One typed input of a skill.

    default: the value where none is given; None means that there is none.
    required: whether a run needs it to be given, which a default makes false; an optional one without default is empty.
    choices: the only values it may have.
    from_page: `origin` takes the scheme, host and port of the page that the skill runs on, where no value is given and
        the page is on this machine.
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

    items: what loops call their items, which are no inputs.
    """
    found: dict[str, SkillInput] = {}
    have = {one.name for one in known} | set(items)
    for one in placeholders(text):
        if one.kind == "input" and one.name not in have and (one.name not in found or one.shown):
            found[one.name] = SkillInput(name=one.name, description=one.shown)
    return [*known, *found.values()]


OutputType = Literal["str", "int", "float", "bool", "any"]
INT, FLOAT = re.compile(r"-?(?:0|[1-9]\d*)"), re.compile(r"-?(?:0|[1-9]\d*)\.\d+")
BOOLS = {"true": True, "false": False}
"""What a page writes that is of these types for sure."""


class SkillOutput(SkillModel):
    """One thing that a skill gives: a column of its rows, or the fact that a `get` or `is` step reads.

    type: what a run must give; `any` takes whatever is there.
    """

    name: Annotated[str, StringConstraints(max_length=1000)]
    type: OutputType = "any"
    description: str = Field("", max_length=1024)

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data
