"""Skills that come with skillbook: they work on pages that nobody recorded, without a model."""

from __future__ import annotations

from skillbook.skill.builtin.base import BuiltinSkill, Candidate, Chooser, Details, Refusal, Slots
from skillbook.skill.builtin.facade import Builtin
from skillbook.skill.builtin.login import Login, Logout
from skillbook.skill.builtin.search import Search

BUILTIN: dict[str, type[BuiltinSkill]] = {one.name: one for one in (Login, Logout, Search)}
"""By name."""


def builtin_skill(name: str) -> Builtin | None:
    """The built-in skill of a name; None where there is none."""
    found = BUILTIN.get(name.replace("-", "_"))
    return Builtin(found()) if found else None


__all__ = [
    "BUILTIN",
    "Builtin",
    "BuiltinSkill",
    "Candidate",
    "Chooser",
    "Details",
    "Refusal",
    "Slots",
    "builtin_skill",
]
