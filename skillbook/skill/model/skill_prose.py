"""What SKILL.md says of a skill in words, made of what its steps do; and what a person's edit of it doesn't change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import zip_longest

from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.skill.model.spec import VERSION, SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import Check, SkillStep, own_steps
from skillbook.skill.model.templates import Value, escape, show

_KINDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false"}
_MOST_CHOICES = 12
_NUMBER = re.compile(r"^\d+\. ")
_HEADING = re.compile(r"##\s+(.+)")


def sections_of(spec: SkillSpec) -> dict[str, list[str]]:
    """The lines under each heading; a heading without any is left out."""
    found = {
        "Inputs": [_input_line(given) for given in spec.inputs],
        "Start": [
            f"- {spec.start}" + (", as somebody left it" if spec.begins_in_the_middle else ", loaded anew")
        ]
        if spec.start
        else [],
        "Steps": [f"{number}. {step.note}." for number, step in enumerate(spec.steps, 1)],
        "What it changes": [f"- {line}" for line in _changes(spec)],
        "How it is known to have worked": [f"- {line}" for line in _signs(spec)],
    }
    return {heading: lines for heading, lines in found.items() if lines}


def text_of(goal: str, spec: SkillSpec) -> str:
    """The prompt of a skill: what it is for, and everything that its file says, in words."""
    parts = [goal.strip()]
    for heading, lines in sections_of(spec).items():
        parts += ["", f"## {heading}", "", *lines]
    return "\n".join(parts)


def edits_without_effect(spec: SkillSpec) -> list[str]:
    """Lines of a text made by `text_of` that say otherwise than the skill does, each with what it does.

    A section whose heading isn't there was written by somebody, and is not compared.
    """
    written = _written_sections(spec.body) if VERSION in spec.metadata else {}
    return [
        f"{heading}: {edit}"
        for heading, lines in sections_of(spec).items()
        if heading in written
        for edit in _edits(written[heading], lines)
    ]


def _edits(text: list[str], lines: list[str]) -> Iterator[str]:
    """How a section's text differs from what the skill does; a step's number is none of that."""
    theirs, ours = ([_NUMBER.sub("", line)[:200] for line in each] for each in (text, lines))
    for kind, start, end, first, last in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for says, does in zip_longest(theirs[start:end], ours[first:last]):
            if says is None:
                yield f"the text doesn't say {does!r}, which the skill does"
            elif does is None:
                yield f"the text says {says!r}, which the skill doesn't do"
            else:
                yield f"the text says {says!r}, and the skill does {does!r}"


def _written_sections(body: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    heading = ""
    for line in body.splitlines():
        if (head := _HEADING.fullmatch(line.strip())) is not None:
            heading = head[1]
        elif line.strip() and heading:
            found.setdefault(heading, []).append(line.strip())
    return found


def _input_line(given: SkillInput) -> str:
    kind = _KINDS[given.type]
    if given.choices:
        listed = [_shown(choice) for choice in given.choices]
        more = f" or {len(listed) - _MOST_CHOICES} more" if len(listed) > _MOST_CHOICES else ""
        kind = f"one of {', '.join(listed[:_MOST_CHOICES])}{more}"
    default = (
        f"for example {_shown(given.default)}, which it is if left out" if given.default is not None else ""
    )
    if given.from_page:
        default = "that of the page if left out"  # each machine has another one
    needed = default or ("needed" if given.required else "may be left out")
    described = f": {escape(given.description)}" if given.description else ""
    return f"- {given.name}{described} ({kind}; {needed})"


def _shown(value: Value) -> str:
    return escape(" ".join(show(value).split()))


def _changes(spec: SkillSpec) -> Iterator[str]:
    if not spec.steps:
        return
    for number, step in own_steps(spec.steps, 1):
        if step.irreversible:
            yield f"step {number} can't be undone: it asks first"
    if spec.sends is None:
        acts = any(_acts(step) for step in spec.steps)
        yield "it doesn't say what it sends, and asks before anything is sent" if acts else "nothing"
        return
    for send in spec.sends:
        yield f"step {send.step} sends {send}"
    if not spec.sends:
        yield "nothing: no request of it may change anything"


def _acts(step: SkillStep) -> bool:
    command = COMMANDS.get(step.command)
    return bool(step.steps) or (command is not None and command.effect is not Effect.READ)


def _signs(spec: SkillSpec) -> Iterator[str]:
    for number, step in own_steps(spec.steps, 1):
        if words := "; ".join(filter(None, map(_sign, step.expect))):
            yield f"step {number}: {words}"


def _sign(check: Check) -> str:
    parts: Mapping[str, str | int | None] = {
        "the address is": check.url,
        "the page shows": check.present,
        "the page doesn't show": check.absent,
        "the page says": check.text,
        "the field holds": check.value,
        "rows are read, at least": check.rows,
    }
    return ", ".join(f"{words} {what}" for words, what in parts.items() if what is not None)
