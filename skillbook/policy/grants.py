"""What a person granted in advance: one step of one version of a skill that can't be undone, within limits.

A grant never covers more than its sentence says. It is for one version of the skill, one step of it, listed values of
every input, so many times, until a day. It spares the question about that step, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

LONGEST_DAYS = 30
MOST_USES = 1000
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Grant:
    """One grant.

    skill, digest: the skill's name, and the version that it is for.
    step, command, label: the step's number, what it does, and to what, as it was recorded.
    only: of inputs, and of fields that are sent, the values that each may have. Another input has its default.
    most: of inputs, and of fields that are sent, the most that each may be.
    until: when it ends, in seconds since 1970.
    """

    id: str
    skill: str
    digest: str
    step: int
    command: str
    label: str
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    count: int = 1
    used: int = 0
    until: float = 0.0
    made: float = 0.0

    @property
    def left(self) -> int:
        """How often it may be used yet."""
        return max(0, self.count - self.used)

    def is_in_force(self, now: float) -> bool:
        """Whether it may be used at a time."""
        return self.left > 0 and self.made <= now < self.until

    def is_for(self, digest: str, step: int, command: str, label: str, inputs: Mapping[str, Any]) -> bool:
        """Whether it is for a step of a run, whose requests have to keep to it as well: see `allows`.

        inputs: the values that differ from the skill's defaults, and those of inputs that the grant lists.
        """
        if (digest, step, command, label) != (self.digest, self.step, self.command, self.label):
            return False
        return all(
            name in {*self.only, *self.most} and self.allows(name, value) for name, value in inputs.items()
        )

    def allows(self, name: str, value: Any) -> bool:
        """Whether an input or a field that is sent may have a value."""
        listed, most = self.only.get(name), self.most.get(name)
        if listed is not None and (not isinstance(value, str | int | float) or str(value) not in listed):
            return False
        return most is None or within(value, most)

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count} times"
        day = datetime.fromtimestamp(self.until).strftime("%Y-%m-%d %H:%M")
        listed = [f"{name} {_listed(values)}" for name, values in self.only.items()]
        most = [f"{name} at most {limit:g}" for name, limit in self.most.items()]
        only = f", only with {' and '.join([*listed, *most])}" if listed or most else ""
        what = f"{self.command} {self.label!r}".strip()
        return f"{self.skill} may do step {self.step} ({what}), which can't be undone, {times}, until {day}{only}"


def within(value: Any, most: float) -> bool:
    """Whether something is a number between 0 and a limit, as JavaScript, Python and people all read it."""
    text = str(value).strip()
    if isinstance(value, bool) or not text or not set(text) <= set("0123456789."):
        return False
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isfinite(number) and 0 <= number <= most


def _listed(values: tuple[str, ...]) -> str:
    shown = " or ".join(map(repr, values[:_MOST_SHOWN]))
    return f"{shown} or {len(values) - _MOST_SHOWN} more" if len(values) > _MOST_SHOWN else shown
