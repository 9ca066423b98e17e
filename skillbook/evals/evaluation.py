"""Two evaluations of the same tasks: the difference of each measure, task by task, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from skillbook.errors import EvalError
from skillbook.evals.attempt import Attempt
from skillbook.evals.eval_report import Plot, cell_html, junit_xml, report_html
from skillbook.storage import storing

MEASURES = ("passed", "steps", "seconds", "tokens", "usd", "asked", "refused", "unasked")
_DRAWS = 10_000
_FEWEST = 6
"""Tasks; by chance, five of five go the same way in one of sixteen comparisons."""
_SEED = 20_260_101


def mean_interval(values: np.ndarray[Any, Any], level: float = 0.95) -> tuple[float, float]:
    """The interval in which the mean lies, by drawing tasks anew (percentile bootstrap); the same at every call.

    values: one for each task; of fewer than six nothing can be said, even where all agree.
    level: how sure, 0 to 1.
    """
    if len(values) < _FEWEST:
        return float("nan"), float("nan")
    random = np.random.default_rng(_SEED)
    means = np.empty(_DRAWS)
    for at in range(0, _DRAWS, 500):
        drawn = random.integers(0, len(values), (min(500, _DRAWS - at), len(values)))
        means[at : at + 500] = values[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def share_interval(share: float, tasks: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share: it has a width also where all or none passed.

    share: what was found, 0 to 1.
    level: how sure, 0 to 1.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * tasks)) / (1 + z * z / tasks)
    half = z / (1 + z * z / tasks) * (share * (1 - share) / tasks + z * z / (4 * tasks * tasks)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Comparison:
    """What another target does better or worse.

    Attributes
    ----------
    frame : DataFrame
        For each measure the means of both over the tasks that both have, the difference (other minus this one), and
        the 95 % interval of the difference, `low` to `high`. `sure` says whether 0 is outside of it.
    tasks : DataFrame
        The same for each task: its means, and the difference of `passed`.
    """

    frame: pd.DataFrame
    tasks: pd.DataFrame
    names: tuple[str, str]

    @property
    def text(self) -> str:
        """One sentence on what is sure of passing."""
        row = self.frame.loc["passed"]
        if not row["sure"]:
            return f"Over {len(self.tasks)} tasks, no difference in passing is sure."
        better, worse = (self.names[1], self.names[0]) if row["difference"] > 0 else self.names
        ends: list[Any] = [row["low"], row["high"]]
        low, high = sorted(abs(float(end)) for end in ends)
        return f"{better} passes {low:.0%} to {high:.0%} of {len(self.tasks)} tasks more than {worse} (95 %)."

    def __repr__(self) -> str:
        return f"{self.text}\n{self.frame.round(3).to_string()}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        html = f"<p>{escape(self.text)}</p>{self.frame.round(3).to_html()}"
        return {"text/plain": repr(self), "text/html": html}


def compare_frames(ours: pd.DataFrame, theirs: pd.DataFrame, names: tuple[str, str]) -> Comparison | None:
    """Compare by task; None where no task is in both."""
    scores = [name for name in ours.columns if name.startswith("score_") and name in theirs.columns]
    measures = [*MEASURES, *scores]
    left, right = (frame.groupby("task")[measures].mean() for frame in (_numeric(ours), _numeric(theirs)))
    shared = left.index.intersection(right.index)
    if shared.empty:
        return None
    left, right = left.loc[shared], right.loc[shared]
    rows = {}
    for name in measures:
        pair = pd.concat([left[name], right[name]], axis=1).dropna().to_numpy(dtype=float)
        differences = pair[:, 1] - pair[:, 0]
        low, high = mean_interval(differences)
        mean = differences.mean() if len(differences) else float("nan")
        first, second = pair.mean(axis=0) if len(pair) else (float("nan"), float("nan"))
        rows[name] = [first, second, mean, low, high, bool(low > 0 or high < 0), len(pair)]
    columns = ["this", "other", "difference", "low", "high", "sure", "tasks"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    tasks = pd.DataFrame({"this": left["passed"], "other": right["passed"]})
    tasks["difference"] = tasks["other"] - tasks["this"]
    return Comparison(frame, tasks, names)


def _numeric(frame: pd.DataFrame) -> pd.DataFrame:
    numbers = [name for name in frame.columns if name in MEASURES or name.startswith("score_")]
    return frame[["task"]].join(frame[numbers].astype("float64"))


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
