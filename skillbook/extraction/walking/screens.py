"""Scrolled lists on one screen after another: its rows, their numbers, and all of them joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from skillbook.extraction.reading.plans import CollectionPlan, Plan
from skillbook.extraction.walking.partial_result import PartialResult, says
from skillbook.perception.collections import Cell, Row, unique_names
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.columns import FEWEST
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.page.page_rest import is_loading_text

WORTH = 40
"""Pixels that are worth scrolling: a wrapper may have fewer."""
_BUSY = int(State.BUSY)


@dataclass(frozen=True)
class Scope:
    """What scrolls around rows.

    ref: of the box; None for the main document.
    top, seen: where what is seen begins, in the coordinates of the rows' boxes, and its height.
    """

    ref: str | None
    top: int
    seen: int
    above: int
    height: int

    @property
    def at_end(self) -> bool:
        """Whether there is nothing further down."""
        return self.above + self.seen >= self.height - 2

    @property
    def origin(self) -> int:
        """Where the content begins, in the coordinates of the rows' boxes."""
        return self.top - self.above


def scopes_of(node: Node) -> list[Scope]:
    """What scrolls around a node, the innermost first; the last one is its document."""
    found = []
    columns = node.snapshot.columns
    document = columns.document_at(node.index)
    for up in node.ancestors:
        if columns.document_at(up.index) is not document:
            break
        if "scroll" in up.extra and up.ref:
            start, height, above, seen = up.extra["scroll"]
            found.append(Scope(up.ref, up.box.y + start + above, seen, above, height))
    owner = node.snapshot.nodes[document.owner].ref if document.owner is not None else None
    seen = document.viewport[1]
    found.append(Scope(owner, 0, seen, document.scroll[1], max(document.size[1], seen)))
    return found


@dataclass(frozen=True)
class Screen:
    """What there is at one moment.

    rows: in page order.
    numbers: of the rows, where the page gives each its own; else empty.
    names: of the columns by their numbers, where the page gives these and all columns are wanted; else None.
    scopes: what scrolls around the rows, the innermost first.
    faults: what of it is known to be missing or broken.
    """

    rows: Sequence[Row]
    numbers: Sequence[int]
    names: Mapping[int, str] | None
    scopes: Sequence[Scope]
    snapshot: Snapshot
    faults: Sequence[str] = ()

    @classmethod
    def of(cls, snapshot: Snapshot, plan: Plan) -> Screen | None:
        """What a plan reads of a snapshot; None where that is nothing."""
        names: Mapping[int, str] | None = None
        grid = plan.find(snapshot) if isinstance(plan, CollectionPlan) and plan.whole else None
        faults: list[str] = []
        if grid is not None and grid.places:
            rows, names = grid.rows, dict(zip(grid.places, grid.fields, strict=True))
            faults += grid.faults
        elif grid is not None and isinstance(plan, CollectionPlan):
            rows = plan.rows_of(grid)
            faults += [*grid.faults, *plan.lost_in(grid)]
        else:
            rows = plan.read(snapshot)
        if not rows:
            return None
        scopes = scopes_of(rows[len(rows) // 2].node)  # the first and last ones may be pinned
        numbers = [int(row.node.extra.get("posinset") or 0) for row in rows]
        if min(numbers) < 1 or len(set(numbers)) < len(numbers):
            numbers = [] if names is None else _numbers_by_place(rows, scopes)
        return cls(rows, numbers, names if numbers else None, scopes, snapshot, faults)

    def tops(self, scope: Scope) -> list[int]:
        """Where in the content each row begins."""
        return [row.node.box.y - scope.origin for row in self.rows]

    def is_rendered(self, scope: Scope) -> bool:
        """Whether rows fill what is seen, all have their cells, and none is still loading."""
        boxes = [row.node.box for row in self.rows]
        pitch = max(box.height for box in boxes)
        top, bottom = scope.top, scope.top + scope.seen
        filled = min(box.y for box in boxes) <= top + 2 * pitch or scope.above < 2 * pitch
        filled = filled and (max(box.y + box.height for box in boxes) >= bottom - pitch or scope.at_end)
        lines = [[cell.text for cell in row.cells if cell] for row in self.rows]
        blank = any(not any(texts) or any(map(is_loading_text, texts)) for texts in lines)
        busy = any(row.node.flags & _BUSY for row in self.rows)
        even = self.names is None or len({len(texts) for texts in lines}) == 1
        return filled and even and not blank and not busy

    def onward(self, scope: Scope) -> int:
        """How far to scroll so that the next rows come, and none is left out: to the last row that is there."""
        boxes = sorted((row.node.box for row in self.rows), key=lambda box: box.y)
        known = 1 if self.numbers else FEWEST
        edge = boxes[-known].y if len(boxes) > known else boxes[0].y + boxes[0].height // 2
        return max(edge - scope.top, scope.seen // 4, 1)


def _numbers_by_place(rows: Sequence[Row], scopes: Sequence[Scope]) -> list[int]:
    """Numbers of rows that are all equally high, by where in the content they are; else none."""
    scope = next((one for one in scopes if one.height - one.seen >= WORTH), None)
    tops = [row.node.box.y for row in rows]
    pitches = {after - before for before, after in pairwise(tops)}
    if scope is None or len(pitches) != 1 or (pitch := pitches.pop()) <= 0:
        return []
    return [(top - scope.origin + pitch // 4) // pitch + 1 for top in tops]


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
