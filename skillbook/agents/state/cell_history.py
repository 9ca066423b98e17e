"""What a checkpoint keeps of a run's cells: their text, and the answer to each of their calls.

A cell with the same text and the same answers does the same again. So this is all that another kernel needs to go on at
the very call where this one stopped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

_INNER = re.compile(r"(?P<cell>.+)\.(?P<number>\d+)L(?P<line>\d+)")

Cell = dict[str, Any]
"""`id`, `code`, `began`, `answers`, `ended` once it has, and `edited` where a person wrote its code.

An answer has a `value` or an `error`, and `by_person` where a person decided otherwise than the code.
"""


def merge_cells(left: Sequence[Cell] | None, right: Sequence[Mapping[str, Any]] | None) -> list[Cell]:
    """The cells with what is new of them: a new one, an answer, or an end."""
    cells = [dict(cell) for cell in left or ()]
    for change in right or ():
        known = next((cell for cell in reversed(cells) if cell["id"] == change["id"]), None)
        if "code" in change:
            if known is None or known.get("ended") is not None:
                cells.append({**change, "answers": list(change.get("answers", ()))})
        elif known is not None and "answer" in change:
            answers = list(known["answers"])
            if change["number"] == len(answers):
                known["answers"] = [*answers, change["answer"]]
        elif known is not None:
            known["ended"] = change["ended"]
    return cells


def open_cell(cells: Sequence[Cell]) -> Cell | None:
    """The cell that is under way; None where none is."""
    last = cells[-1] if cells else None
    return last if last is not None and last.get("ended") is None else None


def inner_id(cell: Cell, line: int) -> str:
    """The id of a cell's next call, which names cell, call and line in the journal."""
    return f"{cell['id']}.{len(cell['answers'])}L{line}"


def line_of(call_id: str) -> int:
    """The line of a cell's call; 0 where it isn't known."""
    found = _INNER.fullmatch(call_id)
    return int(found["line"]) if found else 0


def place_of(call_id: str) -> tuple[str, int] | None:
    """The cell of a call and the call's number in it, from 0; None for a call of the model."""
    found = _INNER.fullmatch(call_id)
    return (found["cell"], int(found["number"])) if found else None


def is_inner(cells: Sequence[Cell], call_id: str) -> bool:
    """Whether a call was made by one of the cells."""
    found = _INNER.fullmatch(call_id)
    return found is not None and any(cell["id"] == found["cell"] for cell in cells)


def is_next(cells: Sequence[Cell], call_id: str) -> bool:
    """Whether a call is the one at which the cell stands that is under way."""
    cell, found = open_cell(cells), _INNER.fullmatch(call_id)
    return (
        cell is not None
        and found is not None
        and found["cell"] == cell["id"]
        and int(found["number"]) == len(cell["answers"])
    )


def without_inner(messages: Sequence[AnyMessage], cells: Sequence[Cell]) -> list[AnyMessage]:
    """The conversation as the model had it: it made the cells, not their calls."""
    kept: list[AnyMessage] = []
    for message in messages:
        made = message.tool_calls if isinstance(message, AIMessage) else []
        inner = made and all(is_inner(cells, str(call["id"])) for call in made)
        answers = isinstance(message, ToolMessage) and is_inner(cells, message.tool_call_id)
        if not (inner or answers):
            kept.append(message)
    return kept


def cells_before(cells: Sequence[Cell], call_id: str) -> list[Cell]:
    """The cells as they were before a call, of the model or of a cell, was made."""
    found = _INNER.fullmatch(call_id)
    kept: list[Cell] = []
    for cell in cells:
        if cell["id"] == call_id:
            break
        if found is not None and cell["id"] == found["cell"]:
            kept.append({**cell, "answers": cell["answers"][: int(found["number"])], "ended": None})
            break
        kept.append(dict(cell))
    return kept
