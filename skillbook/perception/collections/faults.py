"""What of a table is known to be missing or in the wrong place, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Cell, Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box
from skillbook.perception.nodes.cards import kind_of
from skillbook.perception.roles import INTERACTIVE
from skillbook.protocol.snapshot import State

Line = Sequence[Cell | None]


def repeated(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that the page gives several rows the same number: copies of pinned ones, most likely."""
    numbers = [
        facts["posinset"] for row in rows if "posinset" in (facts := snapshot.columns.extra.get(row, {}))
    ]
    repeated = len(numbers) - len(set(numbers))
    return [f"{repeated:,} rows have the number of another one: they may be there twice"] if repeated else []


def without_cells(names: Sequence[str], grid: Sequence[Line]) -> list[str]:
    """What says that a grid has headers which no row has cells for: it renders only the columns in view.

    Which columns those are isn't sure then, for the cells that are left out may be the first ones.
    """
    widest = max(map(len, grid), default=0)
    count = sum(map(bool, names[widest:]))
    if not count:
        return []
    counted = "1 column has" if count == 1 else f"{count:,} columns have"
    return [f"{counted} a header and no cells: others may show when the grid is scrolled to the side"]


def without_known_cells(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that rows are controls, a button each, of whose cells nothing is known."""
    roles, names = snapshot.columns.role, snapshot.columns.name
    count = sum(
        roles[row] in INTERACTIVE and bool(names[row]) and not cells_of(snapshot, row) for row in rows
    )
    counted = "1 row is a control" if count == 1 else f"{count:,} rows are controls"
    return [f"{counted} whose cells aren't known"] if count else []


def without_texts(snapshot: BaseSnapshot, rows: Sequence[Row]) -> list[str]:
    """What says that rows have parts that are drawn where the others have texts: these aren't there yet."""
    count = 0
    for row in rows:
        cells = [cell for cell in row.cells if cell]
        if not any(cell.text for cell in cells):
            drawn = [cell for cell in cells if snapshot.columns.extra.get(cell.index, {}).get("looks")]
            count += len(drawn) >= SEVERAL
    if not 0 < count < len(rows):
        return []
    counted = "1 row has" if count == 1 else f"{count:,} rows have"
    return [f"{counted} no text yet, but parts that are drawn in its place"]


def is_details(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element is details, of which one sees a title where they are closed."""
    return kind_of(snapshot.columns.tag[index]).partition(".")[0] == "details"


def closed_items(snapshot: BaseSnapshot, items: Sequence[int]) -> list[str]:
    """What says that items are details that are closed."""
    closed = [at for at in items if snapshot.columns.flags[at] & State.COLLAPSED and is_details(snapshot, at)]
    if not closed:
        return []
    return [
        f"{'1 item is' if len(closed) == 1 else f'{len(closed):,} items are'} closed: what opens there isn't shown"
    ]


def misplaced(snapshot: BaseSnapshot, heads: Line, lines: Sequence[Line]) -> list[str]:
    """What says that rows lack cells, and that what they have stands under other headers than those of its place.

    Which cell is missing isn't sure then. In rows of HTML only the last ones can be.
    """
    count = 0
    for line in lines:
        if not 0 < len(line) < len(heads):
            continue
        if any(cell.node and cell.node.tag in {"td", "th"} for cell in line if cell):
            continue
        pairs = [(cell, head) for cell, head in zip(line, heads, strict=False) if cell and head]
        count += any(
            _is_beside(snapshot.box_of(cell.index), snapshot.box_of(head.index)) for cell, head in pairs
        )
    if not count:
        return []
    counted = "1 row lacks a cell" if count == 1 else f"{count:,} rows lack cells"
    return [f"{counted}, and others of it stand under other headers"]


def _is_beside(box: Box, other: Box) -> bool:
    """Whether a box is wholly left or right of another one."""
    return box.width > 0 and (box.x >= other.x + other.width or box.x + box.width <= other.x)
