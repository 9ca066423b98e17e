"""A run as tables, and its figures: what its steps took, and what the rest will probably use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.state.tasks import ENDED, TaskList
from skillbook.errors import InvalidParams

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.run.stepper import Stepper
    from skillbook.agents.state.run_cells import Variable
    from skillbook.agents.state.run_context import RunContext


COLUMNS = [
    "call", "said", "tool", "args", "edited", "decision", "effect", "ok", "result", "error", "elapsed_ms", "url",
    "tokens", "cost",
]  # fmt: skip
_ATTRIBUTES = {"call": "in_words", "decision": "decided"}

_DIFF_COLUMNS = [
    "our_step", "their_step", "ours", "theirs", "same", "our_result", "their_result", "same_result",
]  # fmt: skip
_PLACE_COLUMNS = ["our_place", "their_place"]

_DTYPES: dict[str, Literal["bool", "float64", "int64"]] = {
    "ok": "bool",
    "elapsed_ms": "float64",
    "tokens": "int64",
    "cost": "float64",
}


def steps_frame(steps: Sequence[StepRecord]) -> pd.DataFrame:
    """One row a step, indexed by its number."""
    import pandas as pd

    index = pd.Index([step.index for step in steps], name="step", dtype=int)
    columns = {
        name: pd.Series(
            [getattr(step, _ATTRIBUTES.get(name, name)) for step in steps],
            index=index,
            dtype=_DTYPES.get(name, "object"),
        )
        for name in COLUMNS
    }
    return pd.DataFrame(columns)


def variables_frame(variables: Sequence[Variable]) -> pd.DataFrame:
    """One row a variable of a run's cells, indexed by its name."""
    import pandas as pd

    rows = [{"type": each.type, "size": each.size, "value": each.value} for each in variables]
    index = pd.Index([each.name for each in variables], name="name", dtype=object)
    return pd.DataFrame(rows, columns=["type", "size", "value"], index=index, dtype=object)


def diff_frame(ours: Sequence[StepRecord], theirs: Sequence[StepRecord]) -> pd.DataFrame:
    """Two runs' steps side by side: equal calls beside each other, in order; `same` where tool and arguments agree.

    If a run has cells, `our_place` and `their_place` say which line of which cell made a call.
    """
    import pandas as pd

    rows = []
    for left, right in _pairs(ours, theirs):
        rows.append(
            {
                "our_step": left.index if left else None,
                "their_step": right.index if right else None,
                "ours": _call(left),
                "theirs": _call(right),
                "same": _call(left) == _call(right),
                "our_result": _outcome(left),
                "their_result": _outcome(right),
                "same_result": _outcome(left) == _outcome(right),
                "our_place": left.place if left else None,
                "their_place": right.place if right else None,
            }
        )
    in_cells = any(step.place for step in (*ours, *theirs))
    columns = [*_DIFF_COLUMNS, *(_PLACE_COLUMNS if in_cells else [])]
    frame = pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1, name="row"))
    return frame.astype({"our_step": "Int64", "their_step": "Int64", "same": "bool", "same_result": "bool"})


def _pairs(
    ours: Sequence[StepRecord], theirs: Sequence[StepRecord]
) -> Iterator[tuple[StepRecord | None, StepRecord | None]]:
    our_calls, their_calls = ([str(_call(step)) for step in steps] for steps in (ours, theirs))
    for _, a, b, c, d in SequenceMatcher(None, our_calls, their_calls, autojunk=False).get_opcodes():
        yield from zip_longest(ours[a:b], theirs[c:d])


def _outcome(step: StepRecord | None) -> str | None:
    return (step.error or step.result) if step is not None else None


def run_html(context: RunContext, stepper: Stepper) -> str:
    """A run as static HTML; everything from pages and the model is escaped."""
    head = f"<b>{escape(context.goal)}</b> — {escape(stepper.status)}, {escape(str(context.cost))}"
    cells = "".join(
        f"<tr><td>{step.index}</td><td>{escape(_call(step) or '')}</td><td>{escape(step.decision)}</td>"
        f"<td>{escape(step.error or step.result[:200])}</td></tr>"
        for step in context.steps
    )
    table = "<tr><th>step</th><th>call</th><th>decision</th><th>result</th></tr>" + cells
    waits = f"<p>Waits for you: <code>{escape(repr(stepper.pending))}</code></p>" if stepper.pending else ""
    result = f"<p>{escape(str(stepper.result))}</p>" if stepper.result is not None else ""
    failed = f"<p>{escape(str(stepper.error))}</p>" if stepper.error else ""
    return f'<div class="skillbook-run"><p>{head}</p><table>{table}</table>{waits}{result}{failed}</div>'


def _call(step: StepRecord | None) -> str | None:
    if step is None:
        return None
    arguments = ", ".join(f"{name}={_value(value)}" for name, value in step.final_args.items())
    return f"{step.tool}({arguments})"


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


_LABEL, _LINE, _ROW = 90, 320, 34
_DOT = 2.5


@dataclass(frozen=True)
class MetricsPlot:
    """A line for each metric over the steps of a run, each by its own scale.

    frame: a column for each metric, indexed by the step.
    """

    frame: pd.DataFrame

    @property
    def svg(self) -> str:
        """The chart as text."""
        lines = [_line(at, str(name), self.frame[name]) for at, name in enumerate(self.frame)]
        height = _ROW * len(lines) + 4
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABEL + _LINE + 150}" height="{height}" role="img" '
            f'font-family="system-ui,sans-serif" font-size="12" fill="currentColor">'
            f"<title>Metrics of the page after each step</title>{''.join(lines)}</svg>"
        )

    def __repr__(self) -> str:
        ranges = (
            f"{name} {_words(column.min())} to {_words(column.max())}" for name, column in self.frame.items()
        )
        return f"<MetricsPlot of {len(self.frame)} steps: {', '.join(ranges)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "image/svg+xml": self.svg}


class StepMetrics:
    """The metrics of the page after each step of a run.

    steps: the run's steps; those without metrics are left out.
    """

    def __init__(self, steps: Sequence[StepRecord]) -> None:
        self._steps = [step for step in steps if step.extra.get("metrics")]

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each step that was measured, a column for each figure of `page.metrics()`."""
        import pandas as pd

        index = pd.Index([step.index for step in self._steps], name="step", dtype=int)
        rows = [step.extra["metrics"] for step in self._steps]
        frame = pd.DataFrame(rows, index=index, dtype="float64")
        frame.insert(0, "call", [step.in_words for step in self._steps])
        return frame

    def plot(self, *names: str) -> MetricsPlot:
        """Draw metrics over the steps.

        Parameters
        ----------
        *names : str
            Such as "nodes" and "heap"; by default all that changed.

        Returns
        -------
        MetricsPlot
            A notebook shows it; `.svg` is its text.

        Raises
        ------
        InvalidParams
            A metric of that name isn't there.
        """
        figures = self.frame.drop(columns="call")
        unknown = [name for name in names if name not in figures]
        if unknown:
            known = ", ".join(map(str, figures)) or "none: open the page with observe='metrics'"
            raise InvalidParams(f"there is no metric {unknown[0]!r}", hint=f"there are {known}")
        changed = [name for name in figures if figures[name].nunique() > 1]
        return MetricsPlot(figures[list(names) or changed])

    def __len__(self) -> int:
        return len(self._steps)

    def __repr__(self) -> str:
        if not self._steps:
            return "<StepMetrics: none; open the page with observe='metrics'>"
        return f"<StepMetrics of {len(self)} steps>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        if not self._steps:
            return shown
        return {**shown, "text/html": self.frame.to_html(na_rep="", float_format="{:,.3g}".format)}


def _line(at: int, name: str, values: pd.Series[float]) -> str:
    known = values.dropna()
    top, base = at * _ROW + 6, at * _ROW + _ROW - 6
    label = f'<text x="{_LABEL - 8}" y="{base - 4}" text-anchor="end">{escape(name)}</text>'
    if known.empty:
        return label
    low, high = float(known.min()), float(known.max())
    most = max(len(values) - 1, 1)
    places = [
        (
            _LABEL + _LINE * list(values.index).index(step) / most,
            base - (base - top) * ((value - low) / (high - low) if high > low else 0.5),
        )
        for step, value in known.items()
    ]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}" fill="#2a7de1"/>' for x, y in places)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (
        f'{label}<polyline points="{points}" fill="none" stroke="#2a7de1"/>{dots}'
        f'<text x="{_LABEL + _LINE + 10}" y="{base - 4}">{_words(low)} to {_words(high)}</text>'
    )


def _words(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.3g}"


_LAST = 3
"""Steps that count: what a model reads grows with the pages and the conversation, so old steps say little."""


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of the rest of a run.

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
