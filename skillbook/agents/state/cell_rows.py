"""What the cells of a run read: for each extraction and skill the rows that the code got, and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.agents.state.cell_history import Cell, place_of
from skillbook.cells.crossing import SkillResult, from_plain
from skillbook.cells.traced_rows import Reading, frame_of_rows, origin_of_frame

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.agents.state.step_records import StepRecord

_READ_ROWS = {"extract", "run_skill"}


def frame_of_cell(value: Any, cells: Sequence[Cell], steps: Sequence[StepRecord]) -> pd.DataFrame | None:
    """The rows that a cell ended with; None where it ended with something else, or none of them was read.

    Parameters
    ----------
    value : the cell's last expression.
    cells : the run's cells up to that one, with the answers that their code got.
    steps : the run's, with what was extracted.
    """
    return frame_of_rows(value, _readings(cells, steps), [str(cell["code"]) for cell in cells])


def _readings(cells: Sequence[Cell], steps: Sequence[StepRecord]) -> list[Reading]:
    """The rows that each extraction gave the code; their sources, if this kernel extracted them."""
    extracted = {place_of(step.call_id): step for step in steps if step.tool in _READ_ROWS}
    found: list[Reading] = []
    for cell in cells:
        for number, answer in enumerate(cell["answers"]):
            step = extracted.get((str(cell["id"]), number))
            rows = from_plain(answer["value"]) if step is not None and "value" in answer else None
            rows = rows.rows if isinstance(rows, SkillResult) else rows
            if step is None or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                continue
            found.append((rows, origin_of_frame(step.extra.get("frame"))))
    return found
