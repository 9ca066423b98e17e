"""What a skill wants to do, as the person reads it who is asked to approve it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from skillbook.perception.escape import clean, quote, shorten
from skillbook.policy import SecretStore
from skillbook.policy.effects import classify
from skillbook.policy.labels import says_change
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.skill.model import SkillSpec, SkillStep
from skillbook.skill.model.templates import Value, fill_text, fill_url

_LONGEST = 200
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

    Parameters
    ----------
    inputs : values by name; what has none, such as the item of a loop, counts as empty.
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
    return bool(command.file_param or script or _cant_be_undone(step))


def special_steps(spec: SkillSpec) -> list[int]:
    """Numbers of the steps that take a file, run a script, or do what can't be undone."""
    return [number for number, step in enumerate(spec.all_steps, 1) if _is_special(step)]


def _cant_be_undone(step: SkillStep) -> bool:
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
    if _cant_be_undone(step):
        target = step.target.selectors[0] if step.target else ""
        yield f"do what can't be undone: {step.command} {_said(target)}"


def _said(text: str) -> str:
    return quote(shorten(text, _LONGEST))
