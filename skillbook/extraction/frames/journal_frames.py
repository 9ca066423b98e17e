"""Records as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import pandas as pd

from skillbook.journal import JournalRequest, JournalStep
from skillbook.perception.escape import without_controls
from skillbook.policy.request_facts import RequestFact

_STEP_COLUMNS = [
    "time", "command", "actor", "effect", "verdict", "reason", "outcome", "elapsed_ms", "url", "role", "name", "ref",
    "locator", "params", "observation", "error", "result", "run", "tab", "session", "thumbnail",
]  # fmt: skip
_FACT_COLUMNS = [each.name for each in fields(RequestFact) if each.name != "address"]
_REQUEST_COLUMNS = [
    "id", "session", "time", "tab", "run", "actor", "cause", *_FACT_COLUMNS, "verdict", "ending", "reason", "count",
]  # fmt: skip


_SHOWN = {"time": 8, "command": 16, "actor": 6, "verdict": 8, "outcome": 8, "role": 12, "name": 30}
"""The columns that a journal shows of itself, and how many characters of each."""
_SHOWN_STEPS = 12


class JournalFrame(pd.DataFrame):
    """A session's steps as a DataFrame; `requests` is another one, of the requests that were held.

    As a cell's value it shows the last steps in brief; any selection of it shows all its columns, as frames do.
    """

    _metadata: ClassVar[list[str]] = ["_requests"]
    _requests: Sequence[JournalRequest] = ()

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        return f"{self._brief().to_string()}\n{self._more()}"

    def _repr_html_(self) -> str:
        return f"{self._brief().to_html(notebook=True)}<p>{self._more()}</p>"

    def _brief(self) -> pd.DataFrame:
        last = pd.DataFrame(self)[list(_SHOWN)].tail(_SHOWN_STEPS)
        last = last.assign(time=last["time"].dt.strftime("%H:%M:%S")) if len(last) else last
        for name, length in _SHOWN.items():
            last[name] = last[name].astype(str).str.slice(0, length)
        return last

    def _more(self) -> str:
        if not len(self):
            return "no steps yet"
        shown = min(len(self), _SHOWN_STEPS)
        return f"the last {shown} of {len(self)} steps in brief; .columns names all that is known of each"

    @property
    def requests(self) -> pd.DataFrame:
        """The requests that were held, with verdict and outcome, a row each; names of fields, never values."""
        frame = pd.DataFrame([_request_row(request) for request in self._requests], columns=_REQUEST_COLUMNS)
        frame["time"] = pd.to_datetime(frame["time"], unit="s", utc=True)
        return frame.set_index("id")


def journal_frame(steps: Sequence[JournalStep], requests: Sequence[JournalRequest]) -> JournalFrame:
    """A session as a DataFrame, with its requests."""
    frame = JournalFrame(records_frame(steps))
    frame._requests = requests
    return frame


def records_frame(records: Sequence[Any]) -> pd.DataFrame:
    """Dataclasses as rows; steps of the journal with their id as index and times in UTC."""
    if not records:
        return pd.DataFrame(columns=_STEP_COLUMNS)
    if all(isinstance(record, JournalStep) for record in records):
        return _steps_frame(records)
    return pd.DataFrame([_row(record) for record in records])


def requests_frame(requests: Sequence[Any]) -> pd.DataFrame:
    """A page's requests by their number."""
    columns = ["method", "address", "status", "type", "size", "time", "step", "source", "error", "by_itself"]
    rows = [_row(request) for request in requests]
    frame = pd.DataFrame(rows, columns=["n", *(("url" if name == "address" else name) for name in columns)])
    frame = frame.rename(columns={"url": "address"}).set_index("n")
    return frame.astype({"status": "Int64", "size": "Int64", "time": "Float64"}).round({"time": 1})


def metrics_frame(
    before: Mapping[str, float | None] | None, after: Mapping[str, float | None] | None, is_other: bool
) -> pd.DataFrame:
    """A page's metrics before and after an action; no change where the page is another document by then."""
    columns = {"before": before or {}, "after": after or {}}
    frame = pd.DataFrame({name: pd.Series(values, dtype="float64") for name, values in columns.items()})
    frame = frame.reindex(list(after or before or {}))
    frame["change"] = float("nan") if is_other else frame["after"] - frame["before"]
    return frame.rename_axis("metric")


def _request_row(request: JournalRequest) -> dict[str, Any]:
    known = {name: value for name, value in request.fact.items() if name in _FACT_COLUMNS}
    return _row(request) | _row(RequestFact(**known))


def _row(record: Any) -> dict[str, Any]:
    if not is_dataclass(record):
        return {"value": record}
    row = {each.name: _shown(getattr(record, each.name)) for each in fields(record)}
    return row | ({"success": record.success} if hasattr(record, "success") else {})


def _shown(value: Any) -> Any:
    """A value as a table may print it: its texts may be a page's, and name what a terminal obeys."""
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, Mapping):
        return {_shown(key): _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list) else value


def _steps_frame(steps: Sequence[JournalStep]) -> pd.DataFrame:
    rows = [
        _row(step)
        | {name: _shown(step.target.get(name, "")) for name in ("role", "name", "ref")}
        | {
            "time": pd.Timestamp(step.intent_time, unit="s", tz="UTC"),
            "outcome": step.outcome.value,
            "error": step.error.get("code", ""),
            "run": step.run or "",
        }
        for step in steps
    ]
    index = pd.Index([step.id for step in steps], name="id")
    return pd.DataFrame(rows, index=index)[_STEP_COLUMNS]
