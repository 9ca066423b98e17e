"""What a replay gives: facts as their types, and the columns that its rows must have."""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import ReplayFailed
from skillbook.perception.escape import clean
from skillbook.skill.model import SkillOutput, SkillSpec

if TYPE_CHECKING:
    import pandas as pd

_INT = re.compile(r"-?(?:0|[1-9]\d*)")
_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)\.\d+")
_BOOLS = {"true": True, "false": False}


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
