"""What a skill gives: facts that a run read and answered with, typed, and the columns of its rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillbook.errors import NoMatch
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.skill.model import FACTS, OutputType, SkillOutput
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.element_target import selectors_of

if TYPE_CHECKING:
    pass

_INT = re.compile(r"-?(?:0|[1-9]\d*)")
_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)\.\d+")
_LONGEST = 2000
_WITHOUT_TARGET = {"url", "title"}
_BOOLS = {"true": True, "false": False}


def mark_facts(steps: Sequence[RecordedStep], answer: Any) -> list[RecordedStep]:
    """Name what `get` and `is` steps read that is in the answer; the same fact counts once, as it was read last."""
    marked: list[RecordedStep] = []
    for step in steps:
        name = "" if step.output else _named_by(step, answer)
        names = {other.output for other in marked if other.output}
        marked.append(replace(step, output=_unique(name, names)) if name else step)
    return marked


def _named_by(step: RecordedStep, answer: Any) -> str:
    """What a reading step's fact is called; "" where the answer doesn't have it, or nothing finds it again."""
    text = clean(str(step.read or ""))
    if step.command not in FACTS or not text or len(text) > _LONGEST or not _is_found_again(step, text):
        return ""
    fields = _fields(answer)
    if fields is not None:
        return next((name for name, value in fields.items() if _same(value, text)), "")
    said = isinstance(answer, str) and step.command == "get"
    if said and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", clean(answer)):
        return _default_name(step)
    return ""


def _fields(answer: Any) -> Mapping[str, Any] | None:
    if isinstance(answer, Mapping):
        return answer
    dump = getattr(answer, "model_dump", None)
    return dump() if callable(dump) else None


def _same(value: Any, text: str) -> bool:
    if value is None:
        return False
    if isinstance(value, bool):
        return _BOOLS.get(text.casefold()) is value
    if isinstance(value, int | float):
        return bool(_INT.fullmatch(text) or _FLOAT.fullmatch(text)) and float(text) == value
    return clean(str(value)) == text


def _is_found_again(step: RecordedStep, text: str) -> bool:
    if step.params.get("what") in _WITHOUT_TARGET:
        return True
    return step.node is not None and any(not says(str(selector), text) for selector in _selectors(step.node))


def _selectors(node: Node) -> list[Any]:
    try:
        return list(selectors_of(node))
    except NoMatch:
        return []


def says(selector: str, text: str) -> bool:
    """Whether a selector or a piece of a fingerprint holds the text that is to be read: it would find no other."""
    return text.casefold() in clean(selector).casefold()


def _default_name(step: RecordedStep) -> str:
    what, node = str(step.params.get("what", "")), step.node
    if node is None or what in _WITHOUT_TARGET:
        return what or step.command
    named = node.html_id or node.html_name or node.test_id or node.role
    return re.sub(r"\W+", "_", str(named)).strip("_").lower() or what


def _unique(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def output_of(step: RecordedStep) -> SkillOutput | None:
    """The output of a reading step, with the type of what it read."""
    if not step.output:
        return None
    text = clean(str(step.read if step.read is not None else ""))
    kind: OutputType = "str"
    if step.command == "is":
        kind = "bool"
    elif _INT.fullmatch(text):
        kind = "int"
    elif _FLOAT.fullmatch(text):
        kind = "float"
    return SkillOutput(name=step.output, type=kind)
