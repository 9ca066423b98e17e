"""Rows of what scrolls: read screen by screen with overlap, and joined.

A virtualised list or grid has only the rows around those that are seen, so jumping to its end loses the others. Rows
and columns that the page numbers (`aria-rowindex`, `aria-colindex`) are joined by their numbers, others by what they
say and by where in the content they are. What can't be joined, or was never shown, is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.reading.plans import Plan
from skillbook.extraction.walking.extract_options import MET, Progress, Stop
from skillbook.extraction.walking.nothing_found import answer_failed, new_message_in
from skillbook.extraction.walking.pagination import Walked
from skillbook.extraction.walking.partial_result import PartialResult, says
from skillbook.extraction.walking.screens import ROUNDING, WORTH, JoinedRows, NumberedRows, Scope, Screen
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.collections import Row
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActRequests
from skillbook.session.page.page_rest import Looking

_JUMPS = 8  # scrolls to a row, each nearer than the one before


class Scroller:
    """Reads what a plan finds while it scrolls.

    so_far: takes the rows.
    max_screens: how often to scroll at most; None for as far as it goes.
    max_loads: how often the page may load more at its end; 0 where it isn't waited for.
    stop: when to stop before the end.
    wanted: the names of columns that are to be brought into view; empty for all.
    rows: which rows are to be brought into view, by their places among all; None for all.
    seen: gets each screen with its rows.
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
        rows: range | None = None,
        seen: Callable[[Snapshot, Sequence[Row]], None] | None = None,
    ) -> None:
        self.seen = seen
        self.wanted, self.rows = set(wanted), rows
        self.stop = stop or Stop()
        self.source, self.plan, self.so_far, self.claims = source, plan, so_far, claims
        self.max_screens, self.max_loads, self.progress = max_screens, max_loads, progress
        self.trouble: list[str] = []
        self.requests = ActRequests(0, 0.0)
        self.tried_again = False
        self.screens = self.loads = self.loads_above = 0
        self.numbered = NumberedRows()
        self.joined = JoinedRows()
        self.last_scope: Scope | None = None  # as it was when rows were last taken
        self.depth: int | None = None  # which of the scopes is scrolled, 0 for the innermost

    async def read(self) -> Walked:
        """Read from top to bottom, once for each part of the columns; returns how that ended."""
        with self.source.acts.reading(scrolls=True) as self.requests:
            walked = await self._read()
            failed = answer_failed(self.requests)
        return replace(walked, failed=[] if failed is None else [failed.why])

    async def _read(self) -> Walked:
        scope: Scope | None = None
        self.so_far.gather = self._give
        try:
            screen = await self._settled()
            if screen is not None:
                screen = await self._to_left(screen)
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
        faults = [*self.trouble, *self.numbered.blanks()]
        return Walked(
            "it was scrolled to its end", faults=faults, fills_room=not faults and self._fills_room()
        )

    def _fills_room(self) -> bool:
        """Whether rows without numbers were read from the first pixel of what scrolls to the last one."""
        return (
            self.last_scope is not None
            and self.last_scope.at_end
            and self.joined.fill(self.last_scope.height)
        )

    def _scope(self, screen: Screen) -> Scope:
        """What is scrolled: the innermost with more than a wrapper's few pixels to scroll, else the document."""
        if self.depth is None or self.depth >= len(screen.scopes):
            worth = (at for at, one in enumerate(screen.scopes) if one.height - one.seen >= WORTH)
            self.depth = next(worth, len(screen.scopes) - 1)
        return screen.scopes[self.depth]

    def _give(self) -> None:
        if self.numbered.rows:
            self.numbered.give(self.so_far)
        elif self.joined.rows:
            wanted = self.rows or range(len(self.joined.rows))
            self.so_far.rows[:] = self.joined.rows[wanted.start : wanted.stop]
        elif self.rows:
            self.so_far.rows[:] = []

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
        self.last_scope = self._scope(screen)
        self.trouble += screen.faults
        if self.seen is not None:
            self.seen(screen.snapshot, screen.rows)
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
        """The first screen; a list that loads more above it while it is scrolled there grows until it doesn't."""
        while (scope := self._scope(screen)).above > ROUNDING:
            await self._scroll(scope, to="top")
            await self.source.settled("rest", CAUSE_SECONDS)
            found = await self._settled()
            if found is None:
                break
            screen, now = found, self._scope(found)
            if now.above <= ROUNDING and now.height <= scope.height:
                break
            self.loads_above += 1
            if now.height <= scope.height or (self.max_loads and self.loads_above >= self.max_loads):
                self.trouble.append("there is more above the first rows")
                break
        return screen

    async def _to_left(self, screen: Screen) -> Screen:
        """The screen with the first columns: somebody may have scrolled past them, and from here on it goes right."""
        if not screen.names or len(screen.names) >= self.claims.get("columns", 0):
            return screen
        await self._scroll(self._scope(screen), to="left")
        return await self._settled() or screen

    async def _downwards(self, screen: Screen) -> str:
        """Read all rows of the columns that are there; returns the limit that ended it, if one did."""
        if self.rows and screen.numbers:
            first = min(screen.numbers)
            self.numbered.wanted = range(first + self.rows.start, first + self.rows.stop)
            screen = await self._to_row(screen, self.numbered.wanted.start)
        self._take(screen)
        while True:
            if self._has_wanted(screen):
                return ""
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
                if new is None and self.requests.only_reads and not self.tried_again:
                    # A list that asks for more where its end comes into view asks once more.
                    self.tried_again = True
                    await self._scroll(scope, dy=-scope.seen)
                    new = await self._more(screen, scope)
                if new is None and (error := new_message_in(await self.source.snapshot(), screen.snapshot)):
                    self.trouble.append(error)
                self.loads += new is not None
                if self.loads >= self.max_loads:
                    return f"max_pages={self.max_loads} was reached"
            if new is None:
                return ""
            screen = new

    def _has_wanted(self, screen: Screen) -> bool:
        """Whether the last one of the rows that are wanted was read."""
        if self.rows is None:
            return False
        if self.numbered.wanted is not None:
            return max(screen.numbers, default=0) >= self.numbered.wanted.stop - 1
        return len(self.joined.rows) >= self.rows.stop

    async def _to_row(self, screen: Screen, number: int) -> Screen:
        """Scroll to a row, by how high the rows are that are seen; rows may differ in height, so look again."""
        for _ in range(_JUMPS):
            scope, tops = self._scope(screen), screen.tops(self._scope(screen))
            near = min(range(len(tops)), key=lambda at: abs(screen.numbers[at] - number))
            numbers, ends = sorted(screen.numbers), (min(tops), max(tops))
            if number in numbers:
                return screen
            pitch = (ends[1] - ends[0]) / max(numbers[-1] - numbers[0], 1) or screen.rows[0].node.box.height
            way = tops[near] + round((number - screen.numbers[near]) * pitch) - scope.above
            await self._scroll(scope, dy=way)
            new = await self._settled()
            if new is None or not new.numbers or new.numbers == screen.numbers:
                break
            screen = new
        return screen if min(screen.numbers) <= number else await self._to_top(screen)

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
        looking = Looking(self.source, CAUSE_SECONDS)
        answer = await self.source.settled("rest", CAUSE_SECONDS)
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
            if not await looking.again(snapshot):
                self.trouble += [answer.why] if answer.why else []
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
            await self._scroll(scope, dx=max(max(row.node.box.width for row in screen.rows) // 2, 50))
        return None

    async def _scroll(self, scope: Scope, **how: object) -> None:
        await self.source.run("scroll", how if scope.ref is None else {"ref": scope.ref, **how})

    async def _settled(self) -> Screen | None:
        """The rows once they are rendered where the page was scrolled to; else as they are once the page rests."""
        looking = Looking(self.source, CAUSE_SECONDS)
        while True:
            snapshot = await self.source.snapshot()
            screen = Screen.of(snapshot, self.plan)
            if screen is not None and screen.is_rendered(self._scope(screen)):
                return screen
            if not await looking.again(snapshot):
                return screen


def _lefts(screen: Screen) -> list[int]:
    return [cell.node.box.x for cell in screen.rows[0].cells if cell and cell.node]
