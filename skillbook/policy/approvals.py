"""Approvals as tokens, each for exactly one call on exactly what the person saw, once; and rules learned from them.

A rule learned from a call on an element is for elements of the same role and label, whatever the numbers in it.

A rule only spares a question. It never lifts a refusal, and is neither offered nor used for steps that can't be
undone and for secrets. Rules for requests are in `request_rules`."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

from skillbook.errors import ApprovalRequired
from skillbook.lexicon import bare
from skillbook.policy.rules import Call
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect

LIFETIME = 600.0
"""Seconds after which an approval that was not used is void."""

_WORDS = {
    "tab": "the tab",
    "document": "the document",
    "ref": "the element",
    "onto": "the element to drop on",
    "role": "the element's role",
    "label": "the element's label",
    "params": "what is to be done",
    "origin": "the page's origin",
    "frame_origin": "the frame's origin",
    "form": "where the form goes",
    "values": "what the form's other fields hold",
    "link": "where the link leads",
    "dialog": "the dialog's text",
    "chosen": "what is chosen",
    "covered": "what lies over the element",
    "record": "the record around the element",
}


@dataclass(frozen=True)
class Binding:
    """What an approval is for.

    tab, document, ref, onto: where: the tab, its document's key, the element, the element to drop on.
    role, label: the element as the person saw it.
    params: every other parameter, values included, as canonical JSON; secrets are placeholders.
    origin, frame_origin: of the page, and of the target's own document.
    form: the method and action of the form that the element belongs to, and its button's label.
    values: what the form's other fields hold, as a digest.
    link: where the link leads that the element is, or is in.
    dialog: the text of the dialog that the element is in.
    chosen: labels and values of the options chosen; what the element to drop on is called.
    covered: whether something lay over the element.
    record: the record around the element, such as row 'Bob'.
    """

    command: str
    actor: str
    tab: int | None
    document: str = ""
    ref: str = ""
    onto: str = ""
    role: str = ""
    label: str = ""
    params: str = "{}"
    origin: str | None = None
    frame_origin: str | None = None
    form: tuple[str, str, str] | None = None
    values: str = ""
    link: str = ""
    dialog: str = ""
    chosen: tuple[str, ...] = ()
    covered: bool = False
    record: str = ""

    @classmethod
    def of(cls, call: Call, params: Mapping[str, Any], tab: int | None) -> Binding:
        """The binding of a call with the parameters that the wire would carry."""
        rest = {name: value for name, value in params.items() if name not in {"ref", "to_ref"}}
        form = call.facts.form if call.facts else None
        return cls(
            command=call.command,
            actor=call.actor,
            tab=tab,
            document=call.document,
            ref=str(params.get("ref") or call.focused or ""),
            onto=str(params.get("to_ref") or ""),
            role=call.role,
            label=call.label,
            params=json.dumps(rest, sort_keys=True, default=str, ensure_ascii=False),
            origin=origin_of(call.url),
            frame_origin=origin_of(call.frame_url) if call.frame_url else None,
            form=(form.method, form.action, form.submit_label) if form else None,
            values=form.values if form else "",
            link=call.facts.link if call.facts else "",
            dialog=call.facts.dialog if call.facts else "",
            chosen=call.chosen,
            covered=call.covered,
            record=call.record,
        )

    def differences(self, other: Binding) -> list[str]:
        """What is another in the other binding, in words.

        That something lay over the element and is gone isn't a change: it lies as open as an approval could ask.
        """
        changed = [
            each.name for each in fields(self) if getattr(self, each.name) != getattr(other, each.name)
        ]
        if self.covered and not other.covered:
            changed.remove("covered")
        if "values" in changed:
            return [_WORDS["values"], *self._worded(other, [name for name in changed if name != "values"])]
        return self._worded(other, changed)

    def _worded(self, other: Binding, changed: list[str]) -> list[str]:
        return [
            f"{_WORDS.get(name, name)} was {getattr(self, name)!r} and is {getattr(other, name)!r}"
            for name in changed
        ]


class Approvals:
    """Tokens given out and not used yet.

    clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, tuple[Binding, float]] = {}

    def issue(self, binding: Binding) -> str:
        """A person approved a call: the token that carries it out, of 256 random bits."""
        now = self._clock()
        self._open = {token: row for token, row in self._open.items() if row[1] > now}
        token = secrets.token_urlsafe(32)
        self._open[token] = (binding, now + LIFETIME)
        return token

    def redeem(self, token: str, binding: Binding) -> None:
        """Use a token up for a call, whatever comes of it.

        Raises ApprovalRequired: the token was used, is too old or was never given out, or the call or page is another
            now.
        """
        row = self._open.pop(token, None)
        if row is None or row[1] <= self._clock():
            raise ApprovalRequired(
                f"{binding.command}: that approval was used already, or is too old",
                hint="ask again: an approval works once",
            )
        if changed := row[0].differences(binding):
            raise ApprovalRequired(
                f"{binding.command}: the page or the call changed after the approval: {'; '.join(changed)}",
                hint="look at the page again; a new call needs another approval",
                changed=changed,
            )

    def __len__(self) -> int:
        return len(self._open)


Scope = Literal["session", "always"]
SEND_REQUEST = "send_request"
"""Stands for the command in rules for requests."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
_NUMBER = re.compile(r"\d[\d.,:]*")
_AMOUNT = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,2})?")


class Kind(NamedTuple):
    """The calls that a rule is for: a command on an origin, and on which elements.

    `role` and `label` are empty for calls without an element; numbers in a label are written as #.
    """

    command: str
    origin: str
    role: str = ""
    label: str = ""

    def __str__(self) -> str:
        return f"{self.command} {f'{self.role} {self.label!r} ' if self.role else ''}on {self.origin}"


@dataclass(frozen=True)
class Rule:
    """One rule: agents and skills may use `command` on `origin` without asking.

    `role` and `label` say on which elements (see `Kind`); `role` is "*" for a rule that a person made for all of them.
    A rule for requests has the command "send_request", and `request` says which ones.
    `scope` is "session" (until the browser is closed) or "always" (kept on disk); `made` is in ISO format.
    """

    id: str
    command: str
    origin: str
    role: str
    label: str
    scope: Scope
    made: str
    request: str = ""

    @property
    def kind(self) -> Kind:
        """The calls that it is for."""
        return Kind(self.command, self.origin, self.role, self.label)

    def __str__(self) -> str:
        return f"{self.request or self.kind} ({self.scope})"


def learnable_kind(call: Call) -> Kind | None:
    """The calls that a rule learned from this one is for, or None where none may be learned.

    It can be undone, has an origin, no secret or file is in question, and its element says what it is.
    """
    origin = origin_of(call.destination or call.frame_url or call.url)
    if call.effect is Effect.IRREVERSIBLE or call.with_secret or call.questions or origin is None:
        return None
    label = _NUMBER.sub("#", bare(call.label))
    return None if call.role and not label else Kind(call.command, origin, call.role, label)


LONGEST_DAYS = 30
MOST_USES = 1000
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Grant:
    """One grant.

    skill, digest: the skill's name, and the version that it is for.
    step, command, label: the step's number, what it does, and to what, as it was recorded.
    only: of inputs, and of fields that are sent, the values that each may have. Another input has its default.
    most: of inputs, and of fields that are sent, the most that each may be.
    until: when it ends, in seconds since 1970.
    then: what the dialog is confirmed by that the step opens; it belongs to the step and counts with it.
    """

    id: str
    skill: str
    digest: str
    step: int
    command: str
    label: str
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    count: int = 1
    used: int = 0
    until: float = 0.0
    made: float = 0.0
    then: str = ""

    @property
    def left(self) -> int:
        """How often it may be used yet."""
        return max(0, self.count - self.used)

    def is_in_force(self, now: float) -> bool:
        """Whether it may be used at a time."""
        return self.left > 0 and self.made <= now < self.until

    def is_for(self, digest: str, step: int, command: str, label: str, inputs: Mapping[str, Any]) -> bool:
        """Whether it is for a step of a run, whose requests have to keep to it as well: see `allows`.

        inputs: the values that differ from the skill's defaults, and those of inputs that the grant lists.
        """
        if (digest, step, command, label) != (self.digest, self.step, self.command, self.label):
            return False
        return all(
            name in {*self.only, *self.most} and self.allows(name, value) for name, value in inputs.items()
        )

    def allows(self, name: str, value: Any) -> bool:
        """Whether an input or a field that is sent may have a value."""
        listed, most = self.only.get(name), self.most.get(name)
        if listed is not None and (not isinstance(value, str | int | float) or str(value) not in listed):
            return False
        return most is None or within(value, most)

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count} times"
        day = datetime.fromtimestamp(self.until).strftime("%Y-%m-%d %H:%M")
        listed = [f"{name} {_listed(values)}" for name, values in self.only.items()]
        most = [f"{name} at most {limit:g}" for name, limit in self.most.items()]
        only = f", only with {' and '.join([*listed, *most])}" if listed or most else ""
        then = f" and confirm {self.then!r}" if self.then else ""
        what = f"{self.command} {self.label!r}{then}".strip()
        return f"{self.skill} may do step {self.step} ({what}), which can't be undone, {times}, until {day}{only}"


def within(value: Any, most: float) -> bool:
    """Whether something is a number between 0 and a limit, as JavaScript, Python and people all read it.

    `1.000` is one to some and a thousand to others, so decimals are one or two.
    """
    text = str(value).strip()
    return not isinstance(value, bool) and bool(_AMOUNT.fullmatch(text)) and float(text) <= most


def _listed(values: tuple[str, ...]) -> str:
    shown = " or ".join(map(repr, values[:_MOST_SHOWN]))
    return f"{shown} or {len(values) - _MOST_SHOWN} more" if len(values) > _MOST_SHOWN else shown
