"""Granting in advance a step of a skill that can't be undone, in two phases; and what a replay may use of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Any

from skillbook.errors import ApprovalRequired, InvalidInput, NotAllowed
from skillbook.hooks import hooks
from skillbook.journal.records import Outcome
from skillbook.perception.escape import clean
from skillbook.perception.selectors import parse_selector
from skillbook.policy.approvals import LONGEST_DAYS, Grant, within
from skillbook.policy.request_bodies import Place
from skillbook.policy.request_facts import RequestFact
from skillbook.session.grant_book import Grants, grants
from skillbook.skill.consent.consent_summary import special_steps
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Send, SkillStep
from skillbook.skill.model.templates import Value, fill_text

if TYPE_CHECKING:
    from skillbook.session.gateway import Gateway


@dataclass
class ProposedGrant:
    """A grant that isn't in force yet; `confirm()` puts it there, once you have read its sentence."""

    grant: Grant
    book: Grants = field(repr=False)
    _cell: Any = field(default_factory=lambda: hooks.running_cell(), repr=False)

    def confirm(self, *, expect: str = "") -> Grant:
        """Put the grant in force.

        Parameters
        ----------
        expect : str
            What the step acts on, such as "Delete". Code that can't show you the sentence first has to say it: a
            script, and the cell that proposed the grant.

        Returns
        -------
        Grant
            The grant; `sb.grants` lists it.

        Raises
        ------
        NotAllowed
            Nobody can have read the sentence, or the step acts on something else.
        """
        cell = hooks.running_cell()
        if not expect and (cell is None or cell == self._cell):
            raise NotAllowed(
                f"nobody can have read it yet: {self.grant}",
                hint=f"call confirm() in a later cell, or confirm(expect={self.grant.label!r})",
            )
        if expect and expect != self.grant.label:
            raise NotAllowed(
                f"step {self.grant.step} acts on {self.grant.label!r}, not {expect!r}", hint="read it again"
            )
        return self.book.add(self.grant)

    def __repr__(self) -> str:
        return f"Not in force yet: {self.grant}. `.confirm()` grants it."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {
            "text/plain": repr(self),
            "text/html": f"<p><b>Not in force yet.</b> {escape(str(self.grant))}</p>",
        }


def propose(
    spec: SkillSpec,
    step: int | None,
    only: Mapping[str, Any],
    count: int,
    until: str | timedelta | datetime,
    most: Mapping[str, float],
    book: Grants = grants,
) -> ProposedGrant:
    """A grant for a step; see `Skill.grant`."""
    number, found = _step_of(spec, step)
    label = label_of(found)
    if spec.all_sends is None:
        raise InvalidInput(
            f"{spec.name} doesn't say what it sends, so a grant would be for anything",
            hint="record it anew by hand or by an agent: its file lists then what it sends",
        )
    known = {one.name for one in spec.inputs} | set(spec.item_names) | fields_of(spec.all_sends)
    if unknown := [name for name in [*only, *most] if name not in known]:
        raise InvalidInput(
            f"{spec.name} has no input {unknown[0]!r}, and sends none",
            hint=f"it has: {', '.join(sorted(known))}",
        )
    if bad := [name for name, limit in most.items() if not within(limit, float("inf"))]:
        raise InvalidInput(f"the limit of {bad[0]} must be a number of 0 or more")
    now = book.clock()
    ends = _end(until, now)
    if not now < ends <= now + LONGEST_DAYS * 86_400 or type(count) is not int or not 1 <= count <= 1000:
        raise InvalidInput(f"a grant is for 1 to 1000 times, and ends within {LONGEST_DAYS} days")
    listed = {name: _values(name, value) for name, value in only.items()}
    return ProposedGrant(
        Grant(
            "", spec.name, spec.digest, number, found.command, label, listed, dict(most), count, 0, ends, now
        ),
        book,
    )


def fields_of(sends: Iterable[Send]) -> set[str]:
    """The names of the fields that are sent, without kinds and counts."""
    return {name.partition(" (")[0] for send in sends for name in send.fields or ()}


def _step_of(spec: SkillSpec, step: int | None) -> tuple[int, SkillStep]:
    steps = list(enumerate(spec.all_steps, 1))
    special = [
        (number, each) for number, each in steps if number in special_steps(spec) and each.irreversible
    ]
    wanted = special if step is None else [pair for pair in special if pair[0] == step]
    if len(wanted) != 1:
        names = ", ".join(f"{number} ({each.note})" for number, each in special) or "none"
        raise InvalidInput(
            f"a grant is for one step that can't be undone; {spec.name} has {names}", hint="give `step`"
        )
    return wanted[0]


def label_of(step: SkillStep) -> str:
    """What a step acts on, as it was recorded; inputs in it are placeholders.

    Raises InvalidInput: that isn't known, so that a grant would be for whatever is there.
    """
    target = step.target
    label = target.fingerprint.get("name", "") if target is not None else ""
    if not label and target is not None:
        found = parse_selector(target.selectors[0])
        is_label = found.kind == "role" and found.name is not None and found.name.mode == "exact"
        label = found.name.text if is_label and found.name is not None else ""
    if not label:
        raise InvalidInput(
            "what the step acts on has no name, so nothing can be granted for it", hint="answer when asked"
        )
    return label


def _values(name: str, value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    found = tuple(str(one) for one in several)
    if not found or any(not one.strip() for one in found):
        raise InvalidInput(f"{name} needs the value that it may have, or a list of them")
    return found


def _end(until: str | timedelta | datetime, now: float) -> float:
    if isinstance(until, timedelta):
        return now + until.total_seconds()
    if isinstance(until, str):
        number, _, unit = until.strip().partition(" ")
        seconds = {"hour": 3600, "day": 86_400}.get(unit.strip().rstrip("s"))
        if number.isdecimal() and seconds:
            return now + int(number) * seconds
        try:
            until = datetime.fromisoformat(until)
        except ValueError:
            raise InvalidInput(f"{until!r} is no time", hint="such as '7 days' or '2026-12-24'") from None
    return until.timestamp()


class UsedGrant:
    """The grant that a replay's step goes by, while it is carried out.

    spec, inputs: the skill, and every input's value.
    key: the replay's id, for the journal.
    """

    def __init__(self, spec: SkillSpec, inputs: Mapping[str, Value], key: str, book: Grants = grants) -> None:
        self._spec, self._inputs, self._key, self._book = spec, inputs, key, book
        self._grant: Grant | None = None

    def take(self, question: ApprovalRequired, step: int, gateway: Gateway) -> bool:
        """Use up a grant for exactly what is asked; False where none covers it."""
        binding = question.binding
        steps = self._spec.all_steps
        if binding is None or question.data.get("verdict") != "irreversible" or not 1 <= step <= len(steps):
            return False
        recorded = steps[step - 1]
        origins = {binding.origin, binding.frame_origin or binding.origin}
        if not recorded.irreversible or binding.actor != "replay" or not origins <= gateway.policy.allowed:
            return False
        try:
            template = label_of(recorded)
        except InvalidInput:
            return False
        if (
            clean(fill_text(template, self._inputs)) != clean(binding.label)
            or binding.command != recorded.command
        ):
            return False
        defaults = {one.name: one.default for one in self._spec.inputs}

        def fits(grant: Grant) -> bool:
            values = {
                name: value
                for name, value in self._inputs.items()
                if value != defaults.get(name, "") or name in {*grant.only, *grant.most}
            }
            return grant.is_for(self._spec.digest, step, binding.command, template, values)

        self._grant = self._book.use(fits)
        if self._grant is not None:
            self._note(gateway, binding)
        return self._grant is not None

    def _note(self, gateway: Gateway, binding: Any) -> None:
        grant = self._grant
        assert grant is not None
        params = {"grant": grant.id, "words": gateway.secrets.redact(str(grant)), "left": grant.left}
        intent = gateway.journal.intend(
            "use_grant",
            actor="replay",
            effect="irreversible",
            verdict=f"grant {grant.id}",
            tab=binding.tab,
            url=binding.origin or "",
            params=params,
            target={"role": binding.role, "name": binding.label},
            run=self._key,
        )
        gateway.journal.conclude(intent, Outcome.OK, elapsed_ms=0.0)

    def end(self) -> None:
        """Another step begins."""
        self._grant = None

    def allows(self, fact: RequestFact, send: Send) -> bool:
        """Whether a request keeps to the grant that the step goes by; without one there is nothing to keep to.

        send: the entry of the skill's list that it is.
        """
        if self._grant is None or not fact.changes:
            return True
        shape = fact.shape
        if shape is None or not shape.whole:
            return False
        for name in fields_of([send]) & {*self._grant.only, *self._grant.most}:
            texts = [value.text for place, value in shape.values.items() if _field(place) == name]
            if not texts or not all(self._grant.allows(name, text) for text in texts):
                return False
        return True


def _field(place: Place) -> str:
    """A body's field as a skill lists it; empty for what is none."""
    return ".".join(step for step in place[1:] if isinstance(step, str)) if place[0] == "body" else ""
