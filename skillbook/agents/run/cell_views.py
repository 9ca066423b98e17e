"""A cell that waits and what cells have left, for whoever shows them: both panels get the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from skillbook.agents.state.step_records import RUN_CELL, PendingCall
from skillbook.cells.parsed_code import spans_by_line
from skillbook.protocol.asks.run_asks import CellView, CodePiece, StepOffer, VariableView

if TYPE_CHECKING:
    from skillbook.agents.state.run_cells import Variable

_WHOLE = (("call", "Step into"), ("write", "To the first write"))
_INNER = (
    ("call", "Step"),
    ("line", "To the next line"),
    ("write", "To the next write"),
    ("end", "To the end"),
)
_MOST_ROWS = 20
_MOST_COLUMNS = 8
_MOST_VARIABLES = 30
_TEXT_LENGTH = 300
_FIELD_LENGTH = 80


def cell_view(pending: PendingCall) -> CellView | None:
    """The cell of a call that waits; None where it has none. What can't be undone has no steps."""
    place = pending.cell
    if place is None:
        return None
    offers = _WHOLE if pending.tool == RUN_CELL else _INNER
    return CellView(
        number=place.number,
        line=place.line,
        forecast=place.forecast,
        lines=[
            [CodePiece(**asdict(span)) for span in line]
            for line in spans_by_line(place.code.rstrip("\n"), place.start, place.end)
        ],
        steps=[StepOffer.model_validate({"until": until, "words": words}) for until, words in offers]
        if can_step(pending)
        else [],
    )


def can_step(pending: PendingCall) -> bool:
    """Whether a call may be approved with the words how far its cell goes on."""
    return pending.cell is not None and pending.is_call and pending.review.effect != "irreversible"


def variable_views(variables: Sequence[Variable]) -> list[VariableView]:
    """Variables as plain data, cut to what can be looked at."""
    return [_variable_view(each) for each in variables[:_MOST_VARIABLES]]


def _variable_view(variable: Variable) -> VariableView:
    value = variable.value
    facts: dict[str, Any] = {"name": variable.name, "type": variable.type, "size": variable.size}
    if isinstance(value, list) and value and all(isinstance(row, Mapping) and row for row in value):
        columns = list(dict.fromkeys(str(key) for row in value for key in row))[:_MOST_COLUMNS]
        rows = [[_short(row.get(name), _FIELD_LENGTH) for name in columns] for row in value[:_MOST_ROWS]]
        return VariableView(**facts, columns=columns, rows=rows)
    return VariableView(**facts, text=_short(value if isinstance(value, str) else repr(value), _TEXT_LENGTH))


def _short(value: Any, length: int) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= length else f"{text[: length - 1]}…"
