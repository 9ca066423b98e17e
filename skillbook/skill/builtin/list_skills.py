"""On lists: narrowing one by a field of its filter or a facet, and going to another page of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from skillbook import lexicon
from skillbook.extraction.walking.page_numbers import page_number
from skillbook.goals.goal_words import before_goal, goal_itself
from skillbook.perception.action_intent import action_intent
from skillbook.perception.collections.collection import Collection
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import words
from skillbook.perception.summary import PageSummary
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import (
    PRESSABLE,
    BuiltinSkill,
    Details,
    Params,
    Slots,
    Unbound,
    changed,
    moved,
    nothing_found,
    of_kind,
    plain,
    refuse,
    says_broken,
    says_same,
    step,
    usable,
)
from skillbook.skill.builtin.form_fields import bind_values, fields_of, holds
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep

_COUNT = re.compile(r"\s*[(\[]?\d[\d.,]*[)\]]?$")
_UP = 4
_FACETS = words("link button checkbox radio switch menuitemradio menuitemcheckbox")


@cache
def _goal() -> re.Pattern[str]:
    begin, is_value = lexicon.alternation("filter_by"), lexicon.alternation("is_value")
    between = rf"\s*(?:=|:|\s{is_value}\s)\s*"
    return re.compile(rf"(?i)^{before_goal()}{begin} (?P<field>[\w ]+?){between}(?P<value>.+)$")


class Filter(BuiltinSkill):
    """Chooses a value of a filter; a field's button is pressed where the page waits for it."""

    name = "filter"
    description = "Narrow the page's list by a value of one of its filters."
    inputs = (
        SkillInput(name="field", description='the filter, such as "Category"'),
        SkillInput(name="value", description="the value to keep"),
    )
    sends = True
    most_stages = 2

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "filter by category: lamps"."""
        found = _goal().match(clean(goal))
        return {"field": found["field"].strip(), "value": found["value"].strip()} if found else None

    def slots(self, details: Details, params: Params) -> Slots:
        """The field or facet; in a second stage the button that applies it, unless the page did so already."""
        name, value = str(params["field"]), params["value"]
        if details.done and details.first is not None:
            return self._apply(details, params)
        links = _facets(details.summary, name, str(value))
        if links:
            scored: list[tuple[float, Node]] = [(0.9, node) for node in links]
            return Slots({"facet": details.pick("facet", scored, f"value {value!r} of {name!r}")}, "facet")
        fields = fields_of(details.summary.snapshot)
        try:
            settings = bind_values(details, {name: value}, fields)
        except Unbound as unbound:
            if unbound.refusal.candidates and unbound.refusal.candidates[0].confidence >= 0.5:
                raise
            raise refuse(f"there is no filter {name!r} with {value!r} on this page", "field") from None
        return Slots({"field": settings[0].node}, "set", last=False, facts={"settings": tuple(settings)})

    def _apply(self, details: Details, params: Params) -> Slots:
        facts: dict[str, Any] = {"first": details.first}
        assert details.first is not None
        settings = (
            bind_values(details, {str(params["field"]): params["value"]}, fields_of(details.summary.snapshot))
            if not moved(details.first, details.summary)
            else []
        )
        if not settings:
            return Slots({}, "apply", facts=facts)
        buttons = [
            node
            for node in (form_elements(settings[0].node) if form_key(settings[0].node) is not None else ())
            if node.role == "button" and usable(node) and _applies(node)
        ]
        facts["settings"] = tuple(settings)
        if not buttons:
            return Slots({}, "apply", facts=facts)
        button = details.pick("apply", [(0.8, node) for node in buttons], "button that applies it")
        return Slots({"apply": button}, "apply", facts=facts)

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Set the field, press the button, or follow the facet."""
        if slots.stage == "set":
            return [each for one in slots.facts["settings"] for each in one.steps]
        if slots.stage == "facet":
            node = slots["facet"]
            box = node.role in {"checkbox", "radio", "switch"}
            return [step("check" if box else "click", node, f"keep {params['value']}")]
        return [step("click", slots["apply"], "apply the filter")] if "apply" in slots.nodes else []

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the page changed by it, and the field holds the value."""
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if slots.stage == "set":
            return "" if moved(before, after) else holds(slots.facts["settings"], after.snapshot)
        first = slots.facts.get("first", before)
        if not changed(first, after):
            return "the page shows the same as before"
        if not moved(first, after) and "settings" in slots.facts:
            return holds(slots.facts["settings"], after.snapshot)
        return ""

    def answer(self, before: PageSummary, after: PageSummary, slots: Slots) -> Mapping[str, str]:
        """That nothing is left."""
        return nothing_found(slots.facts.get("first", before), after)


def _applies(node: Node) -> bool:
    label = clean(node.label)
    fits = action_intent(label) in {"filter", "search", "apply", "confirm"} or lexicon.begins(
        "show_again", label
    )
    return fits and danger_of(label, anywhere=True) is None


def _facets(summary: PageSummary, name: str, value: str) -> list[Node]:
    """Links and boxes called by the value, in a part of the page that is called by the filter."""
    found = []
    for node in summary.snapshot.elements:
        if node.role not in _FACETS:
            continue
        same = says_same(node, value) or plain(_COUNT.sub("", node.label)) == plain(value)
        if same and usable(node) and _is_under(node, name):
            found.append(node)
    return found


def _is_under(node: Node, name: str) -> bool:
    """Whether a control stands under a name: of what is around it, or of the text before its list."""
    wanted = {plain(name), plain(f"by {name}"), plain(f"filter by {name}")}
    for place, up in enumerate(node.ancestors):
        if place >= _UP or up.role in {"main", "banner"}:
            return False
        if up.label and plain(up.label) in wanted:
            return True
        before = _before(up)
        if before is not None and plain(before.text or before.label) in wanted:
            return True
    return False


def _before(node: Node) -> Node | None:
    """The heading, legend or text that stands just before an element."""
    previous = None
    for child in node.parent.children if node.parent else ():
        if child.index == node.index:
            break
        previous = child
    return previous


_WAYS = {"next_page": "next", "previous_page": "previous"}


@cache
def _page_goal() -> re.Pattern[str]:
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
        found = _page_goal().match(goal_itself(goal))
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
