"""Narrowing a list by a field of its filter, or by a link among its facets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from skillbook import lexicon
from skillbook.goals.goal_matching import before_goal
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, Unbound, refuse
from skillbook.skill.builtin.controls import (
    changed,
    moved,
    nothing_found,
    plain,
    says_broken,
    says_same,
    step,
    usable,
)
from skillbook.skill.builtin.form_fields import bind_values, fields_of, holds
from skillbook.skill.model import SkillInput, SkillStep

_COUNT = re.compile(r"\s*[(\[]?\d[\d.,]*[)\]]?$")
_UP = 4


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
        if node.role not in {
            "link",
            "button",
            "checkbox",
            "radio",
            "switch",
            "menuitemradio",
            "menuitemcheckbox",
        }:
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
