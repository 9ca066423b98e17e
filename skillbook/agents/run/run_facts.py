"""What can be read of a run at any time, and its limits, which can be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillbook.agents.models.pricing import Cost
from skillbook.agents.run.run_tables import Forecast, StepMetrics, forecast_of
from skillbook.agents.run.stepper import Stepper
from skillbook.agents.state.run_context import Autonomy, RunContext
from skillbook.agents.state.session_context import SessionContext
from skillbook.agents.state.step_records import FINAL_STATUSES, PendingCall, RunStatus, StepRecord
from skillbook.agents.state.tasks import TaskList, TaskState, task_state
from skillbook.errors import AgentError, SkillbookError

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.state.run_cells import Variable


class RunFacts:
    """The state and the limits of a run.

    Parameters
    ----------
    context: what the run shares.
    stepper: drives it.
    """

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
        """The question that waits for you, or None; of several, the first one.

        `approve`, `edit`, `reject` and `respond` answer it once its text was shown: as a cell's value, printed, in the
        run, in the step before it, or in an error. Reading this attribute shows nothing.
        """
        return self._stepper.pending

    @property
    def first_question(self) -> PendingCall | None:
        """As `pending`, for front ends."""
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
        """The rows that the run extracted last, or those of them that its last cell ended with; None before that."""
        return self._context.frame

    @property
    def cells(self) -> list[str]:
        """The code of the cells that ran, in order; empty for a run without `mode="cells"`."""
        cells = self._context.cells
        return [str(cell["code"]) for cell in cells.records] if cells is not None else []

    @property
    def variables(self) -> pd.DataFrame:
        """What the cells so far have left: one row a variable, with its type, its size and its value."""
        from skillbook.agents.run.run_tables import variables_frame

        return variables_frame(self.cell_variables)

    @property
    def cell_variables(self) -> tuple[Variable, ...]:
        """As `variables`, for front ends."""
        return self._context.cells.variables if self._context.cells is not None else ()

    @property
    def tasks(self) -> TaskList:
        """The list of what is to do and what is done.

        Show it, read `.frame`, or edit it with `.add("…")`, `.change(2, title="…")`, `.move(3, to=1)` and `.remove(2)`:
        the model works by the list as you left it.
        """
        return self._context.tasks

    @property
    def context(self) -> SessionContext:
        """What the runs of this browser session know of each other; `run.context.clear()` forgets it."""
        return self._context.session

    @property
    def help_noticed(self) -> bool:
        """Whether what the person is needed for seems to be done, while the run waits for them."""
        return self._stepper.help is not None and self._stepper.help.noticed

    @property
    def notice(self) -> str:
        """One sentence on how the run ended, for whoever was away; empty before the end."""
        if self.status not in FINAL_STATUSES:
            return ""
        words = {"succeeded": "Done", "failed": "Failed", "stopped": "Stopped"}[self.status]
        progress = self._context.tasks.progress()
        failed = [str(task.id) for task in self._context.tasks if task.status == "failed"]
        more = f" Failed: {', '.join(failed)}." if failed else ""
        none = " (no step worked)" if self.status == "failed" and self._context.only_failed else ""
        return f"{words}: {self.goal}{none}" + (f" ({progress}).{more}" if progress else "")

    @property
    def origin(self) -> str:
        """Of which run it is a fork, one sentence; empty where it is none."""
        fork = self._context.fork
        return "" if fork is None else f"A fork of {fork.run_id} at step {fork.at}, in that run's `forks`."

    @property
    def warning(self) -> str:
        """What to know before the run goes on: what it was forked from did things that can't be undone; else empty."""
        fork = self._context.fork
        return fork.warning if fork is not None else ""

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
        from skillbook.agents.run.run_tables import steps_frame

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

    @property
    def budget_tokens(self) -> int | None:
        """Tokens that its model may take in and give out; may be set."""
        return self._context.budget_tokens

    @budget_tokens.setter
    def budget_tokens(self, value: int | None) -> None:
        self._context.budget_tokens = value

    @property
    def forecast(self) -> Forecast | None:
        """What the rest of the run will probably take, by its last steps; None before the first and after the end."""
        if self.status == "succeeded":
            return None
        return forecast_of(self._context.steps, self._context.tasks, self._context.max_steps)

    @property
    def metrics(self) -> StepMetrics:
        """What the browser measured after each step, if the page is opened with `observe="metrics"`.

        `.frame` is the table, `.plot("nodes", "heap")` draws it over the steps.
        """
        return StepMetrics(self._context.steps)

    @property
    def state(self) -> TaskState:
        """Where its task is: created, planning, exploring, executing, awaiting_user, or how it ended.

        It ends as succeeded, failed, cancelled or blocked. A `blocked` run needs more than it has: a higher limit, a
        model, or a page that nothing led to.
        """
        return task_state(self.status, self._context.phase, self.error)

    @property
    def under_way(self) -> str:
        """The call that is being carried out, in words such as `click button 'Save'`; empty while none is."""
        return self._context.under_way

    @property
    def awaits(self) -> str:
        """What the page of that call waits for, in words such as `POST /search`; empty while it doesn't."""
        page = self._context.page
        return "" if page is None or not self.under_way else str(page.rest.awaits)

    @property
    def progress(self) -> float | None:
        """How far the task is, 0 to 1; None where nothing says that.

        Of a run with a task list, the part of it that is done; of one without a model, at least 0.8 once the page is
        open that has the goal, and 1.0 only when what was done is verified.
        """
        tasks = list(self._context.tasks)
        if self._context.progress is None and tasks:
            return sum(task.status == "completed" for task in tasks) / len(tasks)
        return self._context.progress

    @property
    def breadcrumbs(self) -> list[tuple[str, str]]:
        """The pages that the run came over, as addresses and the calls that led there."""
        way: list[tuple[str, str]] = []
        for step in self._context.steps:
            if step.url and (not way or way[-1][0] != step.url):
                way.append((step.url, step.tool))
        return way


def check_autonomy(value: str) -> Autonomy:
    """The value, where it is one of the three.

    Raises AgentError: it isn't.
    """
    known: dict[str, Autonomy] = {"ask": "ask", "reads": "reads", "all": "all"}
    if value in known:
        return known[value]
    raise AgentError(f"There is no autonomy {value!r}.", hint="Use 'ask', 'reads' or 'all'.")
