"""Filling in a form from a mapping, or from an instance of a pydantic model."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skillbook.errors import SkillbookError
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, Unbound, refuse
from skillbook.skill.builtin.controls import (
    around,
    changed,
    inside,
    says_broken,
    says_same,
    shows_new,
    step,
    usable,
)
from skillbook.skill.builtin.form_fields import Setting, bind_values, fields_of, holds, opens_list
from skillbook.skill.builtin.tool_forms import tool_that_takes
from skillbook.skill.model import SkillInput, SkillStep


class FillForm(BuiltinSkill):
    """Puts values into the fields of one form by their labels, and sends it only where that is said."""

    name = "fill_form"
    description = "Fill in a form from a mapping of labels to values, or from a pydantic model."
    inputs = (
        SkillInput(name="values", description="label to value, or an instance of a pydantic model"),
        SkillInput(
            name="submit", type="bool", description="whether to send it", default=False, required=False
        ),
        SkillInput(
            name="button", description="the label of the button, where there are several", required=False
        ),
    )
    sends = True
    hidden = frozenset({"values"})
    most_stages = 2

    def params_of(self, goal: str) -> Params | None:
        """None: a goal in words names no values."""
        return None

    def slots(self, details: Details, params: Params) -> Slots:
        """The one form that has a field for every value."""
        values = values_of(params.get("values"))
        if not values:
            raise refuse("there are no values to fill in")
        try:
            settings = _bind(details, values)
        except Unbound:
            # A tool sends at once what it takes.
            tool = tool_that_takes(details.summary.snapshot, values) if params.get("submit") else None
            if tool is None:
                raise
            return Slots({}, "call", facts={"tool": tool[0], "args": tool[1]})
        submit: dict[str, Node] = {}
        if params.get("submit"):
            submit["submit"] = _button(details, settings[0].node, str(params.get("button") or ""))
            lists = [one for one in settings if opens_list(one.node)]
            if "choose" in details.done:
                if problem := holds(lists, details.summary.snapshot):
                    raise refuse(problem)
                settings = [one for one in settings if one not in lists]
            elif lists:
                # They drop what they don't know as the focus leaves them: that is seen before the form is sent.
                return Slots(_nodes(lists), "choose", last=False, facts={"settings": tuple(lists)})
        return Slots({**_nodes(settings), **submit}, "fill", facts={"settings": tuple(settings)})

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Set each field, then press the button; or call the page's own tool."""
        if slots.stage == "call":
            name, args = slots.facts["tool"], slots.facts["args"]
            return [step("call_page_tool", None, "fill in by the page's tool", name=name, args=args)]
        settings = slots.facts.get("left", slots.facts["settings"])
        steps = [each for one in settings for each in one.steps]
        return [*steps, step("click", slots["submit"], "send the form")] if "submit" in slots.nodes else steps

    def instead(self, slots: Slots, failed: SkillStep, error: SkillbookError) -> Slots | None:
        """The same form with a text typed that is no option of its field, where that may take any text."""
        settings = slots.facts.get("settings", ())
        at = next((at for at, one in enumerate(settings) if failed == one.steps[0]), len(settings))
        typed = settings[at].typed() if at < len(settings) and error.code == "no_match" else None
        if typed is None:
            return None
        settings = (*settings[:at], typed, *settings[at + 1 :])
        return replace(slots, facts={**slots.facts, "settings": settings, "left": settings[at:]})

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the fields hold the values; once it is sent, whether the page went on without complaints."""
        if slots.stage == "call":
            return _shown(before, after, slots.facts["args"])
        settings = slots.facts["settings"]
        if "submit" not in slots.nodes:
            return holds(settings, after.snapshot)
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        invalid = [node for node in fields_of(after.snapshot) if "invalid" in node.states]
        if invalid:
            return f"the page takes {clean(invalid[0].label)[:60]!r} for invalid"
        alerts = [node for node in after.snapshot.nodes if node.role == "alert" and clean(node.text)]
        old = {clean(node.text) for node in before.snapshot.nodes if node.role == "alert"}
        for alert in alerts:
            if clean(alert.text) not in old and after.url == before.url:
                return f"the page says {clean(alert.text)[:120]!r}"
        return "" if changed(before, after) else "nothing changed after the form was sent"


def _nodes(settings: Sequence[Setting]) -> dict[str, Node]:
    return {f"{at}. {one.key}": one.node for at, one in enumerate(settings, 1)}


def values_of(given: Any) -> dict[str, Any]:
    """A mapping's or a model's values by the names that a form may have for them.

    A field of a model goes by its title, else its alias, else its name.
    """
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items() if value is not None}
    fields = getattr(type(given), "model_fields", None)
    if fields is None:
        return {}
    named = {name: info.title or info.alias or name for name, info in fields.items()}
    return {label: value for name, label in named.items() if (value := getattr(given, name)) is not None}


def _bind(details: Details, values: Mapping[str, Any]) -> list[Setting]:
    """The values on the fields of the one form that takes them all."""
    snapshot = details.summary.snapshot
    groups: dict[Hashable, list[Node]] = {}
    for node in fields_of(snapshot):
        groups.setdefault(form_key(node), []).append(node)
    if not groups:
        raise refuse("there is no form on this page")
    fitting, refused = [], []
    for fields in groups.values():
        try:
            fitting.append(bind_values(details, values, fields))
        except Unbound as unbound:
            refused.append((len(fields), unbound))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        first = [(0.8, one[0].node) for one in fitting]
        raise refuse(f"{len(fitting)} forms on this page have these fields", "form", first)
    if len(groups) > 1:
        try:
            return bind_values(details, values, fields_of(snapshot))
        except Unbound:
            pass
    raise max(refused, key=lambda one: one[0])[1]


def _button(details: Details, field: Node, label: str) -> Node:
    """The button that sends the form of a field; where none can be pressed yet, one that the values may enable.

    A dialog has its buttons often beside the form in it.
    """
    dialog = around(field, ("dialog", "alertdialog"))
    roots = [form_elements(field), inside(dialog) if dialog else []]
    each = [[node for node in root if node.role == "button" and clean(node.label)] for root in roots]
    if label:
        each = [[node for node in root if says_same(node, label)] for root in each]
    known = next(filter(None, each), [])
    buttons = [node for node in known if usable(node)] or [
        node for node in known if "disabled" in node.states
    ]
    if label:
        return details.pick("submit", [(1.0, node) for node in buttons], f"button {label!r}")
    sending = [node for node in buttons if node.submits]
    return details.pick("submit", [(0.8, node) for node in sending or buttons], "button that sends the form")


def _shown(before: PageSummary, after: PageSummary, args: Mapping[str, Any]) -> str:
    """Whether a page shows something of what its tool was given; what the tool answers says nothing."""
    if broken := says_broken(after):
        return f"the page says {broken!r}"
    said = [str(value) for value in args.values() if not isinstance(value, bool)]
    if any(shows_new(before.snapshot, after.snapshot, text, left=False) for text in said):
        return ""
    return "the page's tool was called, but the page shows nothing new of the values"
