"""What a skill gives: facts that a run read and answered with, typed, and the columns of its rows."""

from __future__ import annotations

import numbers
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillbook.errors import NoMatch, ReplayFailed
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.skill.model import FACTS, OutputType, SkillOutput, SkillSpec
from skillbook.skill.recording import RecordedStep, selectors_of

if TYPE_CHECKING:
    import pandas as pd

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


def typed(value: Any, output: SkillOutput) -> Any:
    """What a page gives, as the output's type.

    Raises
    ------
    ReplayFailed : it is none of that type; nothing is guessed.
    """
    if output.type == "any" or (output.type == "bool" and isinstance(value, bool)):
        return value
    text = clean(str(value)) if value is not None else ""
    if output.type == "str" and value is not None:
        return text
    if output.type == "bool" and text.casefold() in _BOOLS:
        return _BOOLS[text.casefold()]
    if output.type == "int" and _INT.fullmatch(text):
        return int(text)
    if output.type == "float" and (_INT.fullmatch(text) or _FLOAT.fullmatch(text)):
        return float(text)
    raise ReplayFailed(
        f"{output.name} is {text!r} on the page, which is no {output.type}",
        hint="look at the page, or change the output's type in replay.yaml",
    )


def check_columns(spec: SkillSpec, frames: Sequence[pd.DataFrame]) -> None:
    """Make sure that the rows have the columns that the skill says, with their types.

    Raises
    ------
    ReplayFailed : a column is missing, or holds something of another type.
    """
    facts = {step.output.name for step in spec.all_steps if step.output is not None}
    if not any(len(frame) for frame in frames):
        return
    for output in spec.outputs:
        if output.name in facts:
            continue
        columns = [frame[output.name] for frame in frames if output.name in frame.columns]
        if not columns:
            raise ReplayFailed(
                f"no rows have the column {output.name!r} that {spec.name} gives",
                hint="look at the page, or take the column out of the skill's outputs",
            )
        wrong = [value for column in columns for value in column.dropna() if not _is_of(value, output)]
        if wrong:
            raise ReplayFailed(
                f"{output.name} is {str(wrong[0])[:80]!r} in {len(wrong)} rows, which is no {output.type}",
                hint="look at the page, or change the output's type in replay.yaml",
            )


def _is_of(value: Any, output: SkillOutput) -> bool:
    """Whether a cell holds a value of an output's type; whole numbers count as float."""

    if output.type == "any":
        return True
    if output.type == "str":
        return isinstance(value, str)
    is_bool = isinstance(value, bool) or type(value).__name__ == "bool"
    if output.type == "bool":
        return is_bool
    if output.type == "int":
        return not is_bool and isinstance(value, numbers.Integral)
    return not is_bool and isinstance(value, numbers.Real)
