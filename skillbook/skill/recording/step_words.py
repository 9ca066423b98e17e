"""A step in words: for the person who records it, and as the note that a skill's file has beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skillbook.perception.forms import caption_of
from skillbook.perception.nodes import Node
from skillbook.skill.model import EXTRACT, RUN_SKILL
from skillbook.skill.recording.cleanup import DroppedStep
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.calendar_date import date_of
from skillbook.skill.targets.healing import say

_CONDITIONS = ("text", "text_gone", "selector", "url")


def words_of(step: RecordedStep) -> str:
    """A recorded step in words; what is typed into secret fields is left out."""
    literals = Literals("")
    literals.look_at(replace(step, input=""))
    if step.command == EXTRACT:
        rest = ", ".join(f"{key}: {value}" for key, value in step.params.items())
        return f"Read the rows ({rest})" if rest else "Read the rows"
    if step.command == RUN_SKILL:
        return literals.scrub(run_note(step.params["name"], step.params["inputs"]))
    params = {key: literals.template_value(value) for key, value in step.params.items()}
    words = note_of(step.command, step.node, params, literals)
    return f"{words} onto {say(step.to_node)}" if step.to_node is not None else words


def dropped_words(one: DroppedStep, literals: Literals) -> str:
    """A step that was left out, in words, with why; secrets are left out too."""
    return f"{one.number}. {literals.scrub(words_of(one.step))}: {one.why}"


def run_note(name: str, inputs: Mapping[str, Any]) -> str:
    """What running another skill is called, with the inputs that it gets."""
    given = ", ".join(f"{key} {value}" for key, value in inputs.items())
    return f"Run the skill {name}" + (f" with {given}" if given else "")


def note_of(command: str, node: Node | None, params: Mapping[str, Any], literals: Literals) -> str:
    """What a step of a skill does, with inputs in place of what was typed or chosen."""
    if command == "wait_for":
        return _wait_note(params)
    if command == "call_page_tool":
        given = ", ".join(f"{name} {value}" for name, value in params.get("args", {}).items())
        frame = f" of the frame {params['frame']}" if params.get("frame") else ""
        return f"Call the page's tool {params['name']}{frame}" + (f" with {given}" if given else "")
    words = [command.replace("_", " ").capitalize()]
    if "key" in params:
        words.append(f"{params['key']} in" if node is not None else str(params["key"]))
    if node is not None:
        label = " ".join((node.label or caption_of(node)).split())[:60]
        words.append(f"{node.role} {literals.template(repr(label))}" if label else node.role)
        words += [f"({date})"] if (date := date_of(node)) else []
    shown = params.get("value", params.get("text", params.get("values", params.get("url"))))
    if shown is not None:
        words.append(f"with {', '.join(shown) if isinstance(shown, list) else shown}")
    return " ".join(words)


def _wait_note(params: Mapping[str, Any]) -> str:
    for condition in _CONDITIONS:
        if condition in params:
            kind = "" if condition == "selector" else f"{condition.replace('_', ' ')} "
            return f"Wait for {kind}{params[condition]}"
    return "Wait until the page is at rest"
