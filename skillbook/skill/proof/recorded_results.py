"""The rows and facts that were read while a skill was recorded: its replay must read the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import TYPE_CHECKING, Any

from skillbook.policy.urls import origin_of
from skillbook.skill.model import EXTRACT, RUN_SKILL
from skillbook.skill.recording.facts import output_of
from skillbook.skill.recording.recorded_steps import RecordedStep, joined_rows
from skillbook.skill.replay.output_types import typed

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.skill.replay.skill_result import SkillResult

_SHOWN = 60
_SESSION = re.compile(r"=(?=[^&]*\d)(?=[^&]*[a-z])(?:[0-9a-f]{8,}|[\w-]{16,})(?=&|$)", re.I)


@dataclass(frozen=True)
class RecordedResults:
    """What a recording read.

    Parameters
    ----------
    frames : as a replay gives them; None where a step's rows aren't known.
    values : the facts by the outputs' names.
    """

    frames: tuple[pd.DataFrame, ...] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Sequence[RecordedStep]) -> RecordedResults:
        """What the steps of a skill had read when they were recorded."""
        read = [step for step in steps if step.command in {EXTRACT, RUN_SKILL}]
        values = {
            output.name: typed(step.read, output)
            for step in steps
            if step.read is not None and (output := output_of(step)) is not None
        }
        if any(step.frame is None for step in read):
            return cls(None, values)
        frames: list[pd.DataFrame] = []
        for step in read:
            frames.append(joined_rows([frames.pop(), step.frame]) if _appends(step, frames) else step.frame)
        return cls(tuple(frames), values)

    def difference(self, result: SkillResult) -> str:
        """What a replay read otherwise, in words; "" where it read the same."""
        for name, value in self.values.items():
            if result.values.get(name) != value:
                return f"{name} is {_shown(result.values.get(name))}, and was {_shown(value)} when it was recorded"
        if self.frames is None:
            return ""
        if len(self.frames) != len(result.frames):
            return f"it read {len(result.frames)} tables, and {len(self.frames)} when it was recorded"
        pairs = zip(result.frames, self.frames, strict=True)
        return next((why for now, then in pairs if (why := frames_differ(now, then))), "")


def _appends(step: RecordedStep, frames: Sequence[pd.DataFrame]) -> bool:
    return bool(frames) and bool(step.params.get("append"))


def frames_differ(now: pd.DataFrame, then: pd.DataFrame) -> str:
    """Where a frame differs from the one before it, in words; "" where it has the same columns, rows and values."""
    ours, theirs = list(map(str, now.columns)), list(map(str, then.columns))
    if ours != theirs:
        return f"it read the columns {', '.join(ours)}, and {', '.join(theirs)} when it was recorded"
    if len(now) != len(then):
        return f"it read {len(now)} rows, and {len(then)} when it was recorded"
    for place, name in enumerate(ours):
        pairs = zip(now.iloc[:, place], then.iloc[:, place], strict=True)
        for row, (one, other) in enumerate(pairs, 1):
            if not _same(one, other):
                return f"{name} in row {row} is {_shown(one)}, and was {_shown(other)} when it was recorded"
    return ""


def _same(one: Any, other: Any) -> bool:
    """Whether two cells say the same; the ids of a session in an address's query may differ."""
    said, wanted = str(one), str(other)
    if said == wanted or (isinstance(one, Number) and one == other):
        return True
    return origin_of(said) is not None and _without_session(said) == _without_session(wanted)


def _without_session(url: str) -> str:
    path, mark, query = url.partition("?")
    return path + mark + _SESSION.sub("=", query)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
