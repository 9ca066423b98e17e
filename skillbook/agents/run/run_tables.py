"""Steps as tables, and a run as escaped HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from skillbook.agents.state.step_records import StepRecord

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
