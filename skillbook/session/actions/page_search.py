"""Role selectors resolved in the page: it reads the few elements that they may name, and nothing else.

The page answers with a part of its snapshot, in which the selector finds what it would find in the whole one. Selectors
of which that can't be said are left to a whole snapshot.
"""

from __future__ import annotations

from typing import Any

from skillbook.errors import SkillbookError
from skillbook.perception.roles import FIELDS
from skillbook.perception.selectors import Selector, find_all
from skillbook.policy.secrets import MASK
from skillbook.protocol.envelopes import SeenTarget
from skillbook.session.action import Resolved
from skillbook.session.page.page_reader import PageReader

_ROLES = {"img": None, "dialog": ["dialog", "alertdialog"]}
_BY_LAYOUT = frozenset({"offscreen", "obscured", "modal", "description"})
"""What only a whole snapshot says."""


async def find_in_page(page: PageReader, selector: Selector, *, acts: bool) -> Resolved | None:
    """The one element that a selector names; None where the page can't say, or there is none, or several.

    Parameters
    ----------
    page, selector : where, and what.
    acts : whether somebody acts on it: then it goes with the call which record it is in.
    """
    query = query_of(selector)
    if query is None:
        return None
    try:
        found = await page.read_parts(query=query, records=acts)
    except SkillbookError:
        return None  # the snapshot that comes instead says why
    if found is None:
        return None
    part, records = found
    nodes = find_all(part, selector)
    if len(nodes) != 1 or (acts and records is None):
        return None
    node, ref = nodes[0], nodes[0].ref
    if ref is None:
        return None
    if not acts:
        return Resolved(ref, node, selector=str(selector))
    record = (records or {}).get(ref)
    if record is not None and any(MASK in text for text in (*record.texts, *record.links)):
        record = None
    seen = SeenTarget(name="" if MASK in node.name else node.name, record=record)
    return Resolved(ref, node, seen, selector=str(selector))


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
