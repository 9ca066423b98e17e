"""From what was done to a skill: inputs for the goal's literals, steps worth doing again, checks, a prompt."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from skillbook.config import load_settings
from skillbook.errors import InvalidSkill, SelectorSyntaxError
from skillbook.goals.goal_words import is_relative
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.selectors import build_container_locator, build_locator, parse_selector
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.skill.consent.consent_summary import remember
from skillbook.skill.consent.send_allowlist import named_fields, new_ids, with_page_ids
from skillbook.skill.facade import Skill
from skillbook.skill.model.inputs import local_origin
from skillbook.skill.model.skill_prose import text_of
from skillbook.skill.model.spec import BEGINS, DEVICE, IN_THE_MIDDLE, VERSION, SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput, check_name
from skillbook.skill.model.spec_steps import EXTRACT, RUN_SKILL, Check, Extract, Send, SkillStep, SubSkill
from skillbook.skill.model.templates import escape, placeholders, show, write_selector
from skillbook.skill.proof.skill_proof import RecordedResults
from skillbook.skill.recording.cleanup import clean
from skillbook.skill.recording.expected_checks import expect_after, failed_shapes, offered_text, page_error
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import (
    RecordedStep,
    Recording,
    leftover_of,
    with_choices,
    with_positions,
    with_suggestions,
    with_switches,
)
from skillbook.skill.recording.written_parts import (
    confirms_of,
    dropped_words,
    mark_facts,
    note_of,
    output_of,
    run_note,
    words_of,
    write_target,
)

MAX_DESCRIPTION = 1024
_CHECKS = {"text": "text", "selector": "present"}
"""Which condition of a `wait_for` is which part of a check."""


def skill_from_recording(
    recording: Recording,
    name: str,
    description: str | None = None,
    *,
    outputs: Iterable[str] = (),
    keep: Collection[int] = (),
) -> Skill:
    """Make a skill of what was recorded; it is not saved yet. `skill.dropped_steps` has the steps that were left out.

    description: the goal, where it is None.
    outputs: the frame's columns.
    keep: numbers of steps that stay, though they seem to have had no effect.
    Raises InvalidInput: `keep` names no step that can be kept.
    Raises InvalidSkillName. InvalidSkill: nothing was done that could be done again.
    """
    check_name(name)
    certain = recording.held and not recording.by_hand
    cleaned = clean(
        mark_facts(recording.steps, recording.answer), held=certain, run=not recording.by_hand, keep=keep
    )
    steps = with_positions(with_switches(with_choices(with_suggestions(cleaned.steps))))
    start = start_url(steps)
    done = list(steps)
    opening = list(recording.opening)
    if steps and steps[0].command == "goto":
        opening += steps[0].failed
        steps = steps[1:]
    if not steps:
        raise InvalidSkill(
            "nothing was done that could be done again", hint="let the run act or extract first"
        )
    _check_parts(steps)
    literals = literals_of(recording.goal, start, done)
    literals.free = recording.free
    offered: list[str] = []
    written = _write_steps(steps, literals, offered)
    _check_inputs(literals.template_url(start) if start else "", written, literals)
    sends = _write_sends(done, literals, written, first=len(done) - len(steps)) if recording.held else None
    spec = write_spec(
        recording,
        literals,
        start,
        done,
        name=name,
        description=description,
        outputs=[*(SkillOutput(name=one) for one in outputs), *facts_of(written)],
        sends=sends,
        fails=failed_shapes(opening, literals),
        steps=written,
    )
    if recording.in_the_middle and len(steps) == len(done):
        spec = spec.model_copy(update={"metadata": {**spec.metadata, BEGINS: IN_THE_MIDDLE}})
    spec = spec.model_copy(update={"body": text_of(literals.template(recording.goal), spec)})
    return Skill(
        spec,
        dropped_steps=tuple(dropped_words(one, literals) for one in cleaned.dropped_steps),
        offered_checks=tuple(offered),
        recorded=RecordedResults.of(steps),
    )


def write_spec(
    recording: Recording,
    literals: Literals,
    start: str,
    done: Sequence[RecordedStep],
    *,
    name: str,
    description: str | None,
    steps: Sequence[SkillStep],
    **parts: Any,
) -> SkillSpec:
    """What a skill's files say, of steps and of code alike, without its text.

    Raises InvalidSkill: that makes no valid skill.
    """
    origins = dict.fromkeys(origin for url in [start, *written_on(done)] if (origin := origin_of(url)))
    try:
        return SkillSpec(
            name=name,
            description=description_of(description, recording.goal, literals) or name,
            inputs=literals.inputs,
            start=literals.template_url(start) if start else None,
            origins=[literals.template_url(origin) for origin in origins],
            secrets=literals.secrets,
            steps=list(steps),
            metadata={VERSION: "2", **({DEVICE: recording.device} if recording.device else {})},
            allowed_tools=list(dict.fromkeys(step.command for step in steps)),
            **parts,
        )
    except ValidationError as error:
        fault = error.errors()[0]
        raise InvalidSkill(f"the run makes no valid skill: {fault['loc']}: {fault['msg']}") from None


def literals_of(goal: str, start: str, done: Sequence[RecordedStep]) -> Literals:
    """What of the recording becomes an input: a local site's address, and what the steps typed and chose."""
    literals = Literals(goal)
    if local := local_origin(start):
        literals.texts[local] = "site"
        site = SkillInput(name="site", default=local, from_page="origin", description="The site's address")
        literals.inputs.append(site)
    literals.look_at_address(start)
    for step in done:
        literals.look_at(step)
    for step in done:
        literals.look_at_record(step)
    return literals


def description_of(given: str | None, goal: str, literals: Literals) -> str:
    """What the skill does; a goal that counts from the day of its recording says which day that was."""
    text = literals.scrub(given or goal).strip()
    if given or not is_relative(goal):
        return text[:MAX_DESCRIPTION].strip()
    day = f" (as of {date.today()}: the steps are for what that meant then)"
    warnings.warn(
        f"the goal counts from today, and the steps don't: on any day they do what {goal!r} means today; "
        "give a description that says so, or name the day in the goal",
        stacklevel=4,
    )
    return text[: MAX_DESCRIPTION - len(day)].strip() + day


def facts_of(steps: Iterable[SkillStep]) -> list[SkillOutput]:
    """What the steps read."""
    return [step.output for step in steps if step.output is not None]


def save_recording(
    recording: Recording,
    name: str,
    folder: Path | str = "skills",
    *,
    description: str | None = None,
    outputs: Iterable[str] = (),
    overwrite: bool = True,
    keep: Collection[int] = (),
) -> Skill:
    """Save what was recorded as a skill, and remember that the person who did it approved that it runs.

    What can't be undone is asked about at each run all the same.

    Parameters
    ----------
    folder : where skills are kept.
    keep : see `skill_from_recording`.

    Warns
    -----
    UserWarning : the recording ends with an error of the page.

    Raises
    ------
    InvalidSkillName. InvalidSkill : nothing was done that could be done again, or there is one of that name.
    InvalidInput : `keep` names no step that can be kept.
    """
    made = skill_from_recording(recording, name, description, outputs=outputs, keep=keep)
    return save_made(made, recording, folder, overwrite=overwrite)


def save_made(made: Skill, recording: Recording, folder: Path | str, *, overwrite: bool) -> Skill:
    """Save a skill that was made of a recording; see `save_recording`."""
    name = made.name
    _warn_of_page_error(recording.steps, name)
    saved = made.with_skills_of(folder).save(folder, overwrite=overwrite)
    if recording.approved and any(step.irreversible for step in saved.spec.all_steps):
        remember(load_settings().home, saved.digest)
    return saved


def _warn_of_page_error(steps: Sequence[RecordedStep], name: str) -> None:
    """Say where the recording ends with an error of the page: its replay would end so, too, and call that right."""
    last = next((step for step in reversed(steps) if step.spec is not None and step.spec.shows_outcome), None)
    if last is not None and (fault := page_error(last.before, last.after)):
        warnings.warn(
            f"{name} was saved, but after its last step ({words_of(last)}) the page says {fault!r}: a replay does the "
            "same; record it again where it works",
            stacklevel=4,
        )


def start_url(steps: Sequence[RecordedStep]) -> str:
    """The address where a recording begins; empty where it has none."""
    if not steps:
        return ""
    first = steps[0]
    url = str(first.params.get("url", ""))
    if first.command == "goto":
        return url if origin_of(url) else first.url_after
    return first.url_before if origin_of(first.url_before) else ""


def written_on(steps: Sequence[RecordedStep]) -> list[str]:
    """Addresses that the steps write on or go to."""
    urls: list[str] = []
    for step in steps:
        if step.command == "goto":
            urls.append(str(step.params["url"]))
        elif step.command in COMMANDS and COMMANDS[step.command].effect is not Effect.READ:
            urls.append(step.url_before)
    return urls


def _write_steps(
    steps: list[RecordedStep], literals: Literals, offered: list[str] | None = None
) -> list[SkillStep]:
    """The steps; `offered` gets texts that may be signs of success, or there by chance."""
    written: list[SkillStep] = []
    seen = [one for step in steps for one in (step.before, step.after) if one is not None]
    chosen_on = ""  # where a step first used an input
    for place, step in enumerate(steps):
        following = steps[place + 1] if place + 1 < len(steps) else None
        if step.command == "wait_for" and written and (check := _as_check(step, literals)):
            last = written[-1]
            written[-1] = last.model_copy(update={"expect": [*last.expect, check]})
            continue
        settled = following.before if following else None
        answered = steps[place - 1].dialog if place else ""
        written.append(write_step(step, settled, literals, seen, chosen_on, answered))
        if offered is not None and (text := offered_text(step, settled, written[-1], literals)):
            offered.append(
                f"step {len(written)} checks no text; the page said {text!r} afterwards, perhaps by chance: "
                f"if it belongs to the step, add `expect: [{{text: {text!r}}}]` to it"
            )
        if not chosen_on and _uses_input(written[-1]):
            chosen_on = step.url_before
    return written


def _uses_input(step: SkillStep) -> bool:
    """Whether an input other than the site says what a step does, or to what."""
    fields = step.model_dump(include={"target", "to", "params", "skill"})
    return any(one.kind == "input" and one.name != "site" for one in placeholders(fields))


def _check_parts(steps: Sequence[RecordedStep]) -> None:
    """Refuse a press on something without words, which a replay would make one on the middle of what is around it.

    What a page answers a press on may have no element of its own at all.
    """
    for place, step in enumerate(steps, 1):
        spec = COMMANDS.get(step.command)
        presses = spec is not None and spec.activates and not spec.presses_keys
        if presses and step.node is None and not (step.named or step.around):
            raise InvalidSkill(
                f"nothing names what step {step.number or place} pressed: a replay couldn't find it",
                hint="do it in another way, such as by the keyboard, or take that step out of the recording",
            )
    if (part := next((step for step in steps if step.is_part), None)) is not None:
        raise InvalidSkill(
            f"what step {part.number or steps.index(part) + 1} pressed has no words of its own, and all that names it "
            f"is much larger: {part.label}; a replay would press its middle, where something else stands",
            hint="do it in another way, such as by a menu, a list or the keyboard, or leave that step out with `keep`",
        )


def _check_inputs(start: str, written: Sequence[SkillStep], literals: Literals) -> None:
    """Refuse an input that no step would use: the skill would do the same whatever is given."""
    fields = [step.model_dump(exclude={"note", "expect"}) for step in written]
    used = {one.name for one in placeholders([start, *fields])}
    for one in literals.inputs:
        if one.name not in used and one.from_page is None:
            raise InvalidSkill(
                f"{show(one.default or '')!r} can't be the input {one.name}: no step types or chooses it, and nothing "
                "that the page shows of it tells a step's target from the others",
                hint="leave it out of the goal, or take the mark back; mark the step that types or chooses the value",
            )


def _write_sends(
    steps: list[RecordedStep], literals: Literals, written: Sequence[SkillStep], *, first: int
) -> list[Send]:
    """What each step sent; what came while the start was loaded is the first step's.

    Of an address only ids are inputs: a word of it may be one by chance. An id that the page's address got since a step
    used an input is that of the record that the input opens.
    """
    found: list[Send] = []
    number = 0
    chosen_on = ""  # where a step first used an input
    for place, step in enumerate(steps):
        folded = step.command == "wait_for" and number > 0 and _as_check(step, literals) is not None
        number += place >= first and not folded
        if step.command == RUN_SKILL:
            continue  # its file says what it sends
        places = new_ids(step.url_before, chosen_on) if chosen_on else {}
        if not chosen_on and number and not folded and _uses_input(written[number - 1]):
            chosen_on = step.url_before
        for fact in step.sent:
            send = send_of(fact, max(1, number), literals, places)
            same = next(
                (at for at, one in enumerate(found) if one.model_copy(update={"count": 1}) == send), None
            )
            if same is None:
                found.append(send)
            else:
                found[same] = send.model_copy(update={"count": found[same].count + 1})
    return found


def send_of(
    fact: RequestFact, step: int, literals: Literals, places: Mapping[str, str] = MappingProxyType({})
) -> Send:
    """A request as a skill lists it.

    places: where ids of it stand in the page's address; see `skillbook.skill.consent.send_allowlist`.
    """
    parts = with_page_ids(fact.written_path, places).split("/")
    path = "/".join(
        literals.template(part) if any(map(str.isdigit, part)) else escape(part) for part in parts
    )
    return Send(
        step=step,
        method=fact.method,
        origin=literals.template_url(fact.origin),
        path=path,
        operation=escape(fact.operation),
        fields=named_fields(fact),
    )


def _as_check(step: RecordedStep, literals: Literals) -> Check | None:
    for condition, part in _CHECKS.items():
        if isinstance(step.params.get(condition), str):
            return Check.model_validate({part: literals.template(step.params[condition])})
    return None


def write_step(
    step: RecordedStep,
    settled: BaseSnapshot | None,
    literals: Literals,
    seen: Sequence[BaseSnapshot],
    chosen_on: str,
    answered: str = "",
) -> SkillStep:
    """A step as the skill's file has it; see `expect_after` and `confirms_of`."""
    literals = literals.before(step.number)
    target = write_target(step, step.node, step.named, literals, seen)
    to = write_target(step, step.to_node, step.to_named, literals, seen)
    if step.command == EXTRACT:
        return SkillStep(
            command=EXTRACT,
            extract=_extract(step, literals),
            expect=expect_after(step, settled, literals, chosen_on),
            fails=failed_shapes(step.failed, literals),
            note="Read the rows" + (" of every page" if "next" in step.params else ""),
        )
    if step.command == RUN_SKILL:
        inputs = literals.template_value(step.params["inputs"])
        return SkillStep(
            command=RUN_SKILL,
            skill=SubSkill(name=step.params["name"], inputs=inputs, start=step.params["start"]),
            note=run_note(step.params["name"], inputs),
        )
    params: dict[str, Any] = {
        key: literals.template_url(value) if key == "url" else literals.template_value(value)
        for key, value in step.params.items()
    }
    if (given := literals.given.get(step.number)) is not None:
        params |= given
    expect = expect_after(step, settled, literals, chosen_on)
    return SkillStep(
        command=step.command,
        target=target,
        to=to,
        params=params,
        expect=expect,
        irreversible=step.irreversible,
        confirms=confirms_of(step, literals, expect, answered),
        shows_error=bool(page_error(step.before, settled or step.after)),
        fails=failed_shapes(step.failed, literals),
        note=f"Read {step.output}"
        if step.output
        else note_of(step.command, step.node, params, literals, step.named),
        output=output_of(step),
        until=dict(step.until),
        presses=step.presses,
    )


def _extract(step: RecordedStep, literals: Literals) -> Extract:
    params = step.params
    known = {key: params[key] for key in ("max_pages", "scroll", "append") if params.get(key)}
    if leftover := leftover_of(step):
        known["leftover"] = leftover
    fields = params.get("fields")
    if fields:
        pairs = fields.items() if isinstance(fields, Mapping) else [(name, name) for name in fields]
        known["fields"] = {str(column): escape(str(text)) for column, text in pairs}
    for key in ("within", "next"):
        value = params.get(key)
        if isinstance(value, Node):
            found = build_container_locator(value) if key == "within" else build_locator(value).selectors[0]
            known[key] = write_selector(found, literals.template)
        elif value:
            known[key] = _template_place(value, literals) if isinstance(value, str) else value
    return Extract.model_validate(known)


def _template_place(text: str, literals: Literals) -> str:
    """A selector, or a collection's name, with inputs in it."""
    try:
        return write_selector(parse_selector(text), literals.template)
    except SelectorSyntaxError:
        return literals.template(text)
