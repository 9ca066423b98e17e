"""What every tool has: a name, a schema, an effect, and how its answer is put into words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ValidationError

from skillbook.errors import InvalidParams


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
) -> BaseTool:
    """Make a tool for the agent.

    Parameters
    ----------
    name, description, schema: what the model sees.
    work: awaited with the validated arguments; returns text, or text and artifact with `artifact=True`.
    effect: read, write or irreversible.
    kind: `command` for one derived from the registry, `note` for bookkeeping that touches no page, `person`
        for one that only a person can answer, else `tool`.
    why: why a person is asked before it, where its effect alone doesn't say that.
    """
    return StructuredTool.from_function(
        coroutine=work,
        name=name,
        description=description,
        args_schema=schema,
        metadata={"effect": effect, "kind": kind, "why": why},
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


def input_schema(tool: BaseTool) -> dict[str, Any]:
    """JSON schema of a tool's arguments."""
    schema = tool.args_schema
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return _schema_of(schema)
    return tool.get_input_jsonschema()


@lru_cache(maxsize=256)
def _schema_of(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema()


def check_args(tool: BaseTool, args: dict[str, Any]) -> None:
    """Check a tool's arguments.

    Raises
    ------
    InvalidParams: naming each argument that doesn't fit.
    """
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return
    try:
        schema.model_validate(args)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
            for fault in error.errors()
        )
        known = ", ".join(schema.model_fields) or "none"
        raise InvalidParams(
            f"The arguments don't fit the tool `{tool.name}`: {faults}.",
            hint=f"Its arguments are: {known}.",
        ) from None
