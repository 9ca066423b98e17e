"""What a skill wants to do, what a person has to give before it does anything, and which versions they approved.

An approval holds for exactly that version: a skill that was changed since asks again. It lets the skill run; only for
skills saved from a run in which a person approved the steps that can't be undone, it covers these too.

Anybody may have written a skill's file. So one that wants more than to read, type and click where the person allowed
that is approved by them once for each version. What a run asks as it goes on is in `permission.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from skillbook.config import load_settings
from skillbook.errors import ApprovalRequired, NotAllowed, SkillNotApproved
from skillbook.perception.escape import clean, quote, shorten
from skillbook.policy import SecretStore
from skillbook.policy.effects import classify
from skillbook.policy.labels import says_change
from skillbook.policy.secrets import store
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.session.action import left_by
from skillbook.session.page_driver import driver_of
from skillbook.skill.consent.send_allowlist import Approve, answer_of, is_of_code
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.model.templates import Value, fill_text, fill_url
from skillbook.storage import HOME, private_folder, storing, write_private

_LONGEST_WORDS = 200
_MOST_LINES = 30


@dataclass(frozen=True)
class Wants:
    """One line for each thing that the skill wants; texts of the skill are quoted, on one line, and cut."""

    name: str
    place: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(
            [f"The skill {self.name} ({self.place}) wants to:", *(f"- {line}" for line in self.lines)]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(line)}</li>" for line in self.lines)
        return f"<b>{escape(self.name)}</b> ({escape(self.place)}) wants to:<ul>{items}</ul>"


def wants_of(spec: SkillSpec, path: Path | None, secrets: SecretStore) -> Wants:
    """What a skill wants: addresses, a state, secrets, files, scripts, steps that can't be undone, a prompt."""
    lines = list(dict.fromkeys(_lines(spec, secrets)))
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… and {len(lines) - _MOST_LINES} more; see its files"]
    return Wants(spec.name, "not saved" if path is None else clean(str(path)), tuple(lines))


def origins_reached(spec: SkillSpec) -> list[str] | None:
    """The addresses that recorded steps want, where they want nothing else but to read, type and click there.

    Where a person allowed all of these there is nothing to ask: what the clicks send is asked about when they send it.
    None where the skill wants more: a state, a secret, a file, a script, a request, an address that changes something,
    what can't be undone, or to lead an agent.
    """
    if (
        not spec.replays
        or spec.code
        or spec.state
        or spec.all_secrets
        or spec.all_sends
        or any(_is_special(step) for step in spec.all_steps)
    ):
        return None
    addresses = list(_addresses(spec))
    return None if any(says_change(address) for address in addresses) else [*spec.all_origins, *addresses]


def reached(spec: SkillSpec, inputs: Mapping[str, Value]) -> dict[str, list[str]]:
    """Every origin that a run with some inputs opens, acts on or sends to, with the addresses that it opens there.

    inputs: values by name; what has none, such as the item of a loop, counts as empty.
    """
    known = {**{one.name: "" for one in spec.inputs}, **dict.fromkeys(spec.item_names, ""), **inputs}
    places = [*spec.all_origins, *(send.origin for send in spec.all_sends or ())]
    found: dict[str, list[str]] = {}
    for origin in (origin_of(fill_text(place, known)) for place in places):
        found.setdefault(origin or "", [])
    for address in (fill_url(template, known) for template in _addresses(spec)):
        found.setdefault(origin_of(address) or "", []).append(address)
    found.pop("", None)
    return found


def _addresses(spec: SkillSpec) -> Iterator[str]:
    if spec.start:
        yield spec.start
    for step in spec.all_steps:
        if step.skill is not None and step.skill.address:
            yield step.skill.address
        command = COMMANDS.get(step.command)
        if command is not None and command.destination and command.destination in step.params:
            yield str(step.params[command.destination])


def _is_special(step: SkillStep) -> bool:
    """Whether a step takes a file, runs a script, or does what can't be undone."""
    command = COMMANDS.get(step.command)
    if command is None:
        return False
    script = command.runs_script or (command.script_param and command.script_param in step.params)
    return bool(command.file_param or script or cant_be_undone(step))


def special_steps(spec: SkillSpec) -> list[int]:
    """Numbers of the steps that take a file, run a script, or do what can't be undone."""
    return [number for number, step in enumerate(spec.all_steps, 1) if _is_special(step)]


def cant_be_undone(step: SkillStep) -> bool:
    """Whether a step can't be undone, by what was recorded of it, or by the words of what it acts on."""
    # What a fingerprint calls the element is only the skill's word: the selector is what it acts on.
    targets = step.target.selectors if step.target else [""]
    return step.irreversible or any(
        classify(step.command, role="button", label=target) is Effect.IRREVERSIBLE for target in targets
    )


def _lines(spec: SkillSpec, secrets: SecretStore) -> Iterator[str]:
    if spec.start:
        yield f"open {_said(spec.start)}"
    yield f"act on {', '.join(_said(origin) for origin in spec.all_origins) or 'the page that it runs on'}"
    if spec.state:
        yield f"be signed in by your state {spec.state}"
    for name in spec.all_secrets:
        bound = ", ".join(sorted(secrets.bound_to(name)))
        yield f"type the secret {name}, {f'bound to {bound}' if bound else 'which is bound to no site yet'}"
    if spec.body and not spec.replays:
        yield f"let an agent follow its prompt by itself: {_said(spec.body)}"
    if spec.code:
        yield f"run code in a sandbox, {len(spec.code.splitlines())} lines, of which each call is one of the steps"
    for number, step in enumerate(spec.all_steps, 1):
        yield from (f"{line} (step {number})" for line in _of_step(step))
    if spec.replays and spec.all_sends is None:
        yield "ask before its page sends anything: the skill doesn't say what"
    for send in spec.all_sends or ():
        yield f"send {_said(str(send))} (step {send.step})"
    for one in spec.inputs:
        if one.default is not None:
            yield f"take {_said(str(one.default))} as its input {one.name}, unless you give another"
    count = len(spec.all_steps)
    yield f"do {count} step{'' if count == 1 else 's'} in all"


def _of_step(step: SkillStep) -> Iterator[str]:
    if step.loop is not None:
        most = f", {step.loop.max_items} at most" if step.loop.max_items else ""
        pages = " of every page" if step.loop.next else ""
        yield f"do {len(step.steps)} steps for each {_said(step.loop.items)}{pages}{most}"
    if step.skill is not None:
        begun = step.skill.address if step.skill.start != "here" else None
        yield f"run the skill {step.skill.name}{f', which opens {_said(begun)}' if begun else ''}"
    command = COMMANDS.get(step.command)
    if command is None:
        return
    if command.destination and command.destination in step.params:
        yield f"open {_said(str(step.params[command.destination]))}"
    if command.file_param:
        files = step.params.get(command.file_param)
        named = files if isinstance(files, list) else [files]
        yield f"upload {', '.join(_said(str(file)) for file in named)}"
    if command.runs_script or (command.script_param and command.script_param in step.params):
        script = step.params.get(command.script_param or "expression", "")
        yield f"run JavaScript in the page: {_said(str(script))}"
    if cant_be_undone(step):
        target = step.target.selectors[0] if step.target else ""
        yield f"do what can't be undone: {step.command} {_said(target)}"


def _said(text: str) -> str:
    return quote(shorten(text, _LONGEST_WORDS))


_FILE = "approved-skills.json"
_RUN = "run"


def remember(home: Path, digest: str) -> None:
    """Remember that a person approved that a version runs; what can't be undone is asked about each time."""
    _write(home, {**_approved(home), digest: _RUN})


def forget(home: Path, digest: str) -> None:
    """Forget that a person approved a version."""
    known = _approved(home)
    if known.pop(digest, None) is not None:
        _write(home, known)


def _write(home: Path, known: dict[str, str]) -> None:
    with storing(home / _FILE, HOME):
        private_folder(home)
        write_private(home / _FILE, json.dumps(known, indent=1, sort_keys=True))


def may_run(home: Path, digest: str) -> bool:
    """Whether a person approved this version."""
    return digest in _approved(home)


def _approved(home: Path) -> dict[str, str]:
    """The approved versions. Earlier files have a list, or say "irreversible" of some."""
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if isinstance(found, dict):
        found = [digest for digest, covers in found.items() if covers in (_RUN, "irreversible")]
    return {digest: _RUN for digest in found if isinstance(digest, str)} if isinstance(found, list) else {}


_LONGEST, _MOST_SHOWN = 200, 3


@dataclass(frozen=True)
class Consent:
    """A person's consent to one version of a skill.

    path: the skill's folder or prompt file; None where it isn't saved.
    foreign: whether it comes from a file, which anybody may have written.
    """

    spec: SkillSpec
    path: Path | None
    foreign: bool

    @property
    def wants(self) -> Wants:
        """What the skill wants to do."""
        return wants_of(self.spec, self.path, store)

    @property
    def is_given(self) -> bool:
        """Whether the skill was made or saved here, or a person approved exactly this version."""
        return not self.foreign or may_run(load_settings().home, self.spec.digest)

    def give(self) -> None:
        """Remember that the person approves this version."""
        remember(load_settings().home, self.spec.digest)

    def is_needed(self, page: Any, given: Mapping[str, Any]) -> bool:
        """Whether the skill wants more than a person has given it.

        given: values of inputs; its origins may depend on them.
        """
        if self.is_given:
            return False
        reached = origins_reached(self.spec)
        if reached is None:
            return True
        driver = driver_of(page)
        inputs = bind_inputs(self.spec, given, driver.url)
        origins = {origin_of(fill_url(address, inputs)) for address in reached}
        return not origins <= driver.browser.gateway.policy.allowed

    async def ask(self, approve: Approve | None) -> None:
        """Ask the person, once for each version, whether the skill may do what it wants.

        Raises SkillNotApproved: nobody can be asked, or says no.
        """
        if approve == self.spec.digest:
            return
        wants = str(self.wants)
        if approve is None or isinstance(approve, str) or not await answer_of(approve, wants):
            raise SkillNotApproved(
                f"nobody has approved this version of {self.spec.name}. {wants}",
                name=self.spec.name,
                digest=self.spec.digest,
            )
        self.give()

    async def ask_sites(
        self, page: Any, given: Mapping[str, Any], inputs: Mapping[str, Value], approve: Approve | None
    ) -> None:
        """Ask about sites that a run reaches and that it wasn't approved for, before anything is requested.

        A version is approved for the origins that it has by itself. Values that a person's code gives are like an
        address which that code opens; those of a model, a client or a form are asked about as opening it would be.

        given: the inputs' values that whoever runs it gave.
        Raises ApprovalRequired: nobody can be asked. NotAllowed : the person says no.
        """
        policy = driver_of(page).browser.gateway.policy
        defaults = {one.name: one.default for one in self.spec.inputs if one.default is not None}
        known = reached(self.spec, defaults) if self.is_given or approve == self.spec.digest else {}
        named = {**defaults, **{name: inputs[name] for name in given}}
        by_code = reached(self.spec, named) if is_of_code(approve) else {}
        asked_for = {
            origin: addresses
            for origin, addresses in reached(self.spec, inputs).items()
            if origin not in by_code
            and (origin not in policy.allowed | known.keys() or _says_more(addresses, known.get(origin, ())))
        }
        if not asked_for:
            return
        if outside := sorted(filter(None, map(left_by, asked_for))):
            raise NotAllowed(
                f"{self.spec.name} would go to {' and '.join(outside)}, which isn't one of the sites that this program "
                "may use",
                hint="stay on the sites that the person named with --origins",
                origin=outside[0],
            )
        new = sorted(origin for origin in asked_for if origin not in policy.allowed | known.keys())
        question = ApprovalRequired(
            f"{self.spec.name} would {_words_of(asked_for, new, known)}",
            hint="open that page first, or call browser.allow(origin)",
            effect="write",
            sites=new,
        )
        if approve is None or isinstance(approve, str):
            raise question
        if not await answer_of(approve, question.message, question):
            raise NotAllowed(
                f"the person rejected that {self.spec.name} goes to {' and '.join(asked_for)}: nothing was requested",
                hint="use a site that is allowed, or ask them why",
                origin=next(iter(asked_for)),
            )
        policy.allowed.update(new)

    def ask_secrets(self, page: Any) -> None:
        """Make sure of a value for each secret now, where a person can give it, and not in mid-run."""
        if self.spec.all_secrets:
            secrets = driver_of(page).browser.gateway.secrets
            for name in self.spec.all_secrets:
                secrets.add(name)


def _says_more(addresses: Sequence[str], approved: Sequence[str]) -> bool:
    """Whether an address says that it changes something, and none of those that were approved does."""
    return any(map(says_change, addresses)) and not any(map(says_change, approved))


def _words_of(reached: Mapping[str, list[str]], new: Sequence[str], approved: Iterable[str]) -> str:
    """Where a run would go, quoted and cut, and why that is asked about."""
    addresses = [address for each in reached.values() for address in each]
    opened = ", ".join(quote(shorten(address, _LONGEST)) for address in addresses[:_MOST_SHOWN])
    more = f" and {len(addresses) - _MOST_SHOWN} more" if len(addresses) > _MOST_SHOWN else ""
    words = [f"open {opened}{more}" if opened else f"act on {' and '.join(reached)}"]
    if new:
        those = f"{' and '.join(new)} {'is' if len(new) == 1 else 'are'}n't allowed yet"
        words.append(f"it was approved for {' and '.join(approved) or 'no site'}, and {those}")
        words.append("if you approve, every program may act there from now on")
    if changes := list(filter(None, map(says_change, addresses))):
        words.append(f"the address says {changes[0]!r}: going there may change something")
    return "; ".join(words)
