"""Granting in advance a step of a skill that can't be undone, in two phases; and what a replay may use of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Any

from skillbook.errors import ApprovalRequired, InvalidInput, NotAllowed
from skillbook.hooks import hooks
from skillbook.journal.records import Outcome
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.records import ANY
from skillbook.perception.roles import DIALOGS
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.approvals import LONGEST_DAYS, Binding, Grant, within
from skillbook.policy.request_bodies import Place
from skillbook.policy.request_facts import RequestFact
from skillbook.protocol.commands import COMMANDS
from skillbook.session.grant_book import Grants, grants
from skillbook.skill.consent.consent_summary import cant_be_undone
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
    act = _act_of(spec, step)
    label, then = label_of(act.step), label_of(act.answer) if act.answer is not None else ""
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
        raise InvalidInput(f"the limit of {bad[0]} must be a number of 0 or more, with two decimals at most")
    now = book.clock()
    ends = _end(until, now)
    if not now < ends <= now + LONGEST_DAYS * 86_400 or type(count) is not int or not 1 <= count <= 1000:
        raise InvalidInput(f"a grant is for 1 to 1000 times, and ends within {LONGEST_DAYS} days")
    listed = {name: _values(name, value) for name, value in only.items()}
    made = Grant("", spec.name, spec.digest, act.number, act.step.command, label, listed, dict(most), count)
    return ProposedGrant(replace(made, until=ends, made=now, then=then), book)


def fields_of(sends: Iterable[Send]) -> set[str]:
    """The names of the fields that are sent, without kinds and counts."""
    return {name.partition(" (")[0] for send in sends for name in send.fields or ()}


@dataclass(frozen=True)
class Act:
    """What of a skill can't be undone, with one question or two: a step, and the one that confirms it.

    number: of the step.
    answer: the step after it, which answers the dialog that it opens.
    """

    number: int
    step: SkillStep
    answer: SkillStep | None = None

    def part(self, number: int) -> SkillStep | None:
        """The step of that number, if it belongs to this."""
        return {self.number: self.step, self.number + 1: self.answer}.get(number)


def acts_of(spec: SkillSpec) -> list[Act]:
    """What of a skill can't be undone; what is granted and what a run may use are the same."""
    found: list[Act] = []
    before: SkillStep | None = None
    for number, step in enumerate(spec.all_steps, 1):
        last = found[-1] if found else None
        if step.irreversible and step.command in COMMANDS:
            is_free = last is None or last.answer is None or last.number + 1 < number - 1
            if before is None or not is_free or not _answers(step, before):
                found.append(Act(number, step))
            elif last is not None and last.number == number - 1:
                found[-1] = replace(last, answer=step)
            else:
                found.append(Act(number - 1, before, step))
        before = step
    return found


def _answers(step: SkillStep, before: SkillStep) -> bool:
    """Whether a step confirms what the one before it asked for in a dialog, of which the words were recorded."""
    if not step.confirms or step.until or before.until or not before.target or before.command not in COMMANDS:
        return False
    if not COMMANDS[before.command].activates:
        return False
    if COMMANDS[step.command].answers_dialog:
        return True
    layers = [one.fingerprint.get("layer") for one in (before.target, step.target) if one is not None]
    return cant_be_undone(before) and layers[-1] == "dialog" != layers[0]


def _act_of(spec: SkillSpec, step: int | None) -> Act:
    acts = acts_of(spec)
    wanted = acts if step is None else [act for act in acts if act.part(step) is not None]
    if len(wanted) != 1:
        names = ", ".join(f"{act.number} ({act.step.note})" for act in acts) or "none"
        raise InvalidInput(
            f"a grant is for one step that can't be undone; {spec.name} has {names}", hint="give `step`"
        )
    return wanted[0]


def label_of(step: SkillStep) -> str:
    """What a step acts on, as it was recorded; inputs in it are placeholders.

    Raises InvalidInput: that isn't known, so that a grant would be for whatever is there.
    """
    if label := _name_of(step):
        return label
    raise InvalidInput(
        "what the step acts on has no name, so nothing can be granted for it", hint="answer when asked"
    )


def _name_of(step: SkillStep) -> str:
    """What a step acts on, or what the dialog says that it answers; "" for what has no name, or not always the same."""
    if COMMANDS[step.command].answers_dialog:
        says = step.confirms[0] if step.confirms else ""
        return "" if ANY in says else says
    if step.target is None:
        return ""
    if name := step.target.fingerprint.get("name", ""):
        return name
    found = parse_selector(step.target.selectors[0])
    is_label = found.kind == "role" and found.name is not None and found.name.mode == "exact"
    return found.name.text if is_label and found.name is not None else ""


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
    """The grant that a replay's step goes by, while it is carried out and confirmed.

    spec, inputs: the skill, and every input's value.
    key: the replay's id, for the journal.
    latest: gives the page as it was read last.
    """

    def __init__(
        self,
        spec: SkillSpec,
        inputs: Mapping[str, Value],
        key: str,
        latest: Callable[[], Snapshot | None],
        book: Grants = grants,
    ) -> None:
        self._spec, self._inputs, self._key, self._book = spec, inputs, key, book
        self._latest = latest
        self._grant: Grant | None = None
        self._step = self._used_at = 0
        self._begun: Binding | None = None
        self._dialogs: frozenset[str | None] = frozenset()
        """Those that were there before the step that goes by it."""

    def take(self, question: ApprovalRequired, step: int, gateway: Gateway) -> bool:
        """Use up a grant for exactly what is asked; False where none covers it.

        What confirms the step that goes by it is covered by the same use.
        """
        binding = question.binding
        act = next((act for act in acts_of(self._spec) if act.part(step) is not None), None)
        recorded = act.part(step) if act is not None else None
        if (
            binding is None
            or question.data.get("verdict") != "irreversible"
            or act is None
            or recorded is None
        ):
            return False
        origins = {binding.origin, binding.frame_origin or binding.origin}
        if binding.actor != "replay" or not origins <= gateway.policy.allowed:
            return False
        if binding.command != recorded.command or not self._is_called_so(recorded, binding.label):
            return False
        if self._grant is not None and self._used_at < step:
            return self._grant.then == _name_of(recorded) and self._was_opened(binding)
        defaults = {one.name: one.default for one in self._spec.inputs}
        then = _name_of(recorded) if step != act.number else None
        of_act, of_step = (act.number, act.step, then), (step, recorded, None)

        def fits(grant: Grant) -> bool:
            values = {
                name: value
                for name, value in self._inputs.items()
                if value != defaults.get(name, "") or name in {*grant.only, *grant.most}
            }
            return any(
                grant.is_for(self._spec.digest, number, one.command, _name_of(one), values)
                and confirmed in (None, grant.then)
                for number, one, confirmed in (of_act, of_step)
            )

        self._grant, self._used_at, self._begun = self._book.use(fits), step, binding
        self._dialogs = frozenset(node.ref for node in self._shown() if node.role in DIALOGS)
        if self._grant is not None:
            self._note(gateway, binding)
        return self._grant is not None

    def _is_called_so(self, recorded: SkillStep, label: str) -> bool:
        """Whether what is acted on, or what the dialog says that is answered, is called as recorded."""
        name = _name_of(recorded)
        return bool(name) and clean(fill_text(name, self._inputs)) == clean(label)

    def _was_opened(self, binding: Binding) -> bool:
        """Whether what is confirmed is in a dialog that came with the granted step, in the same document.

        While a JavaScript dialog is open nothing is done on the page, so that one came later anyway.
        """
        begun = self._begun
        if begun is None or (binding.tab, binding.origin) != (begun.tab, begun.origin):
            return False
        if COMMANDS[binding.command].answers_dialog:
            return True
        node = next((node for node in self._shown() if node.ref == binding.ref), None)
        dialog = next((up for up in node.ancestors if up.role in DIALOGS), None) if node is not None else None
        same = bool(binding.dialog) and binding.document == begun.document
        return same and dialog is not None and dialog.ref not in {None, *self._dialogs}

    def _shown(self) -> Sequence[Node]:
        latest = self._latest()
        return latest.nodes if latest is not None else ()

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

    def begin(self, step: int) -> None:
        """A step begins: what was granted is over, unless this confirms what was done by it."""
        confirms = self._grant is not None and bool(self._grant.then) and self._grant.step == self._used_at
        if not (confirms and self._step == self._used_at == step - 1):
            self._grant = self._begun = None
        self._step = step

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
