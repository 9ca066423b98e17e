"""The cells of a run that a skill or a notebook is made of: those that came to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbook.agents.run.notebook_file import cells_for_kernel
from skillbook.cells.written_secrets import spelled_out
from skillbook.errors import InvalidSkill

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext

_OTHERWISE = {"edit", "reject", "respond"}


def ended_cells(context: RunContext) -> dict[int, str]:
    """The code of each cell that ended without an error, by its number.

    Raises
    ------
    InvalidSkill : a person decided otherwise on a call of one, so that its code isn't what was done.
    """
    assert context.cells is not None
    ended = {
        number: spelled_out(str(cell["code"]))
        for number, cell in enumerate(context.cells.records, 1)
        if cell.get("ended") is not None and not cell["ended"]["error"]
    }
    for step in context.steps:
        number, line = step.extra.get("cell"), step.extra.get("line")
        if number in ended and line is not None and step.decision in _OTHERWISE:
            raise InvalidSkill(
                f"line {line} of cell {number} says {step.tool}, and a person decided otherwise ({step.decided}): "
                "its code isn't what was done",
                hint="let a cell run whose code says what you want: run.edit(code=…) changes it",
            )
    return ended


def began_at(context: RunContext) -> str:
    """The address at which a run began."""
    return next((step.before.url for step in context.steps if step.before is not None), "about:blank")


def cells_to_insert(context: RunContext) -> tuple[str, ...]:
    """A run's cells for the notebook that shows it; none if it wrote none, or a person changed what they did."""
    if context.cells is None:
        return ()
    try:
        cells = list(ended_cells(context).values())
    except InvalidSkill:
        return ()
    return cells_for_kernel(began_at(context), cells) if cells else ()
