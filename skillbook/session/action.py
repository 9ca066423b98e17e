"""One command on its way: who acts, on which sites, in what time; the policy judges it, journal and wire carry it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypedDict

from pydantic import BaseModel, ValidationError

from skillbook.errors import InvalidParams
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.nodes import Node
from skillbook.policy import Binding, Call, Policy
from skillbook.policy.secrets import MASK, Secret
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.envelopes import ExpectedTarget, SeenTarget

acting_name: ContextVar[str] = ContextVar("skillbook_acting_name", default="")
"""Set by a door for all that it carries out. The policy judges an agent all the same."""


def journal_name(actor: str) -> str:
    """The actor as the journal has it."""
    return acting_name.get() or actor if actor == "agent" else actor


_end: ContextVar[float | None] = ContextVar("skillbook_time_left", default=None)


@contextmanager
def reading_within(seconds: float | None) -> Iterator[None]:
    """Limit the reads made within; None for no limit but each read's own."""
    # How long reading a page may take whatever the caller said: with `timeout=0` a target has to be there now.
    limit = None if seconds is None else time.monotonic() + max(seconds, CAUSE_SECONDS)
    token = _end.set(limit)
    try:
        yield
    finally:
        _end.reset(token)


def seconds_left(timeout: float | None) -> float | None:
    """A command's own timeout, or what is left of the limit around it."""
    end = _end.get()
    if timeout is not None or end is None:
        return timeout
    return max(0.1, end - time.monotonic())


_only: ContextVar[frozenset[str]] = ContextVar("only", default=frozenset())
_lent: ContextVar[set[str] | None] = ContextVar("lent", default=None)


@contextmanager
def confined_to(origins: Collection[str]) -> Iterator[None]:
    """What is begun in here goes to no other origins; none of them stands for any."""
    token = _only.set(_only.get() or frozenset(filter(None, map(origin_of, origins))))
    try:
        yield
    finally:
        _only.reset(token)


@contextmanager
def lending() -> Iterator[None]:
    """What is begun in here may act on sites that it opens, and nothing else may because of that."""
    token = _lent.set(set())
    try:
        yield
    finally:
        _lent.reset(token)


def left_by(destination: str | None) -> str | None:
    """The origin of an address that this task may not go to; None for any other address."""
    origin = origin_of(destination) if destination else None
    only = _only.get()
    return origin if only and origin not in only else None


def lent() -> frozenset[str]:
    """The origins on which this task may act besides those that are allowed to all."""
    return frozenset(_lent.get() or ())


def allow_landing(policy: Policy, requested: str, landed: str) -> None:
    """A task opened an address: it may act there, and all may unless the sites of the task are lent to it."""
    borrowed = _lent.get()
    if borrowed is None:
        policy.allow_landing(requested, landed)
        return
    opened = Policy()
    opened.allow_landing(requested, landed)
    borrowed |= opened.allowed - policy.allowed


@dataclass(frozen=True)
class Resolved:
    """A target found: its ref, the node in the last snapshot if it is known, and what its caller saw of it.

    selector: the one that the page itself resolved; `node` is then in a part of a snapshot.
    around: the element in what the page read around it.
    fact: what the page read of it as it found it, as `FoundFact` has it.
    """

    ref: str
    node: Node | None
    seen: SeenTarget | None = None
    selector: str | None = None
    around: Node | None = None
    fact: Mapping[str, Any] | None = None

    @property
    def record(self) -> str:
        """The record around it as the caller saw it, such as row 'Bob'; empty for none."""
        return self.seen.record.words if self.seen is not None and self.seen.record is not None else ""

    def describe(self) -> dict[str, Any]:
        """What the journal keeps of it."""
        if self.node is None:
            return {"ref": self.ref}
        record = {"record": self.record} if self.record else {}
        return {"ref": self.ref, "role": self.node.role, "name": self.node.name, **record}


class ActionOptions(TypedDict, total=False):
    """How a command is run, whatever it is; see `PreparedAction`."""

    run: str | None
    timeout: float | None
    patience: float | None
    quiet: bool
    secret: Secret | None


@dataclass(frozen=True)
class PreparedAction:
    """One command with everything that is known of it, made once and passed on whole.

    call: what the policy judges: command, actor, address, target, whether a person approved it.
    params: the parameters of the wire, secrets as placeholders.
    secret: the text to be typed, if placeholders in it count; else they are plain text.
    tab: the tab's id; None for commands on the browser.
    target: the element, found.
    local: the parameters that the kernel itself uses.
    onto: the element to drop on, found.
    run: the agent run's or replay's id, for the journal.
    timeout: seconds; the setting `command_timeout` where it is None.
    patience: seconds that the element may take to let itself be acted on; the usual ones where it is None.
    quiet: a reading that is part of something else: measured, but no step of its own.
    observe: parameters of a snapshot that comes with an action's result.
    """

    call: Call
    params: Mapping[str, Any] = field(default_factory=dict)
    tab: int | None = None
    target: Resolved | None = None
    onto: Resolved | None = None
    local: Mapping[str, Any] = field(default_factory=dict)
    run: str | None = None
    timeout: float | None = None
    patience: float | None = None
    quiet: bool = False
    observe: dict[str, Any] | None = None
    secret: Secret | None = None

    @property
    def command(self) -> str:
        """The command's name."""
        return self.call.command

    @cached_property
    def wire(self) -> dict[str, Any]:
        """The parameters that were given, as the table's model of them has them.

        Raises InvalidParams: they don't fit the command.
        """
        given = {name: value for name, value in self.params.items() if value is not None}
        return validated(self.command, self.call.spec.params, given).model_dump(exclude_unset=True)

    @property
    def secret_names(self) -> frozenset[str]:
        """The names of the secrets that it types."""
        return frozenset() if self.secret is None else self.secret.names

    def with_text(self, text: Callable[[str], str]) -> dict[str, Any]:
        """The parameters, with the text to be typed as a `Secret` if it is one, else as `text` makes it.

        A character that is pressed as a key is such a text.
        """
        name, wire = self.call.spec.typed_in(self.wire), self.wire
        if name is None or not isinstance(wire.get(name), str):
            return wire
        return {**wire, name: text(wire[name]) if self.secret is None else self.secret}

    @cached_property
    def binding(self) -> Binding:
        """What an approval of it is for."""
        return Binding.of(self.call, self.wire, self.tab)

    def approved(self) -> PreparedAction:
        """The same, once a person has approved it."""
        return replace(self, call=replace(self.call, approved=True))

    def expected_target(self, *, secret: bool, hide: list[str]) -> ExpectedTarget | None:
        """What the browser compares the element with at the last moment; None where there is nothing to compare.

        secret: whether a secret's value is filled in.
        hide: texts that a screenshot masks.
        """
        call, facts = self.call, self.call.facts
        judged = "ref" in call.spec.ref_fields and (call.actor != "person" or call.approved)
        seen = self.target.seen if self.target else None
        if seen is not None and seen.record is not None and not call.approved:
            seen = seen.model_copy(update={"record": seen.record.model_copy(update={"facts": []})})
        expected = ExpectedTarget(
            seen=seen,
            onto=self.onto.seen if self.onto else None,
            secret=secret,
            hide=hide,
            focused=call.focused if judged else None,
        )
        # Nobody knows a name, or a form's address, that a secret's value is part of.
        if judged and facts is not None and facts.role is not None and MASK not in (facts.name or ""):
            form = f"{facts.form.method} {facts.form.action}" if facts.form else ""
            expected = expected.model_copy(
                update={
                    "role": facts.role,
                    "name": facts.name or "",
                    "controls": call.harmless_controls,
                    "form": None if MASK in form else form,
                    "link": None if MASK in facts.link else facts.link,
                    "values": (facts.form.values if facts.form else "") if call.approved else None,
                    "covered": False if call.approved and not call.covered else None,
                }
            )
        return None if expected == ExpectedTarget() else expected


def validated(command: str, model: type[BaseModel], params: Mapping[str, Any]) -> BaseModel:
    """The parameters as a model.

    Raises InvalidParams: they don't fit, with the first field that doesn't.
    """
    try:
        return model.model_validate(dict(params))
    except ValidationError as error:
        first, method = error.errors()[0], COMMANDS[command].method
        where = ".".join(str(part) for part in first["loc"]) or "parameters"
        message = first["msg"].replace("Input should be", "it should be")
        hint = _ELSEWHERE.get(str(first["input"])) or f"see help({method})"
        raise InvalidParams(
            f"{method}: {where}={first['input']!r}: {message}", hint=hint, field=where
        ) from None


_ELSEWHERE = {
    "commit": "wait='none'",
    "domcontentloaded": "wait='dom'",
    "networkidle": "wait='load', then page.wait_for(idle=True)",
}
"""What people write who come from Playwright, and what it is here."""
