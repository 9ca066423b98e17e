"""Filling in a form from a mapping or a pydantic model, and the forms of a checkout up to where it would pay."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.perception.action_intent import action_intent
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import (
    BuiltinSkill,
    Details,
    Params,
    Slots,
    Unbound,
    around,
    changed,
    inside,
    of_kind,
    refuse,
    says_broken,
    says_same,
    shows_new,
    step,
    texts,
    usable,
)
from skillbook.skill.builtin.form_fields import (
    Setting,
    bind_values,
    fields_of,
    holds,
    opens_list,
    tool_that_takes,
)
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep


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
    filled = [str(value) for value in args.values() if not isinstance(value, bool)]
    if any(shows_new(before.snapshot, after.snapshot, text, left=False) for text in filled):
        return ""
    return "the page's tool was called, but the page shows nothing new of the values"


_ON = frozenset({"next_page", "continue"})


class Checkout(BuiltinSkill):
    """Goes on, fills in what it was given, and never presses what pays or orders."""

    name = "checkout"
    description = "Go from the cart to the last page before paying; it never pays."
    inputs = (
        SkillInput(name="details", description="label to value for the forms on the way", required=False),
    )
    sends = True
    hidden = frozenset({"details"})
    most_stages = 10

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "check out"."""
        return {} if action_intent(goal) == "checkout" and len(goal.split()) <= 6 else None

    def match(self, summary: PageSummary, params: Params) -> float:
        """Less surely where it would have to look for the cart first."""
        bound = self.bind(Details(summary), params)
        if not isinstance(bound, Slots):
            return 0.0
        return 0.6 if bound.stage == "cart" else 0.9

    def slots(self, details: Details, params: Params) -> Slots:
        """What leads on; nothing where the page would pay next."""
        summary, values = details.summary, values_of(params.get("details") or {})
        paying = pays(summary) if _is_checkout(details) else None
        settings = _open_settings(details, values, strict=paying is None)
        if paying:
            facts = {"settings": tuple(settings), "values": {"stopped_before": clean(paying.label)}}
            nodes = {one.key: one.node for one in settings}
            return Slots(nodes, "fill and stop" if settings else "stop", True, facts)
        if settings:
            nodes = {one.key: one.node for one in settings}
            nodes["on"] = _way_on(details, settings[0].node)
            return Slots(nodes, f"form {len(details.done) + 1}", False, {"settings": tuple(settings)})
        ways = [node for node in of_kind(summary.snapshot, "checkout") if not _dangerous(node)]
        if ways:
            way = details.pick("on", [(0.9, node) for node in ways], "way to the checkout")
            return Slots({"on": way}, "checkout", False)
        if "cart" not in details.done and not details.done:
            carts = [node for node in of_kind(summary.snapshot, "cart") if not _dangerous(node)]
            cart = details.pick("on", [(0.8, node) for node in carts], "cart or checkout")
            return Slots({"on": cart}, "cart", False)
        if any(lexicon.matches("empty", text) for text in texts(summary.snapshot)):
            raise refuse("the cart is empty")
        return Slots({"on": _way_on(details, None)}, f"on {len(details.done) + 1}", False)

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Fill in what the page asks, and go on; nothing where it stops."""
        steps = [each for one in slots.facts.get("settings", ()) for each in one.steps]
        return [*steps, step("click", slots["on"], "go on")] if "on" in slots.nodes else steps

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the page went on; where it stops, whether it still offers to pay."""
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if slots.last:
            why = holds(slots.facts["settings"], after.snapshot)
            return why or ("" if pays(after) else "nothing on the page would pay any more")
        invalid = [node for node in fields_of(after.snapshot) if "invalid" in node.states]
        if invalid and after.url == before.url:
            return f"the page takes {clean(invalid[0].label)[:60]!r} for invalid"
        return "" if changed(before, after) else "the page did not go on"


def pays(summary: PageSummary) -> Node | None:
    """What would pay or order, or a field for a card; None where the page has neither."""
    snapshot = summary.snapshot
    for node in snapshot.elements:
        if node.role in {"button", "generic"} and node.ref and danger_of(node.label, anywhere=True) == "pay":
            return node
    form = next((form for form in summary.forms if form.purpose == "payment"), None)
    return snapshot[form.fields[0].ref] if form else None


def _is_checkout(details: Details) -> bool:
    """Whether a page belongs to a checkout, and isn't a product's with a button to buy it at once."""
    headings = [node.name for node in details.summary.snapshot.nodes if node.role == "heading"]
    texts = (details.summary.title, *headings, details.summary.url.rpartition("/")[2])
    return bool(details.done and details.done != ("cart",)) or any(
        action_intent(clean(text)) in {"checkout", "billing"} for text in texts
    )


def _dangerous(node: Node) -> bool:
    return danger_of(node.label, anywhere=True) is not None


def _open_settings(details: Details, values: dict[str, object], *, strict: bool) -> list[Setting]:
    """The values that the page's forms ask for and don't hold yet.

    `strict` refuses a required field without value; before paying, that is left to the person, as terms are.
    """
    fields = [node for node in fields_of(details.summary.snapshot) if action_intent(node.label) != "search"]
    settings: list[Setting] = []
    for key, value in values.items():
        try:
            settings += bind_values(details, {key: value}, fields)
        except Unbound as unbound:
            best = max((one.confidence for one in unbound.refusal.candidates), default=0.0)
            if best >= 0.5:
                raise
    bound = {one.node.index for one in settings}
    open_ones = [one for one in settings if one.problem(details.summary.snapshot) or one.holds is None]
    for node in fields if strict else ():
        needed = "required" in node.states and not (node.value or "checked" in node.states)
        if needed and node.index not in bound and settings and form_key(node) == form_key(settings[0].node):
            raise refuse(
                f"the checkout asks for {clean(node.label)!r}: give it in details", "details", [(0.5, node)]
            )
    return open_ones


def _way_on(details: Details, field: Node | None) -> Node:
    """The one button that goes on and doesn't pay."""
    is_form = field is not None and form_key(field) is not None
    within = form_elements(field) if field is not None else details.summary.snapshot.elements
    buttons = [
        node
        for node in within
        if node.role in {"button", "link"} and usable(node) and clean(node.label) and not _dangerous(node)
    ]
    labelled = [
        node
        for node in buttons
        if _ON & lexicon.meanings(node.label) or action_intent(node.label) == "checkout"
    ]
    typed = [node for node in buttons if node.submits]
    return details.pick(
        "on", [(0.8, node) for node in labelled or (typed if is_form else [])], "way on to the next step"
    )
