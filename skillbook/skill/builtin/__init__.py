"""Skills that come with skillbook: they work on pages that nobody recorded, without a model."""

from __future__ import annotations

from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Candidate, Chooser, Details, Refusal, Slots
from skillbook.skill.builtin.checkout import Checkout
from skillbook.skill.builtin.cookies import AcceptCookies, RejectCookies
from skillbook.skill.builtin.download import Download
from skillbook.skill.builtin.fill_form import FillForm
from skillbook.skill.builtin.filter import Filter
from skillbook.skill.builtin.login import Login, Logout
from skillbook.skill.builtin.menu import NavigateByMenu
from skillbook.skill.builtin.paginate import Paginate
from skillbook.skill.builtin.public_builtin import Builtin
from skillbook.skill.builtin.site_search import Search

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
