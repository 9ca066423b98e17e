"""Rows of a virtualised grid: scrolled screen by screen, and joined by the numbers that the page gives."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillbook.extraction.pagination import SETTLE_SECONDS, Harvest, Progress
from skillbook.extraction.plans import CollectionPlan, Plan
from skillbook.extraction.source import PageSource
from skillbook.perception.collections import Cell, Row, unique_names
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot

_SCREEN = 0.7  # of what is seen, so that each screen overlaps with the one before


@dataclass
class NumberedRows:
    """Cells by the number of their row and of their column, over all screens."""

    rows: dict[int, tuple[Node, dict[int, Cell]]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, screen: Screen) -> None:
        """Take what one screen shows; what was read later counts."""
        self.names |= screen.names
        for number, row in screen.rows.items():
            cells = self.rows.setdefault(number, (row.node, {}))[1]
            cells.update({place: cell for place, cell in zip(screen.names, row.cells, strict=True) if cell})

    def give(self, harvest: Harvest) -> None:
        """Put everything into the harvest, in the page's order."""
        places = sorted(self.names)
        harvest.columns = unique_names([self.names[place] for place in places])
        harvest.rows[:] = [
            Row(node, [cells.get(place) for place in places])
            for _, (node, cells) in sorted(self.rows.items(), key=lambda item: item[0])
        ]


@dataclass(frozen=True)
class Screen:
    """What a grid shows at one moment.

    Parameters
    ----------
    rows, names : by the numbers of rows and columns.
    box : what scrolls: the grid, or the box around its rows.
    """

    rows: Mapping[int, Row]
    names: Mapping[int, str]
    box: Node

    @property
    def seen(self) -> tuple[int, int]:
        """Where what is seen begins and ends, downwards."""
        start, _, above, height = self.box.extra["scroll"]
        top = self.box.box.y + start + above
        return top, top + height

    @property
    def at_end(self) -> bool:
        """Whether there is nothing further down."""
        _, height, above, seen = self.box.extra["scroll"]
        return bool(above + seen >= height - 2)

    @property
    def is_rendered(self) -> bool:
        """Whether rows fill what is seen, and all have their cells."""
        if not self.rows:
            return False
        top, bottom = self.seen
        boxes = [row.node.box for row in self.rows.values()]
        pitch = max(box.height for box in boxes)
        filled = min(box.y for box in boxes) <= top + 2 * pitch
        filled = filled and max(box.y + box.height for box in boxes) >= bottom - pitch
        cells = {sum(cell is not None for cell in row.cells) for row in self.rows.values()}
        blank = any(not any(cell and cell.text for cell in row.cells) for row in self.rows.values())
        return filled and len(cells) == 1 and not blank


def screen_of(snapshot: Snapshot, plan: Plan) -> Screen | None:
    """What a numbered grid in a box that scrolls shows; None where the plan's rows are anything else."""
    if not isinstance(plan, CollectionPlan) or not plan.whole:
        return None
    grid = plan.find(snapshot)
    if grid is None or not grid.rows or not grid.places:
        return None
    numbers = [int(row.node.extra.get("posinset") or 0) for row in grid.rows]
    if min(numbers) < 1 or len(set(numbers)) < len(numbers):
        return None
    node = grid.rows[0].node
    box = next((up for up in node.ancestors if "scroll" in up.extra and up.ref), None)
    if box is None:
        return None
    return Screen(
        dict(zip(numbers, grid.rows, strict=True)), dict(zip(grid.places, grid.fields, strict=True)), box
    )


async def scroll_grid(
    source: PageSource,
    plan: Plan,
    harvest: Harvest,
    claims: Mapping[str, int],
    max_screens: int | None,
    progress: Progress | None,
) -> tuple[str, str]:
    """Read a numbered grid from top to bottom, once for each part of its columns.

    Returns
    -------
    Why it stopped, and what shows that there is more, if anything does.
    """
    read = NumberedRows()
    screens, box = 0, ""
    trouble: list[str] = []
    try:
        screen = await _rendered(source, plan, trouble)
        while screen is not None:
            box = screen.box.ref or ""
            before, parts = len(read.names), screen.names
            if not parts.keys() <= read.names.keys():
                await source.act("scroll", box, to="top")
                screen = await _rendered(source, plan, trouble)
            while screen is not None:
                screens += 1
                read.add(screen)
                if progress:
                    progress(screens, len(read.rows))
                if max_screens is not None and screens >= max_screens:
                    return (
                        f"max_pages={max_screens} was reached",
                        "" if screen.at_end else "there is more to scroll",
                    )
                if screen.at_end:
                    break
                top, bottom = screen.seen
                await source.act("scroll", box, dy=max(int((bottom - top) * _SCREEN), 1))
                screen = await _rendered(source, plan, trouble, moved_from=screen)
            if screen is None or len(read.names) >= claims.get("columns", 0) or len(read.names) == before:
                break
            width = screen.box.box.width
            await source.act("scroll", box, dx=max(int(width * _SCREEN / 2), 1))
            screen = await _rendered(source, plan, trouble, besides=read.names)
    finally:
        if read.rows:
            read.give(harvest)
    if box:
        await source.act("scroll", box, to="left")
        await source.act("scroll", box, to="top")
    return "it was scrolled to its end", "; ".join(dict.fromkeys([*trouble, *_blanks(read)]))


def _blanks(read: NumberedRows) -> Sequence[str]:
    """Rows and cells that no screen showed."""
    numbers = sorted(read.rows)
    gaps = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    lost = sum(len(cells) < len(read.names) for _, cells in read.rows.values())
    return [
        *([f"{gaps:,} rows in between were not shown"] if gaps else []),
        *([f"{lost:,} rows were not shown with all columns"] if lost else []),
    ]


async def _rendered(
    source: PageSource,
    plan: Plan,
    trouble: list[str],
    moved_from: Screen | None = None,
    besides: Mapping[int, str] | None = None,
) -> Screen | None:
    """The grid once it has rendered where it was scrolled to; as it is then when it goes on for too long."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        snapshot = await source.snapshot()
        screen = screen_of(snapshot, plan)
        moved = screen is not None and (
            moved_from is None or screen.box.extra["scroll"][2] != moved_from.box.extra["scroll"][2]
        )
        fresh = screen is not None and (besides is None or not screen.names.keys() <= besides.keys())
        if screen is not None and screen.is_rendered and moved and fresh:
            return screen
        if not await source.changed_since(snapshot, deadline - time.monotonic()):
            break
    if screen is None:
        trouble.append("the grid went away while it was scrolled")
    elif not moved or not fresh:
        trouble.append("it could not be scrolled further")
        return None
    else:
        trouble.append("it did not show whole rows everywhere")
    return screen
