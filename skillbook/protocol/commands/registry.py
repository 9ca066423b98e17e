"""What a command is: the one entry from which types, tools, policy, journal and docs are derived."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from skillbook.protocol.model import WireModel


class Effect(StrEnum):
    """What a command may do to the world."""

    READ = "read"
    WRITE = "write"
    IRREVERSIBLE = "irreversible"


@dataclass(frozen=True)
class Command:
    """One action that can cross the wire.

    Parameters
    ----------
    name : the command's name on both sides.
    params, result : their models.
    effect : what it may do; the policy can raise it for a given target, never lower it.
    description : one sentence for the model, the docs and the journal.
    scope : whether it needs a page ("page") or not ("browser").
    internal : not offered as a Page method or agent tool.
    local_params : parameters of the call that the kernel sees to itself; the wire has none of them.
    human_only : those that a person may give and an agent may not.
    """

    name: str
    params: type[WireModel]
    result: type[WireModel]
    effect: Effect
    description: str
    scope: Literal["page", "browser"] = "page"
    internal: bool = False
    local_params: type[WireModel] | None = None
    human_only: frozenset[str] = frozenset()

    @cached_property
    def ref_fields(self) -> tuple[str, ...]:
        """The parameters that name an element."""
        return tuple(name for name in self.params.model_fields if name in {"ref", "to_ref"})

    @cached_property
    def local_fields(self) -> frozenset[str]:
        """The parameters that the wire doesn't have."""
        return frozenset(self.local_params.model_fields if self.local_params else ())

    @cached_property
    def call_model(self) -> type[BaseModel]:
        """The parameters as a person or a model gives them: a target is a ref or a role selector.

        `ref` becomes `target`, `to_ref` becomes `to`; the session resolves both before the wire.
        """
        fields: dict[str, Any] = {}
        for name, info in self.params.model_fields.items():
            if name in self.ref_fields:
                default = ... if info.is_required() else None
                kind = str if info.is_required() else str | None
                hint = "A ref such as e12, or a role selector such as button 'Save'."
                fields[CALL_NAMES[name]] = (kind, Field(default, description=hint))
            else:
                fields[name] = (info.annotation, info)
        for name, info in (self.local_params.model_fields if self.local_params else {}).items():
            fields[name] = (info.annotation, info)
        return self._model("Call", fields)

    @cached_property
    def tool_model(self) -> type[BaseModel]:
        """The parameters as an agent gives them."""
        if not self.human_only:
            return self.call_model
        given = self.call_model.model_fields.items()
        return self._model(
            "Tool", {name: (info.annotation, info) for name, info in given if name not in self.human_only}
        )

    def _model(self, suffix: str, fields: dict[str, Any]) -> type[BaseModel]:
        title = "".join(part.title() for part in self.name.split("_"))
        return create_model(
            f"{title}{suffix}", __config__={"extra": "forbid"}, __doc__=self.description, **fields
        )


CALL_NAMES = {"ref": "target", "to_ref": "to"}
