"""The rows of several screens as one list: joined by their numbers, else by what they say and where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from skillbook.extraction.walking.partial_result import PartialResult, says
from skillbook.extraction.walking.screens import Scope, Screen
from skillbook.perception.collections import Cell, Row, unique_names
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.cards import FEWEST

ROUNDING = 2  # pixels by which what a script has placed or scrolled may differ


@dataclass
class NumberedRows:
    """Cells by the number of their row and of their column, over all screens.

    wanted: the numbers of the rows to keep; None for all.
    """

    wanted: range | None = None
    rows: dict[int, tuple[Node, dict[int, Cell]]] = field(default_factory=dict)
    names: dict[int, str] | None = None
    changed: int = 0  # cells that said something else on another screen

    def add(self, screen: Screen) -> None:
        """Take what one screen shows; what was read later counts."""
        if screen.names is not None:
            self.names = {**(self.names or {}), **screen.names}
        for number, row in zip(screen.numbers, screen.rows, strict=True):
            if self.wanted is not None and number not in self.wanted:
                continue
            cells = self.rows.setdefault(number, (row.node, {}))[1]
            for place, cell in zip(screen.names or range(len(row.cells)), row.cells, strict=True):
                if cell is not None:
                    self.changed += place in cells and cells[place].text != cell.text
                    cells[place] = cell

    def give(self, so_far: PartialResult) -> None:
        """Put everything into the so_far, in the page's order."""
        places = sorted(self.names) if self.names is not None else range(len(so_far.columns))
        if self.names is not None:
            so_far.columns = unique_names([self.names[place] for place in places])
        rows = sorted(self.rows.items(), key=lambda item: item[0])
        so_far.rows[:] = [Row(node, [cells.get(place) for place in places]) for _, (node, cells) in rows]

    def blanks(self) -> list[str]:
        """Rows and cells that no screen showed."""
        numbers = sorted(self.rows)
        gaps = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
        width = len(self.names or ())
        lost = sum(len(cells) < width for _, cells in self.rows.values())
        return [
            *([f"{gaps:,} rows in between were not shown"] if gaps else []),
            *([f"{lost:,} rows were not shown with all columns"] if lost else []),
            *(
                [f"{self.changed:,} cells said something else when they were shown again"]
                if self.changed
                else []
            ),
        ]


@dataclass
class JoinedRows:
    """Rows without numbers: each screen continues those before where it says the same."""

    rows: list[Row] = field(default_factory=list)
    last: int = 0  # where the last screen begins among them
    _says: list[tuple[object, ...]] = field(default_factory=list)
    _tops: list[int] = field(default_factory=list)

    def add(self, screen: Screen, scope: Scope) -> bool:
        """Take what one screen shows; False where it has nothing in common with the rows before."""
        texts, tops = [says(row) for row in screen.rows], screen.tops(scope)
        place = self._place(texts, tops, [row.node for row in screen.rows]) if self.rows else 0
        joined = place is not None
        at = self.last = len(self.rows) if place is None else place
        self.rows[at:] = [*screen.rows, *self.rows[at + len(texts) :]]
        self._says[at:] = [*texts, *self._says[at + len(texts) :]]
        self._tops[at:] = [*tops, *self._tops[at + len(texts) :]]
        return joined

    def fill(self, height: int) -> bool:
        """Whether the rows fill a content of this height: at even distances, with no place for one more at either end.

        Texts may be less high than the rows that they stand in, so distances between tops count, or between rows.
        """
        if len(self.rows) < FEWEST:
            return False
        bottoms = [top + row.node.box.height for top, row in zip(self._tops, self.rows, strict=True)]
        steps = [after - before for before, after in pairwise(self._tops)]
        gaps = [after - before for before, after in zip(bottoms, self._tops[1:], strict=False)]
        even = any(max(each) - min(each) <= ROUNDING for each in (steps, gaps))
        step = min(steps)
        return even and step > 0 and self._tops[0] < step and 0 <= height - bottoms[-1] + ROUNDING < step

    def _place(
        self, texts: Sequence[tuple[object, ...]], tops: Sequence[int], nodes: Sequence[Node]
    ) -> int | None:
        """Where a screen's first row is among the rows so far."""
        found: list[tuple[int, int, int]] = []
        for at in range(len(self._says)):
            common = min(len(texts), len(self._says) - at)
            if self._says[at : at + common] == texts[:common]:
                found.append((abs(self._tops[at] - tops[0]), -common, at))
        best = min(found, default=None)
        if best is not None and (
            (len(found) == 1 and -best[1] >= FEWEST) or best[0] <= nodes[0].box.height / 2
        ):
            return best[2]
        return self._place_of_elements(tops, nodes)

    def _place_of_elements(self, tops: Sequence[int], nodes: Sequence[Node]) -> int | None:
        """The same where rows say something else by now: by elements that stay in their place."""
        known = {(row.node.ref, self._tops[at]): at for at, row in enumerate(self.rows)}
        for place, (node, top) in enumerate(zip(nodes, tops, strict=True)):
            at = known.get((node.ref, top))
            if at is not None and node.ref is not None:
                return at - place if at >= place else None
        return None
