"""What the page itself can be asked of a role selector."""

from __future__ import annotations

from typing import Any

from skillbook.perception.roles import FIELDS
from skillbook.perception.selectors.grammar import Selector

_ROLES = {"img": None, "dialog": ["dialog", "alertdialog"]}
_BY_LAYOUT = frozenset({"offscreen", "obscured", "modal", "description"})
"""What only a whole snapshot says."""


def query_of(selector: Selector) -> dict[str, Any] | None:
    """What the page needs to know of a selector; None where it can't find what that names."""
    if selector.beside is not None or selector.frames:
        return None
    if any(test.key in _BY_LAYOUT for test in selector.tests):
        return None
    name = selector.name if selector.name is not None and selector.name.mode != "regex" else None
    wanted: dict[str, Any] = {"name": name.text, "part": name.mode == "includes"} if name is not None else {}
    if selector.kind == "label":
        wanted |= {"roles": sorted(FIELDS), "editable": True}
    elif selector.kind == "role" and selector.role not in {"any", "card", "form"}:
        roles = _ROLES.get(selector.role, [selector.role])
        if roles is None:
            return None
        wanted["roles"] = roles
    else:
        return None
    if selector.within is None:
        return wanted
    outer = selector.within
    if (
        outer.kind != "role"
        or outer.nth is not None
        or (outer.name is not None and outer.name.mode != "exact")
    ):
        return None
    around = query_of(outer)
    return None if around is None else {**wanted, "within": around}
