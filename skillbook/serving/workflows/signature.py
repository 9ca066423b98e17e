"""The inputs of a workflow, from its function's annotations and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from skillbook.errors import InvalidInput, InvalidWorkflow, MissingInput
from skillbook.policy.secrets import Secret
from skillbook.skill.model.inputs import refuse_blank

RESERVED = frozenset({"inputs", "on_progress", "raise_on_error"})
"""What `Workflow.run` takes itself."""


@dataclass(frozen=True)
class WorkflowInput:
    """One input of a workflow.

    Parameters
    ----------
    kind : what it takes, in words, such as "str", "int" or "secret".
    default : the value where none is given; `inspect.Parameter.empty` where one has to be.
    choices : the only values it may have; empty for any.
    """

    name: str
    kind: str
    description: str = ""
    default: Any = inspect.Parameter.empty
    choices: tuple[Any, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a run needs it to be given."""
        return self.default is inspect.Parameter.empty

    def __str__(self) -> str:
        default = "" if self.required else f" = {self.default!r}"
        return f"{self.name}: {self.kind}{default}"


class WorkflowSignature:
    """What a workflow's function takes.

    Parameters
    ----------
    function : its first parameter gets the page, the others are the inputs.

    Raises
    ------
    InvalidWorkflow : it takes no page, or takes inputs that nobody can name.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        doc = docstring_parser.parse(inspect.getdoc(function) or "")
        self.description = doc.short_description or ""
        self._described = {each.arg_name: " ".join((each.description or "").split()) for each in doc.params}
        parameters = [*inspect.signature(function).parameters.values()]
        page, rest = next(iter(parameters), None), parameters[1:]
        if page is None or page.kind not in {page.POSITIONAL_ONLY, page.POSITIONAL_OR_KEYWORD}:
            raise InvalidWorkflow(
                f"the workflow {name!r} takes no page",
                hint=f"def {function.__name__}(page, *, query: str): …",
            )
        for each in rest:
            if each.kind in {each.VAR_KEYWORD, each.VAR_POSITIONAL, each.POSITIONAL_ONLY}:
                raise InvalidWorkflow(
                    f"the workflow {name!r} takes {each}, which no form can ask for",
                    hint="give each input a name and a type",
                )
            if each.name in RESERVED:
                raise InvalidWorkflow(
                    f"{each.name!r} is a parameter of workflow.run()",
                    hint=f"name it {each.name + '_value'!r}",
                )
        self._parameters = rest
        try:
            self._hints: Mapping[str, Any] = {
                name: _without_none(hint)
                for name, hint in get_type_hints(function, include_extras=True).items()
            }
        except NameError as error:  # a name that only a type checker knows
            raise InvalidWorkflow(
                f"the workflow {name!r}: {error}", hint="import the types of its inputs at run time"
            ) from None

    @cached_property
    def inputs(self) -> tuple[WorkflowInput, ...]:
        """The inputs, in order."""
        return tuple(self._input(each) for each in self._parameters)

    def _input(self, parameter: inspect.Parameter) -> WorkflowInput:
        wanted = self._hints.get(parameter.name, str)
        choices = get_args(wanted) if get_origin(wanted) is Literal else ()
        if wanted is Secret:
            kind = "secret"
        elif choices:
            kind = " | ".join(map(repr, choices))
        else:
            kind = wanted.__name__ if isinstance(wanted, type) else str(wanted).replace("typing.", "")
        described = self._described.get(parameter.name, "")
        return WorkflowInput(parameter.name, kind, described, parameter.default, choices)

    @cached_property
    def model(self) -> type[BaseModel]:
        """A model of the inputs: it checks them, and its JSON schema is their form."""
        fields: dict[str, Any] = {}
        for each in self._parameters:
            default = ... if each.default is each.empty else each.default
            wanted = self._hints.get(each.name, str)
            about = self._described.get(each.name) or None
            if wanted is Secret:
                fields[each.name] = (
                    str,
                    Field(default, description=about, json_schema_extra={"secret": True}),
                )
            else:
                fields[each.name] = (wanted, Field(default, description=about))
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self.name} inputs", __config__=config, **fields)

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given inputs as the function takes them; texts such as "5" are converted.

        Raises
        ------
        MissingInput : required ones without value.
        InvalidInput : unknown ones, blank ones, or values of another type.
        """
        known = {each.name: each for each in self.inputs}
        hint = f"its inputs are: {', '.join(map(str, self.inputs)) or 'none'}"
        if extra := sorted(given.keys() - known.keys()):
            raise InvalidInput(
                f"{self.name} has no input {', '.join(map(repr, extra))}", hint=hint, inputs=extra
            )
        if missing := [each.name for each in self.inputs if each.required and each.name not in given]:
            raise MissingInput(
                f"{self.name} needs a value for {', '.join(map(repr, missing))}", hint=hint, inputs=missing
            )
        left_out = [name for name, value in given.items() if value is None and known[name].default is None]
        given = {name: value for name, value in given.items() if name not in left_out}
        for name, value in given.items():
            refuse_blank(self.name, name, value)
            if known[name].kind == "secret" and not isinstance(value, Secret):
                raise InvalidInput(
                    f"{self.name}: the input {name!r} is a secret", hint="give sb.secret('name')", input=name
                )
        try:
            checked = self.model.model_validate(dict(given))
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else ""
            raise InvalidInput(
                f"{self.name}: the input {name!r}: {first['msg'].lower()}, not {ascii(given.get(name))[:60]}",
                hint=hint,
                input=name,
            ) from None
        return {
            name: value if isinstance(value, Secret) else getattr(checked, name)
            for name, value in given.items()
        }


def _without_none(hint: Any) -> Any:
    """What an optional input takes where it is given; `Secret | None` takes a secret."""
    found = [each for each in get_args(hint) if each is not type(None)]
    optional = get_origin(hint) in {Union, UnionType} and len(found) == 1
    return found[0] if optional else hint
