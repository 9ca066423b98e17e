"""Going to another page of a list."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from skillbook import lexicon
from skillbook.extraction.walking.page_numbers import page_number
from skillbook.goals.goal_matching import goal_itself
from skillbook.perception.collections.collection import Collection
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, refuse
from skillbook.skill.builtin.controls import PRESSABLE, of_kind, plain, says_broken, step, usable
from skillbook.skill.model import SkillInput, SkillStep

_WAYS = {"next_page": "next", "previous_page": "previous"}


@cache
def _goal() -> re.Pattern[str]:
    look, article, page = map(lexicon.alternation, ("look", "article", "page"))
    number = rf"{page} ?(?P<number>\d{{1,6}})|(?P<first>\d{{1,6}}) ?{page}"
    return re.compile(rf"^(?:{look} )?(?:{article} )?(?:{number}|(?P<rest>.+))$")


class Paginate(BuiltinSkill):
    """Follows a pager to the next, the previous, or a numbered page."""

    name = "paginate"
    description = "Go to another page of a list: the next, the previous, or one by its number."
    inputs = (
        SkillInput(name="to", description='"next", "previous", or a number', default="next", required=False),
    )
    most_stages = 1

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "next page"."""
        found = _goal().match(goal_itself(goal))
        if found is None or not (rest := found["rest"]):
            return {"to": found["number"] or found["first"]} if found else None
        ways = [way for meaning, way in _WAYS.items() if lexicon.is_all(meaning, rest)]
        says_page = " " in rest or re.search(lexicon.alternation("page"), rest)  # a form has a "next" too
        return {"to": ways[0]} if ways and says_page else None

    def slots(self, details: Details, params: Params) -> Slots:
        """The one control that leads there, and the list that it turns."""
        to = str(params.get("to", "next")).strip().lower()
        if to == "next":
            scored = _next_of(details.summary)
        elif to == "previous":
            scored = [(0.8, node) for node in of_kind(details.summary.snapshot, "previous_page")]
        elif to.isdigit():
            scored = _numbered(details.summary, int(to))
        else:
            raise refuse(f"{to!r} is no page: give 'next', 'previous' or a number")
        page = details.pick(
            "page", scored, f"way to the {to} page" if not to.isdigit() else f"way to page {to}"
        )
        return Slots({"page": page}, f"to {to}")

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press it."""
        return [step("click", slots["page"], "turn the page")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether a list has other rows than before."""
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        known, now = _rows(before), _rows(after)
        if not now and known:
            return "the list has no rows any more"
        if known == now:
            return "the list still has the same rows"
        return ""


def _majors(summary: PageSummary) -> list[Collection]:
    return [one for one in find_collections(summary.snapshot) if not one.minor and len(one.rows) > 1]


def _rows(summary: PageSummary) -> list[list[str]]:
    """The texts of every list's rows; without lists, the page's own."""
    lists = [[clean(row.node.text) for row in one.rows] for one in _majors(summary)]
    return lists or [[clean(node.name) for node in summary.snapshot.nodes if node.role == "text"]]


def _next_of(summary: PageSummary) -> list[tuple[float, Node]]:
    """What leads each list on; several ways to one address are one."""
    from skillbook.extraction.walking.pagers import find_next

    snapshot: Any = summary.snapshot
    found: dict[str, Node] = {}
    inside = [
        range(row.node.index, snapshot.ends[row.node.index])
        for one in _majors(summary)
        if one.kind in {"table", "grid"}
        for row in one.rows
    ]
    for rows in [one.rows for one in _majors(summary)] or [()]:
        control = find_next(snapshot, True, rows).control
        if control is not None and not any(control.index in span for span in inside):
            found.setdefault(control.href or str(control.ref), control)
    scored = [(0.9, node) for node in found.values()]
    if len(scored) > 1:
        leading_on = [(score, node) for score, node in scored if action_intent(node.label) == "next_page"]
        scored = leading_on or scored
    return scored


def _numbered(summary: PageSummary, number: int) -> list[tuple[float, Node]]:
    """The control with a page's number, beside others with numbers next to it."""
    numbers = {
        node.index: shown
        for node in summary.snapshot.elements
        if node.role in PRESSABLE and usable(node) and (shown := page_number(plain(node.label))) is not None
    }
    found = []
    for index, value in numbers.items():
        if value != number:
            continue
        node = summary.snapshot.nodes[index]
        near = [up for place, up in enumerate(node.ancestors) if place < 4]
        beside = any(
            other != index and up.index < other < summary.snapshot.ends[up.index]
            for up in near
            for other in numbers
        )
        if beside and not any(up.role in {"grid", "gridcell", "cell"} for up in node.ancestors):
            found.append((0.9, node))
    return found
