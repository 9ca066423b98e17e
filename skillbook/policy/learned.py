"""Rules learned from approvals of calls: "always allow this here", for the session or for good.

A rule learned from a call on an element is for elements of the same role and label, whatever the numbers in it.

A rule only spares a question. It never lifts a refusal, and is neither offered nor used for steps that can't be
undone and for secrets. Rules for requests are in `request_rules`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from skillbook.lexicon import bare
from skillbook.policy.rules import Call
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect

Scope = Literal["session", "always"]
SEND_REQUEST = "send_request"
"""Stands for the command in rules for requests."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
_NUMBER = re.compile(r"\d[\d.,:]*")


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
