"""What a skill's file may give to a command besides its target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from skillbook.protocol.commands import COMMANDS
from skillbook.skill.model.templates import placeholders

_REFS = {"ref", "to_ref"}
_TEXT: Any = str | int | float | bool
_SECONDS: Any = Annotated[float, Field(strict=True, gt=0, le=600)]
_WAITS: dict[str, Any] = {
    **dict.fromkeys(("text", "text_gone", "selector", "url", "function"), _TEXT),
    **dict.fromkeys(("idle", "quiet", "load"), bool),
    **dict.fromkeys(("seconds", "timeout"), _SECONDS),
}


def check_params(command: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that the command doesn't have, and plain values that it can't take.

    What holds a placeholder is judged when the step is done.

    Parameters
    ----------
    command : its name; one that is no command of pages has no parameters.

    Raises
    ------
    ValueError : with the parameter's name, for the validation of models.
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
