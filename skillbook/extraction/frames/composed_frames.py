"""A frame of values that came from several frames, or from some rows of one: each cell keeps the source that it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.provenance import KEY, KeptCell, Origin, OriginKey, new_run, source_of
from skillbook.perception.collections import Cell, Row

if TYPE_CHECKING:
    import pandas as pd


class CellOrigin(NamedTuple):
    """Where a cell was: the frame that it was extracted with, its row and its column there."""

    origin: Origin
    row: int
    column: str


def compose_frame(
    frame: pd.DataFrame,
    cells: Mapping[str, Sequence[CellOrigin | None]],
    completeness: Completeness,
) -> pd.DataFrame:
    """A frame whose cells have sources.

    frame: the values; its index counts from 0.
    cells: by column, where each row's cell was; None where that isn't known. Other columns have no sources.
    completeness: what is to be said of the rows.
    """
    rows = [_row([column[at] for column in cells.values()]) for at in range(len(frame))]
    known = [each for column in cells.values() for each in column if each is not None]
    units = {
        name: found.pop()
        for name, column in cells.items()
        if len(found := {each.origin.units.get(each.column, "") for each in column if each}) == 1
    }
    origin = Origin(
        tuple(cells),
        rows,
        name=known[0].origin.name if known else "",
        units={name: unit for name, unit in units.items() if unit},
        page=known[0].origin.page if known else None,
        completeness=completeness,
        run=new_run(),
        values=frame.copy(),
    )
    frame.attrs[KEY] = OriginKey.of(origin)
    return frame


def same_source(one: CellOrigin, other: CellOrigin) -> bool:
    """Whether two cells are the same element of the same document, and said the same."""
    first, second = (each.origin.source(each.row, each.column) for each in (one, other))
    return (
        first is not None
        and second is not None
        and first.ref is not None
        and (first.document, first.ref, first.text) == (second.document, second.ref, second.text)
    )


def _row(places: Sequence[CellOrigin | None]) -> Row:
    """A row has the node of the first that it was made of; cells of other rows are known by their sources alone."""
    first = next((each for each in places if each is not None), None)
    cells: list[Cell | None] = []
    for each in places:
        cell = None if each is None else each.origin.cell(each.row, each.column)
        here = (
            each is not None and first is not None and each.origin is first.origin and each.row == first.row
        )
        source = None if cell is None or here else source_of(cell)
        cells.append(cell if here else None if source is None else KeptCell(source))
    return Row(None if first is None else first.origin.rows[first.row].node, cells)  # type: ignore[arg-type]
