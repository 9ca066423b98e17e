"""Skills that a skill runs: a `run_skill` step names one that lies beside it, and gets its steps when it is read.

The steps are rewritten so that they name the outer skill's inputs. From then on they are steps like any other: what the
skill wants, sends and is approved for includes them, and so do replay, healing and export.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from skillbook.errors import InvalidInput, InvalidSkill
from skillbook.skill.model.inputs import as_input, describe_inputs
from skillbook.skill.model.spec import STATE, SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import Send, SkillStep, SubSkill
from skillbook.skill.model.templates import Value, escape, lead, placeholders, put_in, quote_name, unescape

ReadSkill = Callable[[str], SkillSpec]
Encode = Callable[[str], str]
_URL_PARAMS = {"goto": "url"}


def with_subskills(spec: SkillSpec, read: ReadSkill) -> SkillSpec:
    """The skill with the steps of those that it runs.

    read: gives the skill of a name, itself with the steps of those that it runs.
    Raises InvalidSkill: one is a prompt, doesn't get the inputs that it needs, or names another state.
    """
    if not any(step.skill for step in spec.all_steps):
        return spec
    known = {one.name: one for one in spec.inputs}

    def read_here(name: str) -> SkillSpec:
        inner = read(name)
        if inner.state and inner.state != spec.state:
            raise InvalidSkill(
                f"it is signed in by the state {inner.state!r}, which {spec.name} doesn't name",
                hint=f"write {STATE}: {inner.state} under the metadata of {spec.name}",
            )
        return inner

    steps = [_with_steps(step, read_here, known) for step in spec.steps]
    return SkillSpec.model_validate({**spec.model_dump(), "steps": [step.model_dump() for step in steps]})


def _with_steps(step: SkillStep, read: ReadSkill, known: Mapping[str, SkillInput]) -> SkillStep:
    if step.loop is not None:
        inside = {**known, step.loop.name: SkillInput(name=step.loop.name)}
        return step.model_copy(update={"steps": [_with_steps(one, read, inside) for one in step.steps]})
    if step.skill is None:
        return step
    try:
        inner = read(step.skill.name)
        if not inner.replays:
            raise InvalidSkill("it is a prompt for an agent", hint="name a skill with recorded steps")
        own = _Rewriting(_given(inner, step.skill.inputs, known))
    except InvalidSkill as error:
        if error.data.get("file"):
            raise  # what is wrong is said of its file
        raise InvalidSkill(f"run_skill {step.skill.name}: {error.message}", hint=error.hint) from None
    skill = {
        **step.skill.model_dump(include={"name", "inputs", "start"}),
        "address": own.url(inner.start) if inner.start is not None else None,
        "origins": own.text(inner.all_origins),
        "secrets": inner.all_secrets,
        "sends": None if inner.all_sends is None else [own.send(send) for send in inner.all_sends],
    }
    steps = [own.step(one) for one in inner.steps]
    return step.model_copy(update={"skill": SubSkill.model_validate(skill), "steps": steps})


def _given(inner: SkillSpec, given: Mapping[str, Value], known: Mapping[str, SkillInput]) -> dict[str, Value]:
    """What each input of a skill is, in the words of the skill that runs it."""
    extra = [name for name in given if name not in {one.name for one in inner.inputs}]
    if extra:
        raise InvalidSkill(
            f"{inner.name} has no input {extra[0]!r}", hint=f"its inputs are: {describe_inputs(inner)}"
        )
    values: dict[str, Value] = {}
    for one in inner.inputs:
        site = next((each.name for each in known.values() if each.from_page and one.from_page), None)
        if one.name in given:
            values[one.name] = _value(inner, one, given[one.name], known)
        elif site is not None:
            values[one.name] = f"${{input:{site}}}"
        elif one.default is not None:
            values[one.name] = escape(one.default) if isinstance(one.default, str) else one.default
        elif one.required:
            raise InvalidSkill(
                f"{inner.name} needs a value for {one.name!r}",
                hint=f"give it under `inputs`; its inputs are: {describe_inputs(inner)}",
            )
        else:
            values[one.name] = ""
    return values


def _value(inner: SkillSpec, one: SkillInput, raw: Value, known: Mapping[str, SkillInput]) -> Value:
    named = list(placeholders(raw))
    if not named:
        try:
            value = as_input(inner, one, unescape(raw) if isinstance(raw, str) else raw)
        except InvalidInput as error:
            raise InvalidSkill(error.message, hint=error.hint) from None
        return escape(value) if isinstance(value, str) else value
    if any(each.kind == "secret" for each in named):
        raise InvalidSkill(
            f"the input {one.name!r} of {inner.name} can't be a secret",
            hint="let the skill name the secret itself, where it types it",
        )
    whole = len(named) == 1 and raw == f"${{input:{named[0].name}}}"
    source = known.get(named[0].name)
    if one.type != "str" and not (whole and source is not None and source.type == one.type):
        raise InvalidSkill(
            f"the input {one.name!r} of {inner.name} must be {one.type}, and {raw!r} isn't",
            hint=f"give an input of the type {one.type}",
        )
    return raw


class _Rewriting:
    """Steps of a skill in the words of the one that runs it.

    given: its inputs: texts that may hold the outer skill's placeholders, and plain values.
    """

    def __init__(self, given: Mapping[str, Value]) -> None:
        self.given = given

    def text(self, value: Any, encode: Encode = str) -> Any:
        """A text, or the texts of nested lists and dicts."""
        return put_in(value, self.given, encode)

    def selector(self, value: Any) -> Any:
        """A role selector, or several."""
        return self.text(value, quote_name)

    def url(self, text: str) -> str:
        """An address, which an input may begin."""
        first, rest = lead(text)
        return str(self.text(first)) + str(self.text(rest, lambda part: quote(part, safe="")))

    def send(self, send: Send) -> Send:
        """A request that it may send."""
        parts = {name: self.text(getattr(send, name)) for name in ("origin", "path", "operation")}
        return send.model_copy(update=parts)

    def step(self, step: SkillStep) -> SkillStep:
        """A step, with those inside of it."""
        data = step.model_dump()
        for part in ("target", "to"):
            if data[part] is not None:
                data[part]["selectors"] = self.selector(data[part]["selectors"])
                data[part]["fingerprint"] = self.text(data[part]["fingerprint"])
        url = data["params"].get(_URL_PARAMS.get(step.command, ""))
        data["params"] = self.text(data["params"])
        if isinstance(url, str):
            data["params"]["url"] = self.url(url)
        for check in data["expect"]:
            check["present"], check["absent"] = self.selector([check["present"], check["absent"]])
            check["text"], check["value"] = self.text([check["text"], check["value"]])
            check["url"] = self.text(check["url"], lambda part: quote(part, safe="*"))
        data["note"] = self.text(data["note"])
        for name, keys in (("loop", ("items", "key", "next")), ("extract", ("fields", "within", "next"))):
            if data[name] is not None:
                data[name] |= {key: self.selector(data[name][key]) for key in keys}
        data["when"] = self.selector(data["when"])
        if step.skill is not None:
            data["skill"] = self._skill(step.skill).model_dump()
        data["steps"] = [self.step(one).model_dump() for one in step.steps]
        return SkillStep.model_validate(data)

    def _skill(self, skill: SubSkill) -> SubSkill:
        data = skill.model_dump()
        data["inputs"], data["origins"] = self.text([data["inputs"], data["origins"]])
        data["sends"] = None if skill.sends is None else [self.send(send) for send in skill.sends]
        data["address"] = None if skill.address is None else self.url(skill.address)
        return SubSkill.model_validate(data)
