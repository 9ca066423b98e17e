"""What an evaluation found: a table of its attempts, figures, files for people and for CI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from skillbook.errors import EvalError
from skillbook.evals.attempt import Attempt
from skillbook.evals.eval_report import Plot, cell_html, report_html
from skillbook.evals.junit import junit_xml
from skillbook.evals.paired_comparison import Comparison, compare_frames, share_interval
from skillbook.storage import storing

COLUMNS = (
    "task", "repetition", "passed", "steps", "seconds", "tokens", "usd", "asked", "refused", "unasked", "rows",
    "answer", "error", "url",
)  # fmt: skip
_LEFT_OUT = {"calls", "sent", "scores", "key", "target"}


class Evaluation:
    """What `sb.evaluate` returns.

    Parameters
    ----------
    name : str
        What was evaluated.
    attempts : sequence of Attempt
        Each task once for each repetition, in order.
    planned : int
        How many attempts there were to be; fewer were made if it was interrupted.
    link : str
        The experiment's address, where it was uploaded.
    """

    def __init__(
        self, name: str, attempts: Sequence[Attempt], planned: int | None = None, link: str = ""
    ) -> None:
        self.name = name
        self.attempts = list(attempts)
        self.planned = len(self.attempts) if planned is None else planned
        self.link = link

    @property
    def interrupted(self) -> bool:
        """Whether attempts are missing."""
        return len(self.attempts) < self.planned

    @property
    def passed(self) -> float:
        """The share of attempts that passed, 0 to 1; those that weren't made don't count."""
        return sum(each.passed for each in self.attempts) / len(self.attempts) if self.attempts else 0.0

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row for each attempt; scores are columns named `score_…`."""
        rows = []
        for each in self.attempts:
            data = {name: value for name, value in asdict(each).items() if name not in _LEFT_OUT}
            rows.append(data | {f"score_{name}": score for name, score in each.scores.items()})
        names = list(dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)]))
        frame = pd.DataFrame(rows, columns=names)
        return frame.astype({"passed": bool, "rows": "Int64", "usd": "float64"})

    @property
    def by_task(self) -> pd.DataFrame:
        """The means of each task over its repetitions."""
        numbers = self.frame.select_dtypes(["number", "bool"]).columns.difference(["repetition"], sort=False)
        grouped = self.frame.groupby("task", sort=False)
        means = grouped[list(numbers)].mean()
        means.insert(0, "attempts", grouped.size())
        return means

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Within which share of tasks like these the target passes, by Wilson's formula.

        Parameters
        ----------
        level : float
            How sure, 0 to 1.

        Returns
        -------
        tuple of float
            The lower and the upper end.
        """
        by_task = self.frame.groupby("task")["passed"].mean()
        return share_interval(float(by_task.mean()), len(by_task), level)

    def compare(self, other: Evaluation) -> Comparison:
        """Compare with another evaluation of the same tasks.

        Parameters
        ----------
        other : Evaluation
            Such as that of another model.

        Returns
        -------
        Comparison
            Its `frame` has the differences (other minus this one) with their 95 % intervals, paired by task.

        Raises
        ------
        EvalError
            No task is in both.
        """
        found = compare_frames(self.frame, other.frame, (self.name, other.name))
        if found is None:
            raise EvalError("the evaluations have no task in common", hint="evaluate the same tasks")
        return found

    def report(self, path: str | Path) -> Path:
        """Write one HTML file that needs nothing else.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        return _write(path, report_html(self))

    def junit(self, path: str | Path) -> Path:
        """Write JUnit's XML, which CI systems show.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        return _write(path, junit_xml(self.name, self.attempts))

    def plot(self) -> Plot:
        """A chart of what passed and what it took, by task.

        Returns
        -------
        Plot
            A notebook shows it; `.svg` is its text.
        """
        return Plot(self.by_task)

    def __len__(self) -> int:
        return len(self.attempts)

    def __repr__(self) -> str:
        made = f"{len(self.attempts)} of {self.planned}" if self.interrupted else str(len(self.attempts))
        good = sum(each.passed for each in self.attempts)
        asked, unasked = (sum(getattr(each, name) for each in self.attempts) for name in ("asked", "unasked"))
        return f"<Evaluation {self.name}: {good} of {made} attempts passed, {asked} asked, {unasked} acts unasked>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": cell_html(self)}


def _write(path: str | Path, text: str) -> Path:
    file = Path(path)
    with storing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file
