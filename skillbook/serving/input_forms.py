"""The inputs of a skill or workflow as the fields of a form, and what a form gives back."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from skillbook.errors import InvalidInput
from skillbook.policy.secrets import store
from skillbook.protocol.asks.skill_asks import FormInput, InputType
from skillbook.serving.workflows.workflow import Workflow
from skillbook.skill.builtin import Builtin
from skillbook.skill.facade import Skill

_SKILL_TYPES: Mapping[str, InputType] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
}
_WORKFLOW_TYPES: Mapping[str, InputType] = {
    **_SKILL_TYPES,
    "date": "date",
    "secret": "secret",
    "DataFrame": "table",
}


def skill_form(skill: Skill | Builtin) -> list[FormInput]:
    """The inputs of a skill."""
    hidden = skill.skill.hidden if isinstance(skill, Builtin) else frozenset[str]()
    return [
        FormInput(
            name=one.name,
            type="secret" if one.name in hidden else "choice" if one.choices else _SKILL_TYPES[one.type],
            label=label_of(one.name),
            help=one.description,
            required=one.required and one.from_page is None,
            # What the page gives where nothing is given must not be given.
            default=None if one.from_page else one.default,
            choices=list(one.choices or ()),
        )
        for one in skill.inputs
    ]


def workflow_form(workflow: Workflow) -> list[FormInput]:
    """The inputs of a workflow."""
    found = []
    for one in workflow.inputs:
        kind: InputType = "choice" if one.choices else _WORKFLOW_TYPES.get(one.kind, "text")
        if one.kind.startswith("list[dict"):
            kind = "table"
        elif one.kind.startswith(("list", "tuple", "set")):
            kind = "list"
        default = None if one.default is inspect.Parameter.empty else one.default
        found.append(
            FormInput(
                name=one.name,
                type=kind,
                label=label_of(one.name),
                help=one.description,
                required=one.required,
                default=default if isinstance(default, str | int | float | bool | list) else None,
                choices=list(one.choices),
            )
        )
    return found


def label_of(name: str) -> str:
    """A name as a label."""
    return name.replace("_", " ").replace("-", " ").strip().capitalize()


def take_inputs(
    form: Iterable[FormInput], given: Mapping[str, Any], *, frames: bool = False
) -> dict[str, Any]:
    """What a form gave, as a skill or workflow takes it: secrets by their names, blanks left out.

    Parameters
    ----------
    frames : whether a table becomes a DataFrame.

    Raises
    ------
    InvalidInput : there is no secret of that name.
    """
    fields = {field.name: field for field in form}
    inputs: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name)
        if value is None or (value == "" and field is not None and field.type != "text"):
            continue
        if value == "" and field is not None and not field.required:
            continue
        if field is not None and field.type == "secret":
            if not store.has(str(value)):
                raise InvalidInput(
                    f"there is no secret {str(value)!r}",
                    hint=f"give a secret's name; set its value where the kernel runs: {store.variable(str(value))}",
                )
            inputs[name] = store.add(str(value))
        elif field is not None and field.type == "table" and frames:
            inputs[name] = pd.DataFrame(value)
        else:
            inputs[name] = value
    return inputs
