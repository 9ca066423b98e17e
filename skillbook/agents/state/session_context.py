"""What the runs of one session know of each other: goals, outcomes, and what the person said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from skillbook.agents.fence import fence, unfence

if TYPE_CHECKING:
    import pandas as pd

_REF = re.compile(r"\s*\[ref=[^\]]*\]")
_SHOWN_RUNS = 8
_SHOWN_CHARACTERS = 300
_COLUMNS = ["goal", "status", "result", "tasks", "said", "url"]


@dataclass(frozen=True)
class PastRun:
    """What is remembered of a run.

    Parameters
    ----------
    run_id, goal, status: which run, what it was for, and how it ended.
    result: its answer as text; may quote pages.
    tasks: how far its task list came.
    said: what the person said in it: reasons, answers and feedback.
    url: where it ended.
    """

    run_id: str
    goal: str
    status: str
    result: str = ""
    tasks: str = ""
    said: tuple[str, ...] = ()
    url: str = ""


class SessionContext:
    """The runs of one browser session so far; a new run's model learns of them. `clear()` forgets them."""

    def __init__(self) -> None:
        self._runs: dict[str, PastRun] = {}

    def note(self, run: PastRun) -> None:
        """Remember a run; what was remembered of the same run before is replaced."""
        self._runs.pop(run.run_id, None)
        self._runs[run.run_id] = run

    def clear(self) -> None:
        """Forget all runs."""
        self._runs.clear()

    @property
    def runs(self) -> list[PastRun]:
        """The runs, oldest first."""
        return list(self._runs.values())

    @property
    def frame(self) -> pd.DataFrame:
        """One row a run, oldest first."""
        import pandas as pd

        rows = [{name: getattr(run, name) for name in _COLUMNS} for run in self.runs]
        return pd.DataFrame(
            rows, columns=_COLUMNS, index=pd.Index(list(self._runs), name="run", dtype=object)
        )

    def text(self, without: str = "") -> str:
        """The latest runs as a new run's model sees them; empty where there are none.

        Parameters
        ----------
        without: id of a run that is left out.
        """
        runs = [run for run in self.runs if run.run_id != without][-_SHOWN_RUNS:]
        if not runs:
            return ""
        # An answer may quote pages, so it is data like them; refs of an earlier page would name other elements here.
        results = [(at, _short(_REF.sub("", unfence(run.result)))) for at, run in enumerate(runs, 1)]
        said = "\n".join(f"{at}. {result}" for at, result in results if result)
        lines = [f"{at}. {_lines(run)}" for at, run in enumerate(runs, 1)]
        return "\n".join(
            ["Earlier in this session:", *lines, *([f"What came of them:\n{fence(said)}"] if said else [])]
        )

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        lines = [f"{run.status}: {run.goal} → {_short(run.result)}".rstrip(" →") for run in self.runs]
        return "\n".join([f"<SessionContext of {len(self)} run{'' if len(self) == 1 else 's'}>", *lines])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        rows = "".join(
            f"<tr><td>{escape(run.goal)}</td><td>{run.status}</td><td>{escape(_short(run.result))}</td></tr>"
            for run in self.runs
        )
        head = "<tr><th>goal</th><th>status</th><th>result</th></tr>"
        return {"text/plain": repr(self), "text/html": f"<table>{head}{rows}</table>"}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[: _SHOWN_CHARACTERS - 1]}…"


def _lines(run: PastRun) -> str:
    head = f"{_short(run.goal)}: {run.status}" + (f", {run.tasks}" if run.tasks else "")
    return head + "".join(f"\n  The person said: {_short(words)}" for words in run.said[-3:])


_contexts: WeakKeyDictionary[Any, SessionContext] = WeakKeyDictionary()


def session_context(browser: Any) -> SessionContext:
    """The context of a browser's session.

    Parameters
    ----------
    browser: the browser's driver.
    """
    return _contexts.setdefault(browser, SessionContext())
