"""Rules for requests: which ones count as allowed, as announced by an approved call, or as steps of reading.

A rule is for one method, literal address, headers, names and values. A value may differ only if the person frees its
field: by its name, or because it is a field of the form that is shown to them with a label. Nothing is learned from
what can't be undone.

The card of an approval names the address and shows the form's fields. A page that changes an amount, an id or the
address between the approval and the request sends another one, which asks again.

They may pass unasked where what leaves the browser is paused: then whatever they send that may change something is
asked about when it wants to leave, and not before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

from skillbook.policy.labels import danger_of_address, danger_of_name
from skillbook.policy.request_bodies import MORE, Place, Value, named_values, names_of
from skillbook.policy.request_facts import SAFE_METHODS, RequestFact, hidden_fields, read_request
from skillbook.policy.request_shape import (
    ANY_ID,
    FORM,
    Freedom,
    RequestShape,
    any_id,
    any_text,
    lines,
    written_shape,
)
from skillbook.policy.rules import Call
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect
from skillbook.protocol.commands.read import ShownField

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"})
_CREDENTIAL = re.compile(
    r"authorization|.*(?:csrf|xsrf|token|nonce|request-?id|trace|session).*|baggage", re.I
)
"""Names by which a page says who sends, not what is done; sites write these values anew each time."""
_WORD = re.compile(r"\w+")
_MOST_WORDS = 200
_MOST_NAMES = 12
_SHORTEST_KEY = 16


@dataclass(frozen=True)
class Choice:
    """One of the values that a field offers."""

    values: frozenset[str]

    def __call__(self, value: Value, known: Value) -> bool:
        """Whether a value may stand in the place of the one that is known."""
        return value.kind == known.kind and value.text in self.values


def _any_key(value: Value, known: Value) -> bool:
    """Another random key of the same length, such as the one by which a site knows its own forms."""
    return value.kind == known.kind and _is_key(value) and len(value.text) == len(known.text)


def _harmless(value: Value, known: Value) -> bool:
    """Any value of the same kind that names no step which can't be undone."""
    return value.kind == known.kind and not any(map(danger_of_name, _WORD.findall(value.text)))


@dataclass(frozen=True)
class RequestRule:
    """The requests that a person allows.

    address: the path and query, as the person reads it.
    labels: of a form's rule, how the page calls the fields that may differ; else their names.
    button: of a form's rule, the button that sends it.
    only_reads: whether the person says of a form that it only reads.
    """

    shape: RequestShape
    address: str
    labels: tuple[str, ...] = ()
    button: str = ""
    only_reads: bool = False

    @property
    def origin(self) -> str:
        """Where the requests go."""
        return self.shape.origin

    def allows(self, fact: RequestFact, button: str, shown: Sequence[ShownField] = ()) -> bool:
        """Whether a request is one of these.

        shown: the fields with labels that the page shows now: what is hidden since may not differ.
        """
        if fact.shape is None or fact.secrets or not self.shape.covers(fact.shape):
            return False
        if not self.only_reads:
            return True
        now = form_rule(fact, shown, button) if button in {self.button, ""} else None
        freed = {place for place in self.shape.free if place[0] == "body"}
        return now is not None and freed <= now.shape.free.keys() and self.labels == now.labels

    def with_address(self, address: str) -> RequestRule | None:
        """The same for an address in a person's words, such as `/items/{id}`; None if that isn't this request's."""
        written = written_shape(self.shape.method, self.origin, address)
        ids: dict[Place, Freedom] = {
            place: any_id for place, value in written.values.items() if ANY_ID in value.text
        }
        # A parameter stands there by its name, or with its value.
        ids |= {place: any_text for place in written.free if place[0] == "query"}
        wider = replace(self, shape=self.shape.freed(ids), address=address)
        is_its = written.covers(self.shape, "address")
        return wider if is_its and danger_of_address(self.origin + address) is None else None

    def with_free(self, names: Collection[str]) -> RequestRule | None:
        """The same for any values of the fields of these names; None if the body has no such text or number."""
        places = {
            place
            for place, value in self.shape.values.items()
            if place[0] == "body" and _name_of(place) in names and value.kind in {"text", "number"}
        }
        if {_name_of(place) for place in places} != set(names):
            return None
        return replace(
            self, shape=self.shape.freed(dict.fromkeys(places, _harmless)), labels=(*self.labels, *names)
        )

    def __str__(self) -> str:
        varies = self.shape.free.keys() | self.shape.optional
        shown = {place: value for place, value in self.shape.values.items() if place not in varies}
        fixed = dict.fromkeys(
            _name_of(place) if place[0] == "body" else f"header {place[1]}"
            for place, value in shown.items()
            if (place[0] == "body" and place[1:] and value.kind != "object")
            or (place[0] == "header" and place[1] != "content-type")
        )
        fixed = {name: None for name in fixed if name not in {_name_of(place) for place in varies}}
        parts = [
            f"{word} {_listed(names)}"
            for word, names in (("any", list(self.labels)), ("the same", list(fixed)))
            if names
        ]
        words = f"{self.shape.method} {self.origin}{self.address}"
        words = f"{words} with {' and '.join(parts)}" if parts else words
        by = f", by button {self.button!r}" if self.button else ""
        return f"this form only reads: {words}{by}" if self.only_reads else words


def _name_of(place: Place) -> str:
    """A body's name, as `RequestFact.fields` has it: without the places in lists."""
    return ".".join(step for step in place[1:] if isinstance(step, str))


def _listed(names: list[str]) -> str:
    return ", ".join([*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])])


def learnable_request(fact: RequestFact, shown: Collection[str] = ()) -> RequestRule | None:
    """The requests that a rule learned from this one is for, or None where none may be learned.

    It can be undone as far as anybody can see, its body is known, and it has no file, secret or hidden value.

    shown: values that stand in a field with a label: a search for "delete" deletes nothing.
    """
    shape = fact.shape
    if shape is None:
        return None
    unknown = fact.opaque or fact.files or MORE in fact.fields or not shape.whole or not fact.address
    if unknown or fact.secrets or hidden_fields(fact.fields) or fact.method not in _METHODS:
        return None
    free: dict[Place, Freedom] = {}
    verbs = [fact.operation]
    for place, value in shape.values.items():
        if value.kind in {"bytes", "body", "file"}:
            return None
        name = str(next((step for step in reversed(place) if isinstance(step, str)), ""))
        if place[0] in {"header", "body"} and value.kind == "text":
            if _CREDENTIAL.fullmatch(name) and (place[0] == "header" or _is_key(value)):
                free[place] = any_text if place[0] == "header" else _any_key
            elif value.text not in shown:
                verbs.append(value.text)
    words = (word for verb in verbs for word in _WORD.findall(verb)[:_MOST_WORDS])
    if danger_of_address(fact.origin + fact.address) or any(map(danger_of_name, words)):
        return None
    return RequestRule(shape.freed(free), fact.address)


def form_rule(fact: RequestFact, shown: Sequence[ShownField], button: str) -> RequestRule | None:
    """The rule "this form only reads" that a person may make of a request; None where none may be made.

    Only fields that the page shows with a label may differ, and their labels stand in the rule's words. A list's or a
    radio button's value is one of those that it offered.
    """
    shown = [each for each in shown if each.label]
    rule = learnable_request(
        fact, [value for each in shown for value in (each.value, *each.options) if value]
    )
    if rule is None:
        return None
    values = dict(rule.shape.values)
    free: dict[Place, Freedom] = {}
    boxes: list[Place] = []
    labels: dict[str, None] = {}
    for each in shown:
        place = _place_of(each, shown, values)
        if each.kind == "box" and values.get(("body",)) == FORM and each.name and place is None:
            place = ("body", each.name)
            values[place] = Value("text", each.value)
        if place is None:
            continue
        labels[each.label] = None
        if each.kind == "box":
            boxes.append(place)
        else:
            harmless = frozenset(option for option in each.options if not danger_of_name(option))
            free[place] = Choice(harmless | {values[place].text}) if each.kind == "choice" else any_text
    if not labels:
        return None
    shape = rule.shape.freed(free, boxes, values)
    return replace(rule, shape=shape, labels=tuple(labels), button=button, only_reads=True)


def button_of(call: Call) -> str:
    """The button that sends a form by a call; empty where a change of one of its fields does, which is no button."""
    facts = call.facts
    if facts is None or facts.form is None or facts.submits:
        return call.label
    if call.key or call.spec.submits:
        return facts.form.submit_label
    return "" if call.spec.sets_value or call.spec.edits_text or call.spec.takes_focus else call.label


def _place_of(
    shown: ShownField, all_shown: Sequence[ShownField], values: Mapping[Place, Value]
) -> Place | None:
    """Where a request has what a field holds: under the field's name, or else in the only place with that value."""
    places = {place: value for place, value in values.items() if place[0] == "body" and place[1:]}
    named = [place for place in places if shown.name and _name_of(place) == shown.name]
    if named:
        return named[0] if len(named) == 1 else None
    matching = [place for place, value in places.items() if lines(value.text) == lines(shown.value)]
    alike = [each for each in all_shown if each.value == shown.value]
    is_alone = len(matching) == 1 and len(alike) == 1 and shown.value and shown.kind == "text"
    return matching[0] if is_alone else None


def _is_key(value: Value) -> bool:
    return len(value.text) >= _SHORTEST_KEY and any(map(str.isdigit, value.text)) and " " not in value.text


_TYPE: Place = ("header", "content-type")
"""A form's, which isn't known before it is sent."""


def announced_by(call: Call) -> RequestFact | None:
    """The request that a call sends, as far as the page says so: its form's, its link's or its address'.

    The card of an approval has this in words, so that what is sent just so asks no second time. Its shape covers that;
    values of files and secret fields aren't known.
    """
    facts, here = call.facts, call.frame_url or call.url
    if call.destination:
        return read_request("GET", call.destination, size=0, navigates=True)
    if facts is None:
        return None
    if facts.form is not None and (facts.submits or call.spec.submits or call.key):
        url = urljoin(here, facts.form.action or here)
        fact = read_request(facts.form.method or "GET", url, size=0, navigates=True)
        names = names_of(field.partition(":")[2] for field in facts.form.fields)
        files = tuple("a file" for field in facts.form.fields if field.startswith("file:"))
        pairs = [
            (name, Value("?") if value is None else Value("text", value)) for name, value in facts.form.sent
        ]
        fields = dict(named_values(("body",), pairs))
        unknown = [place for place, value in fields.items() if value.kind == "?"]
        assert fact.shape is not None
        body = {_TYPE: Value("?"), ("body",): FORM, **fields}
        shape = fact.shape.freed(dict.fromkeys([_TYPE, *unknown], any_text), unknown, body)
        # A form that is sent by GET has its fields in the address.
        kind = fact.body if fact.method in SAFE_METHODS else "form"
        return replace(fact, body=kind, fields=names, files=files, shape=shape)
    href = facts.attributes.get("href", "")
    if not href or not call.spec.follows_links:
        return None
    return read_request("GET", urljoin(here, href), size=0, navigates=True)


def unshown_values(call: Call) -> list[tuple[str, str]]:
    """Name and value of what a call's form sends and the page shows in no field with a label; no secrets, no blanks."""
    facts = call.facts
    if facts is None or facts.form is None:
        return []
    left = [(each.name, each.value) for each in facts.shown if each.label]
    hidden = []
    for name, value in facts.form.sent:
        if value and (name, value) in left:
            left.remove((name, value))
        elif value:
            hidden.append((name, value))
    return hidden


def is_reading_step(call: Call, sends: RequestFact | None) -> bool:
    """Whether a step is one by which people read.

    sends: what it announces to send; None for nothing.
    """
    spec, facts, here = call.spec, call.facts, call.frame_url or call.url
    if call.effect is Effect.IRREVERSIBLE or call.with_secret or call.questions or call.script:
        return False
    hands_over = spec.file_param or spec.human_only or spec.page_tools or spec.answers_dialog or spec.submits
    if hands_over or "to_ref" in spec.ref_fields:
        return False
    if sends is not None and (sends.changes or sends.origin != origin_of(here)):
        return False
    links = [call.destination or "", facts.link if facts is not None and spec.follows_links else ""]
    return all(_stays(link, here) for link in links if link)


def _stays(link: str, here: str) -> bool:
    """Whether an address is of the same origin; a script's is none."""
    address = urljoin(here, link)
    if urlsplit(address).scheme == "javascript":
        return True
    return origin_of(address) is not None and origin_of(address) == origin_of(here)
