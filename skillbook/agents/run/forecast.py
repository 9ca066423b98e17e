"""What the rest of a run will probably use, by the steps that it made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.state.tasks import ENDED, TaskList

_LAST = 3
"""Steps that count: what a model reads grows with the pages and the conversation, so old steps say little."""


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of the rest of a run.

    Parameters
    ----------
    step_tokens, step_usd: of one more step, the mean of the last ones; dollars are None where the price isn't known.
    steps: how many are to come: by the tasks that are done and left, else as many as the run may still make.
    tasks_left: how many tasks that counts; 0 where `steps` is the limit.
    """

    step_tokens: int
    step_usd: float | None
    steps: int
    tasks_left: int = 0

    @property
    def tokens(self) -> int:
        """Tokens to expect until the end; at most so many where `tasks_left` is 0."""
        return self.step_tokens * self.steps

    @property
    def usd(self) -> float | None:
        """US dollars to expect until the end; at most so many where `tasks_left` is 0."""
        return None if self.step_usd is None else self.step_usd * self.steps

    def __str__(self) -> str:
        money = f" (${self.usd:.4f})" if self.usd else ""
        rest = f"about {self.tokens:,} tokens{money}"
        if self.tasks_left:
            left = f"{self.tasks_left} task{'' if self.tasks_left == 1 else 's'} left"
            return f"a step takes about {self.step_tokens:,} tokens, the {left} {rest}"
        return f"a step takes about {self.step_tokens:,} tokens, the {self.steps} steps that it may still make {rest}"


def forecast_of(steps: Sequence[StepRecord], tasks: TaskList, max_steps: int) -> Forecast | None:
    """Forecast the rest of a run; None before a step was made that a model answered for.

    Parameters
    ----------
    steps, tasks: of the run so far.
    max_steps: tool calls that it may make.
    """
    made = [step for step in steps if step.decision != "person"]
    counted = [step for step in made if step.tokens][-_LAST:]
    if not counted:
        return None
    tokens = ceil(sum(step.tokens for step in counted) / len(counted))
    costs = [step.cost for step in counted if step.cost is not None]
    usd = sum(costs) / len(costs) if len(costs) == len(counted) else None
    may = max(0, max_steps - len(made))
    done = sum(task.status in ENDED for task in tasks)
    left = len(tasks) - done
    if done and left:
        return Forecast(tokens, usd, min(may, ceil(len(made) / done * left)), left)
    return Forecast(tokens, usd, may)
