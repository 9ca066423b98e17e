"""What a scrolled box shows at one moment: its rows, their numbers, and how far there is to scroll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from skillbook.extraction.reading.plans import CollectionPlan, Plan
from skillbook.perception.collections import Row
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.cards import FEWEST
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
