"""What every tool has: a name, a schema, an effect, and how its answer is put into words."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ValidationError

from skillbook.agents.state.run_context import OfferedAs
from skillbook.errors import InvalidParams
from skillbook.protocol.commands import CALL_NAMES, COMMANDS, ModelWords

_REF = re.compile(r"""\s*(?:@|\[?\s*ref\s*[=:]\s*|\[\s*)?["']?((?:f[1-9]\d*)?e[1-9]\d*)["']?\s*\]?\s*""")
_NAME_ELEMENTS = frozenset({*CALL_NAMES.values(), "ref", "targets", "within", "until", "selector"})
_WANTED_PARTS = frozenset({"list_type", "tuple_type", "dict_type", "model_type", "model_attributes_type"})

_OURS = "Value error, "
"""What pydantic writes before a sentence of a validator."""


def make_tool(
    name: str,
    description: str,
    schema: type[BaseModel],
    work: Callable[..., Awaitable[Any]],
    *,
    effect: str,
    kind: str = "tool",
    artifact: bool = False,
    why: str = "",
    words: ModelWords | None = None,
) -> BaseTool:
    """Make a tool for the agent.

    work: awaited with the validated arguments; returns text, or text and artifact with `artifact=True`.
    effect: read, write or irreversible.
    kind: `command` for one derived from the registry, `look` for one that only looks at a page, `note` for bookkeeping
        that touches no page, `person` for one that only a person can answer, else `tool`.
    why: why a person is asked before it, where its effect alone doesn't say that.
    words: what a model reads of it; by default what the table has of a command of its name.
    """
    spec = COMMANDS.get(name)
    words = words or (spec.words if spec is not None else ModelWords())
    return StructuredTool.from_function(
        coroutine=work,
        name=name,
        description=description,
        args_schema=schema,
        metadata={"effect": effect, "kind": kind, "why": why, "words": asdict(words)},
        response_format="content_and_artifact" if artifact else "content",
    )


def effect_of(tool: BaseTool) -> str:
    """The tool's effect by the table; the policy may find a higher one for a given target."""
    return str((tool.metadata or {}).get("effect", "write"))


def kind_of(tool: BaseTool) -> str:
    """The tool's kind, as given to `make_tool`."""
    return str((tool.metadata or {}).get("kind", "tool"))


def why_of(tool: BaseTool) -> str:
    """Why a person is asked before it, as given to `make_tool`."""
    return str((tool.metadata or {}).get("why", ""))


def words_of(tool: BaseTool) -> ModelWords:
    """What a model reads of it, as given to `make_tool`."""
    return ModelWords(**(tool.metadata or {}).get("words", {}))


def fields_of(tool: BaseTool) -> tuple[str, ...]:
    """The names of a tool's arguments."""
    return tuple(input_schema(tool).get("properties", {}))


def input_schema(tool: BaseTool) -> dict[str, Any]:
    """JSON schema of a tool's arguments."""
    schema = tool.args_schema
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return _schema_of(schema)
    return tool.get_input_jsonschema()


@lru_cache(maxsize=256)
def _schema_of(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema()


def check_args(tool: BaseTool, args: dict[str, Any], offered: OfferedAs | None = None) -> None:
    """Check a tool's arguments.

    offered: how its caller knows the tool; by its own name and arguments where that is None.
    Raises InvalidParams: naming each argument that doesn't fit.
    """
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return
    try:
        schema.model_validate(args)
    except ValidationError as error:
        faults = "; ".join(
            ": ".join(filter(None, [".".join(map(str, fault["loc"])), fault["msg"].removeprefix(_OURS)]))
            for fault in error.errors()
        )
        name, known = offered or OfferedAs(tool.name, tuple(schema.model_fields))
        raise InvalidParams(
            f"The arguments don't fit the tool `{name}`: {faults}.",
            hint=f"Its arguments are: {', '.join(known) or 'none'}.",
        ) from None


def argument_names(tool: BaseTool) -> frozenset[str]:
    """The names of a tool's arguments."""
    schema = tool.args_schema
    return (
        frozenset(schema.model_fields)
        if isinstance(schema, type) and issubclass(schema, BaseModel)
        else frozenset()
    )


def fit_args(tool: BaseTool, args: Mapping[str, Any]) -> dict[str, Any]:
    """A model's arguments as the tool takes them, where they are spelled otherwise but can mean nothing else.

    Numbers and texts of them, parts as JSON or without the list around them, and a ref as a page's text writes it.
    """
    fitted = copy.deepcopy(dict(args))
    for name in _NAME_ELEMENTS & fitted.keys():
        value = fitted[name]
        fitted[name] = [_as_ref(each) for each in value] if isinstance(value, list) else _as_ref(value)
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return fitted
    try:
        schema.model_validate(fitted)
    except ValidationError as error:
        for fault in error.errors():
            _fit(fitted, fault["loc"], fault["type"])
    known = {name: value for name, value in fitted.items() if name in schema.model_fields}
    try:
        valid = schema.model_validate(known)
    except ValidationError:
        return fitted
    for name, value in known.items():
        read = getattr(valid, name)
        if isinstance(value, str) and isinstance(read, int | float):
            fitted[name] = read
    return fitted


def _fit(args: Any, place: tuple[int | str, ...], fault: str) -> None:
    """Put what was meant in the place of one value that doesn't fit, if that is certain."""
    *way, last = place or ("",)
    try:
        for part in way:
            args = args[part]
        value = args[last]
    except (LookupError, TypeError):
        return
    if fault == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        args[last] = json.dumps(value)
    elif fault in _WANTED_PARTS and isinstance(value, str):
        try:
            parts = json.loads(value)
        except ValueError:
            parts = None
        wanted: type = dict if fault not in {"list_type", "tuple_type"} else list
        if isinstance(parts, wanted):
            args[last] = parts
        elif fault == "list_type":
            args[last] = [value]


def _as_ref(value: Any) -> Any:
    found = _REF.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else value


def without_unknown(tool: BaseTool, args: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A call's arguments without those that the tool doesn't know, and the names of these."""
    known = argument_names(tool)
    if not known:
        return dict(args), ()
    unknown = tuple(name for name in args if name not in known)
    return {name: value for name, value in args.items() if name in known}, unknown
