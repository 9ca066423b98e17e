"""What the browser measured of the page after each step of a run, as a table and as lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import InvalidParams

if TYPE_CHECKING:
    import pandas as pd

_LABEL, _LINE, _ROW = 90, 320, 34
_DOT = 2.5


@dataclass(frozen=True)
class MetricsPlot:
    """A line for each metric over the steps of a run, each by its own scale.

    Parameters
    ----------
    frame : DataFrame
        A column for each metric, indexed by the step.
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

    Parameters
    ----------
    steps : sequence of StepRecord
        The run's steps; those without metrics are left out.
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
