"""Skills that come with skillbook: they work on pages that nobody recorded, without a model."""

from __future__ import annotations

from skillbook.skill.builtin.builtin_skill import BuiltinSkill
from skillbook.skill.builtin.entering_skills import AcceptCookies, Login, Logout, RejectCookies
from skillbook.skill.builtin.finding_skills import Download, NavigateByMenu, Search
from skillbook.skill.builtin.form_skills import Checkout, FillForm
from skillbook.skill.builtin.list_skills import Filter, Paginate
from skillbook.skill.builtin.running import Builtin

BUILTIN: dict[str, type[BuiltinSkill]] = {
    one.name: one
    for one in (
        AcceptCookies, Checkout, Download, FillForm, Filter, Login, Logout, NavigateByMenu, Paginate, RejectCookies,
        Search,
    )
}  # fmt: skip
"""By name."""


def builtin_skill(name: str) -> Builtin | None:
    """The built-in skill of a name; None where there is none."""
    found = BUILTIN.get(name.replace("-", "_"))
    return Builtin(found()) if found else None
