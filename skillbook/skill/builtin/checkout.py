"""Going from a cart through a checkout's forms to where it would pay, and stopping there."""

from __future__ import annotations

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, Unbound, refuse
from skillbook.skill.builtin.controls import changed, of_kind, says_broken, step, texts, usable
from skillbook.skill.builtin.fill_form import values_of
from skillbook.skill.builtin.form_fields import Setting, bind_values, fields_of, holds
from skillbook.skill.model import SkillInput, SkillStep

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
    said = (details.summary.title, *headings, details.summary.url.rpartition("/")[2])
    return bool(details.done and details.done != ("cart",)) or any(
        action_intent(clean(text)) in {"checkout", "billing"} for text in said
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
