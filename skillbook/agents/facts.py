"""What can be asked of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillbook.agents.context import Autonomy, RunContext
from skillbook.agents.pricing import Cost
from skillbook.agents.records import PendingCall, RunStatus, StepRecord, Task
from skillbook.agents.stepper import Stepper
from skillbook.errors import AgentError, SkillbookError

if TYPE_CHECKING:
    import pandas as pd


class RunFacts:
    """The state, steps, cost and answer of a run, and the limits that may be set."""

    def __init__(self, context: RunContext, stepper: Stepper) -> None:
        self._context = context
        self._stepper = stepper

    @property
    def id(self) -> str:
        """Names the run in the journal and the checkpoints."""
        return self._context.run_id

    @property
    def goal(self) -> str:
        """What the run is to reach."""
        return self._context.goal

    @property
    def status(self) -> RunStatus:
        """idle, running, waiting (for a decision), paused, succeeded, failed or stopped."""
        return self._stepper.status

    @property
    def pending(self) -> PendingCall | None:
        """The call that waits, or None."""
        return self._stepper.pending

    @property
    def error(self) -> SkillbookError | None:
        """Why the run failed, or None."""
        return self._stepper.error

    @property
    def result(self) -> Any:
        """The final answer: an object of the run's schema, else text; None before the end."""
        return self._stepper.result

    @property
    def frame(self) -> pd.DataFrame | None:
        """The rows that the run extracted last, or None."""
        return self._context.frame

    @property
    def tasks(self) -> list[Task]:
        """The agent's own list of what is to do and what is done."""
        return list(self._context.tasks)

    @property
    def cost(self) -> Cost:
        """Model calls, tokens and US dollars so far."""
        return self._context.cost

    @property
    def records(self) -> list[StepRecord]:
        """Every step as an object, snapshots and locators included."""
        return list(self._context.steps)

    @property
    def steps(self) -> pd.DataFrame:
        """Every step as a row."""
        from skillbook.agents.tabulate import steps_frame

        return steps_frame(self._context.steps)

    @property
    def messages(self) -> list[Any]:
        """The conversation with the model as LangChain messages."""
        return list(self._stepper.messages)

    @property
    def page(self) -> Any:
        """The driver of the page that the run works on."""
        return self._context.page

    @property
    def model(self) -> str:
        """The model's name."""
        return self._context.choice.name

    @property
    def autonomy(self) -> Autonomy:
        """`ask`, `reads` or `all`; may be set, and holds from the next call on."""
        return self._context.autonomy

    @autonomy.setter
    def autonomy(self, value: Autonomy) -> None:
        self._context.autonomy = check_autonomy(value)

    @property
    def max_steps(self) -> int:
        """Tool calls that the run may make; may be set."""
        return self._context.max_steps

    @max_steps.setter
    def max_steps(self, value: int) -> None:
        self._context.max_steps = value

    @property
    def budget_usd(self) -> float | None:
        """US dollars that its model may cost; may be set."""
        return self._context.budget_usd

    @budget_usd.setter
    def budget_usd(self, value: float | None) -> None:
        self._context.budget_usd = value

    def diff(self, other: RunFacts) -> pd.DataFrame:
        """The steps of two runs side by side, with what differs."""
        from skillbook.agents.tabulate import diff_frame

        return diff_frame(self._context.steps, other._context.steps)

    def __repr__(self) -> str:
        steps = len(self._context.steps)
        tail = f", waits for {self.pending.tool}" if self.pending else ""
        tail += f", {self.error.code}" if self.error else ""
        goal = self.goal if len(self.goal) <= 60 else self.goal[:57] + "…"
        return f"<Run {goal!r}: {self.status}, {steps} step{'' if steps == 1 else 's'}{tail}>"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        from skillbook.agents.tabulate import run_html

        return {"text/plain": repr(self), "text/html": run_html(self)}


def check_autonomy(value: str) -> Autonomy:
    """The value, where it is one of the three.

    Raises
    ------
    AgentError: it isn't.
    """
    known: dict[str, Autonomy] = {"ask": "ask", "reads": "reads", "all": "all"}
    if value in known:
        return known[value]
    raise AgentError(f"There is no autonomy {value!r}.", hint="Use 'ask', 'reads' or 'all'.")
