"""Rows of what scrolls: read screen by screen with overlap, and joined.

A virtualised list or grid has only the rows around those that are seen, so jumping to its end loses the others. Rows
and columns that the page numbers (`aria-rowindex`, `aria-colindex`) are joined by their numbers, others by what they
say and by where in the content they are. What can't be joined, or was never shown, is reported.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from skillbook.errors import CommandTimeout
from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.reading.plans import CollectionPlan, Plan
from skillbook.extraction.walking.extract_options import Progress
from skillbook.extraction.walking.pagination import IDLE_SECONDS, SETTLE_SECONDS, Walked
from skillbook.extraction.walking.partial_result import PartialResult, says
from skillbook.extraction.walking.stop_rules import MET, Stop
from skillbook.perception.collections import Cell, Row, unique_names
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.page.unsettled import is_loading_text

_OVERLAP = 3  # rows that two screens have in common where nothing numbers them
_SURE = 3  # rows in common that show by themselves where a screen belongs
_WORTH = 40  # pixels
_QUIET_SECONDS = 0.4
_BUSY = int(State.BUSY)


@dataclass(frozen=True)
class Scope:
    """What scrolls around rows.

    Parameters
    ----------
    ref : of the box; None for the main document.
    top, seen : where what is seen begins, in the coordinates of the rows' boxes, and its height.
    above, height : how much of the content is above that, and all of it.
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

    Parameters
    ----------
    rows : in page order.
    numbers : of the rows, where the page gives each its own; else empty.
    names : of the columns by their numbers, where the page gives these and all columns are wanted; else None.
    scopes : what scrolls around the rows, the innermost first.
    snapshot : where that is.
    faults : what of it is known to be missing or broken.
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
        said = [[cell.text for cell in row.cells if cell] for row in self.rows]
        blank = any(not any(texts) or any(map(is_loading_text, texts)) for texts in said)
        busy = any(row.node.flags & _BUSY for row in self.rows)
        even = self.names is None or len({len(texts) for texts in said}) == 1
        return filled and even and not blank and not busy

    def onward(self, scope: Scope) -> int:
        """How far to scroll so that the next rows come, and none is left out: to the last row that is there."""
        boxes = sorted((row.node.box for row in self.rows), key=lambda box: box.y)
        known = 1 if self.numbers else _OVERLAP
        edge = boxes[-known].y if len(boxes) > known else boxes[0].y + boxes[0].height // 2
        return max(edge - scope.top, scope.seen // 4, 1)


def _numbers_by_place(rows: Sequence[Row], scopes: Sequence[Scope]) -> list[int]:
    """Numbers of rows that are all equally high, by where in the content they are; else none."""
    scope = next((one for one in scopes if one.height - one.seen >= _WORTH), None)
    tops = [row.node.box.y for row in rows]
    pitches = {after - before for before, after in pairwise(tops)}
    if scope is None or len(pitches) != 1 or (pitch := pitches.pop()) <= 0:
        return []
    return [(top - scope.origin + pitch // 4) // pitch + 1 for top in tops]


@dataclass
class NumberedRows:
    """Cells by the number of their row and of their column, over all screens."""

    rows: dict[int, tuple[Node, dict[int, Cell]]] = field(default_factory=dict)
    names: dict[int, str] | None = None
    changed: int = 0  # cells that said something else on another screen

    def add(self, screen: Screen) -> None:
        """Take what one screen shows; what was read later counts."""
        if screen.names is not None:
            self.names = {**(self.names or {}), **screen.names}
        for number, row in zip(screen.numbers, screen.rows, strict=True):
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
        told, tops = [says(row) for row in screen.rows], screen.tops(scope)
        place = self._place(told, tops, [row.node for row in screen.rows]) if self.rows else 0
        joined = place is not None
        at = self.last = len(self.rows) if place is None else place
        self.rows[at:] = [*screen.rows, *self.rows[at + len(told) :]]
        self._says[at:] = [*told, *self._says[at + len(told) :]]
        self._tops[at:] = [*tops, *self._tops[at + len(told) :]]
        return joined

    def _place(
        self, told: Sequence[tuple[object, ...]], tops: Sequence[int], nodes: Sequence[Node]
    ) -> int | None:
        """Where a screen's first row is among the rows so far."""
        found: list[tuple[int, int, int]] = []
        for at in range(len(self._says)):
            common = min(len(told), len(self._says) - at)
            if self._says[at : at + common] == told[:common]:
                found.append((abs(self._tops[at] - tops[0]), -common, at))
        best = min(found, default=None)
        if best is not None and (
            (len(found) == 1 and -best[1] >= _SURE) or best[0] <= nodes[0].box.height / 2
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


class Scroller:
    """Reads what a plan finds while it scrolls.

    Parameters
    ----------
    source, plan : the page, and what to read of it.
    so_far : takes the rows.
    claims : what the page claims to have (`claims_of`).
    max_screens : how often to scroll at most; None for as far as it goes.
    max_loads : how often the page may load more at its end; 0 where it isn't waited for.
    stop : when to stop before the end.
    wanted : the names of columns that are to be brought into view; empty for all.
    """

    def __init__(
        self,
        source: PageReading,
        plan: Plan,
        so_far: PartialResult,
        claims: Mapping[str, int],
        *,
        max_screens: int | None,
        max_loads: int,
        progress: Progress | None = None,
        stop: Stop | None = None,
        wanted: Sequence[str] = (),
    ) -> None:
        self.wanted = set(wanted)
        self.stop = stop or Stop()
        self.source, self.plan, self.so_far, self.claims = source, plan, so_far, claims
        self.max_screens, self.max_loads, self.progress = max_screens, max_loads, progress
        self.trouble: list[str] = []
        self.screens = self.loads = 0
        self.numbered = NumberedRows()
        self.joined = JoinedRows()
        self.depth: int | None = None  # which of the scopes is scrolled, 0 for the innermost

    async def read(self) -> Walked:
        """Read from top to bottom, once for each part of the columns; returns how that ended."""
        scope: Scope | None = None
        self.so_far.gather = self._give
        try:
            screen = await self._settled()
            while screen is not None:
                screen = await self._to_top(screen)
                scope = self._scope(screen)
                screen = await self._beside(screen, scope)
                before = len(self.numbered.names or ())
                limit = await self._downwards(screen)
                if limit:
                    more = "there may be more to scroll" if limit == MET else "there is more to scroll"
                    return Walked(limit, more, faults=self.trouble)
                names = self.numbered.names
                if names is None or not before < len(names) < self.claims.get("columns", 0):
                    break
                if self.wanted and self.wanted <= set(names.values()):
                    break
                screen = await self._sideways(scope)
        finally:
            self._give()
        if scope is not None:
            await self._scroll(scope, to="left")
            await self._scroll(scope, to="top")
        return Walked("it was scrolled to its end", faults=[*self.trouble, *self.numbered.blanks()])

    def _scope(self, screen: Screen) -> Scope:
        """What is scrolled: the innermost with more than a wrapper's few pixels to scroll, else the document."""
        if self.depth is None or self.depth >= len(screen.scopes):
            worth = (at for at, one in enumerate(screen.scopes) if one.height - one.seen >= _WORTH)
            self.depth = next(worth, len(screen.scopes) - 1)
        return screen.scopes[self.depth]

    def _give(self) -> None:
        if self.numbered.rows:
            self.numbered.give(self.so_far)
        elif self.joined.rows:
            self.so_far.rows[:] = self.joined.rows

    def _is_met(self, screen: Screen) -> bool:
        if self.stop.until is None:
            return False
        self._give()
        return self.stop.met(self.so_far.columns, self.so_far.rows, screen.snapshot)

    @property
    def _count(self) -> int:
        return len(self.numbered.rows) or len(self.joined.rows)

    def _take(self, screen: Screen) -> None:
        self.screens += 1
        self.trouble += screen.faults
        if screen.numbers and not self.joined.rows:
            self.numbered.add(screen)
            self._log(screen, screen.numbers)
        else:
            if not self.joined.add(screen, self._scope(screen)):
                self.trouble.append(
                    "two screens had no rows in common, so that rows may be missing in between"
                )
            at = self.joined.last
            self._log(screen, range(at, at + len(screen.rows)))
        if self.progress:
            self.progress(self.screens, self._count)

    def _log(self, screen: Screen, keys: Sequence[int]) -> None:
        if (log := self.so_far.log) is not None:
            columns = self.so_far.columns if screen.names is None else list(screen.names.values())
            log.add("screen", self.so_far.pages, columns, screen.rows, keys)

    async def _to_top(self, screen: Screen) -> Screen:
        if self._scope(screen).above <= 0:
            return screen
        await self._scroll(self._scope(screen), to="top")
        return await self._settled() or screen

    async def _downwards(self, screen: Screen) -> str:
        """Read all rows of the columns that are there; returns the limit that ended it, if one did."""
        self._take(screen)
        while True:
            scope = self._scope(screen)
            if (self.max_loads or not scope.at_end) and self._is_met(screen):
                return MET
            if self.max_screens is not None and self.screens >= self.max_screens:
                return "" if scope.at_end else f"max_pages={self.max_screens} was reached"
            if not scope.at_end:
                new = await self._onward(screen, scope)
            elif not self.max_loads or ("rows" in self.claims and self._count >= self.claims["rows"]):
                return ""
            else:
                new = await self._more(screen, scope)
                self.loads += new is not None
                if self.loads >= self.max_loads:
                    return f"max_pages={self.max_loads} was reached"
            if new is None:
                return ""
            screen = new

    async def _onward(self, screen: Screen, scope: Scope) -> Screen | None:
        """The next screen, its rows taken."""
        await self._scroll(scope, dy=screen.onward(scope))
        new = await self._settled()
        if new is None:
            self.trouble.append("the rows went away while they were scrolled")
            return None
        now = self._scope(new)
        if (now.above, now.height) == (scope.above, scope.height):
            self.trouble.append("it could not be scrolled further")
            return None
        self._take(new)
        return new

    async def _more(self, screen: Screen, scope: Scope) -> Screen | None:
        """What the page loads at its end, its rows taken; None where it came to rest without more."""
        await self._scroll(scope, to="bottom")
        deadline = time.monotonic() + SETTLE_SECONDS
        await self._idle()
        count = self._count
        while True:
            snapshot = await self.source.snapshot()
            new = Screen.of(snapshot, self.plan)
            if new is not None:
                if [says(row) for row in new.rows] != [says(row) for row in screen.rows]:
                    self._take(new)
                    screen = new
                if self._count > count or not self._scope(new).at_end:
                    return new
            if not await self.source.changed_since(snapshot, deadline - time.monotonic()):
                return None

    async def _beside(self, screen: Screen, scope: Scope) -> Screen:
        """The first screen to the right that has a wanted column which was not read yet; the same one if none has."""
        left = self.wanted - set((self.numbered.names or {}).values())
        at, known = screen, set(self.numbered.names or ())
        while left and at.names is not None and left.isdisjoint(at.names.values()):
            known |= set(at.names)
            further = await self._sideways(scope, known)
            if further is None:
                return screen
            at = further
        return at

    async def _sideways(self, scope: Scope, seen: Collection[int] = ()) -> Screen | None:
        """Scroll to columns that were not read yet; None where there are none."""
        known, before = {*(self.numbered.names or ()), *seen}, None
        for _ in range(self.claims.get("columns", 0)):
            screen = await self._settled()
            if screen is None or not screen.names:
                return None
            if set(screen.names) - known:
                return screen
            if _lefts(screen) == before:
                self.trouble.append("it could not be scrolled to its other columns")
                return None
            before = _lefts(screen)
            await self._scroll(scope, dx=max(_width(screen) // 2, 50))
        return None

    async def _scroll(self, scope: Scope, **how: object) -> None:
        await self.source.run("scroll", how if scope.ref is None else {"ref": scope.ref, **how})

    async def _idle(self) -> None:
        try:
            await self.source.wait_for(idle=True, timeout=IDLE_SECONDS)
        except CommandTimeout:
            pass  # some pages are never idle; whether rows are there is looked at next

    async def _settled(self) -> Screen | None:
        """The rows once they are rendered where the page was scrolled to; else as they are once the page rests."""
        deadline = time.monotonic() + SETTLE_SECONDS
        rested = False
        while True:
            snapshot = await self.source.snapshot()
            screen = Screen.of(snapshot, self.plan)
            if screen is not None and screen.is_rendered(self._scope(screen)):
                return screen
            left = deadline - time.monotonic()
            if await self.source.changed_since(snapshot, min(_QUIET_SECONDS, left)):
                continue
            if rested:
                return screen
            await self._idle()
            rested = True


def _width(screen: Screen) -> int:
    return max(row.node.box.width for row in screen.rows)


def _lefts(screen: Screen) -> list[int]:
    return [cell.node.box.x for cell in screen.rows[0].cells if cell and cell.node]
