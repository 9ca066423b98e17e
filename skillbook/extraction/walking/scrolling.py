"""Rows of what scrolls: read screen by screen with overlap, and joined.

A virtualised list or grid has only the rows around those that are seen, so jumping to its end loses the others. Rows
and columns that the page numbers (`aria-rowindex`, `aria-colindex`) are joined by their numbers, others by what they
say and by where in the content they are. What can't be joined, or was never shown, is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from skillbook.extraction.walking.extract_options import MET
from skillbook.extraction.walking.nothing_found import new_message_in
from skillbook.extraction.walking.partial_result import says
from skillbook.extraction.walking.screens import ROUNDING, WORTH, JoinedRows, NumberedRows, Scope, Screen
from skillbook.extraction.walking.walk import Walk, Walked
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.collections import Row
from skillbook.perception.snapshot import Snapshot


@dataclass(kw_only=True)
class Scroll(Walk):
    """Scrolls from top to bottom, and takes each screen; once for each part of the columns.

    Where pages are turned as well, each is scrolled as far as it goes, and isn't waited for at its end.

    claims: what the page claims to have of the rows.
    seen: gets each screen with its rows.
    """

    claims: Mapping[str, int]
    seen: Callable[[Snapshot, Sequence[Row]], None]
    scrolls: ClassVar[bool] = True
    _screen: Screen | None = None
    _screens: int = 0
    _loads: int = 0
    _loads_above: int = 0
    _tried_again: bool = False
    _numbered: NumberedRows = field(default_factory=NumberedRows)
    _joined: JoinedRows = field(default_factory=JoinedRows)
    _names_before: int = 0  # of columns, when this part of them was begun
    _began: Scope | None = None  # as it was then
    _last: Scope | None = None  # as it was when rows were last taken
    _depth: int | None = None  # which of the scopes is scrolled, 0 for the innermost

    def __post_init__(self) -> None:
        options = self.options
        self.wanted, self.rows = set(options.columns), options.rows
        self.max_loads = 0 if options.next else options.limit
        self.max_screens = None if options.next else options.max_pages

    async def run(self) -> Walked:
        """Go on to the end; what was read is among the rows then, also if something fails."""
        self.so_far.gather = self._give
        try:
            return await super().run()
        finally:
            self._give()

    async def go_on(self) -> Walked | None:
        """Take the next screen: what is below, what the page loads at its end, or its other columns."""
        if (screen := self._screen) is not None:
            if limit := self._limit(screen):
                return Walked(
                    limit, "there may be more to scroll" if limit == MET else "there is more to scroll"
                )
            self._screen = await self._below(screen) or await self._other_columns()
        elif (first := await self._settled()) is not None:
            self._screen = await self._begin(await self._to_left(first))
        return None if self._screen else await self._end()

    def _limit(self, screen: Screen) -> str:
        """Why no more is to be read, though there may be more; "" for no such reason."""
        at_end = self._scope(screen).at_end
        if self.max_loads and self._loads >= self.max_loads:
            return self.limited
        if self._has_wanted(screen):
            return ""
        if (self.max_loads or not at_end) and self.is_met(screen.snapshot):
            return MET
        return self.limited if self._has_all_screens() and not at_end else ""

    def _has_all_screens(self) -> bool:
        return self.max_screens is not None and self._screens >= self.max_screens

    async def _end(self) -> Walked:
        if (scope := self._began) is not None:
            await self._scroll(scope, to="left")
            await self._scroll(scope, to="top")
        self.faults += self._numbered.blanks()
        # Rows without numbers were read from the first pixel of what scrolls to the last one.
        fills = self._last is not None and self._last.at_end and self._joined.fill(self._last.height)
        return Walked("it was scrolled to its end", fills_room=fills and not self.faults)

    def _scope(self, screen: Screen) -> Scope:
        """What is scrolled: the innermost with more than a wrapper's few pixels to scroll, else the document."""
        if self._depth is None or self._depth >= len(screen.scopes):
            worth = (at for at, one in enumerate(screen.scopes) if one.height - one.seen >= WORTH)
            self._depth = next(worth, len(screen.scopes) - 1)
        return screen.scopes[self._depth]

    def _give(self) -> None:
        if self._numbered.rows:
            self._numbered.give(self.so_far)
        elif self._joined.rows or self.rows:
            wanted = self.rows or range(len(self._joined.rows))
            self.so_far.rows[:] = self._joined.rows[wanted.start : wanted.stop]

    def is_met(self, snapshot: Snapshot) -> bool:
        """Whether enough was read; where pages are turned as well, each is read to its end."""
        if self.options.next or self.options.until is None:
            return False
        self._give()
        return super().is_met(snapshot)

    @property
    def _count(self) -> int:
        return len(self._numbered.rows) or len(self._joined.rows)

    def _take(self, screen: Screen) -> None:
        self._screens += 1
        self._last = scope = self._scope(screen)
        self.faults += screen.faults
        self.seen(screen.snapshot, screen.rows)
        keys: Sequence[int] = screen.numbers
        if keys and not self._joined.rows:
            self._numbered.add(screen)
        else:
            if not self._joined.add(screen, scope):
                self.faults.append(
                    "two screens had no rows in common, so that rows may be missing in between"
                )
            keys = range(self._joined.last, self._joined.last + len(screen.rows))
        if (log := self.so_far.log) is not None:
            columns = self.so_far.columns if screen.names is None else list(screen.names.values())
            log.add("screen", self.so_far.pages, columns, screen.rows, keys)
        self.report(self._screens, self._count)

    async def _begin(self, screen: Screen) -> Screen:
        """The first screen of the columns that are there, its rows taken."""
        screen = await self._to_top(screen)
        self._began = self._scope(screen)
        screen = await self._beside(screen, self._began)
        self._names_before = len(self._numbered.names or ())
        if self.rows and screen.numbers:
            first = min(screen.numbers)
            self._numbered.wanted = range(first + self.rows.start, first + self.rows.stop)
            screen = await self._to_row(screen, self._numbered.wanted.start)
        self._take(screen)
        return screen

    async def _other_columns(self) -> Screen | None:
        """The first screen of further columns, its rows taken; None where none are wanted."""
        names = self._numbered.names
        if names is None or not self._names_before < len(names) < self.claims.get("columns", 0):
            return None
        if self._began is None or (self.wanted and self.wanted <= set(names.values())):
            return None
        screen = await self._sideways(self._began)
        return screen and await self._begin(screen)

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
            self._loads_above += 1
            if now.height <= scope.height or (self.max_loads and self._loads_above >= self.max_loads):
                self.faults.append("there is more above the first rows")
                break
        return screen

    async def _to_left(self, screen: Screen) -> Screen:
        """The screen with the first columns: somebody may have scrolled past them, and from here on it goes right."""
        if not screen.names or len(screen.names) >= self.claims.get("columns", 0):
            return screen
        await self._scroll(self._scope(screen), to="left")
        return await self._settled() or screen

    async def _below(self, screen: Screen) -> Screen | None:
        """What comes below, its rows taken; None where that is nothing, or nothing that is wanted."""
        scope = self._scope(screen)
        if self._has_wanted(screen):
            return None
        if not scope.at_end:
            return await self._onward(screen, scope)
        has_all = "rows" in self.claims and self._count >= self.claims["rows"]
        if not self.max_loads or has_all or self._has_all_screens():
            return None
        new = await self._more(screen, scope)
        if new is None and self.requests.only_reads and not self._tried_again:
            # A list that asks for more where its end comes into view asks once more.
            self._tried_again = True
            await self._scroll(scope, dy=-scope.seen)
            new = await self._more(screen, scope)
        if new is None and (error := new_message_in(await self.source.snapshot(), screen.snapshot)):
            self.faults.append(error)
        self._loads += new is not None
        return new

    def _has_wanted(self, screen: Screen) -> bool:
        """Whether the last one of the rows that are wanted was read."""
        if self.rows is None:
            return False
        if self._numbered.wanted is not None:
            return max(screen.numbers, default=0) >= self._numbered.wanted.stop - 1
        return len(self._joined.rows) >= self.rows.stop

    async def _to_row(self, screen: Screen, number: int) -> Screen:
        """Scroll to a row, by how high those are that are seen; they may differ in height, so again while it nears."""
        away = float("inf")
        while (
            number not in screen.numbers
            and (now := min(abs(each - number) for each in screen.numbers)) < away
        ):
            away, scope, tops = now, self._scope(screen), screen.tops(self._scope(screen))
            near = min(range(len(tops)), key=lambda at: abs(screen.numbers[at] - number))
            rows = max(max(screen.numbers) - min(screen.numbers), 1)
            pitch = (max(tops) - min(tops)) / rows or screen.rows[0].node.box.height
            way = tops[near] + round((number - screen.numbers[near]) * pitch) - scope.above
            await self._scroll(scope, dy=way)
            new = await self._settled()
            if new is None or not new.numbers:
                break
            screen = new
        return screen if min(screen.numbers) <= number else await self._to_top(screen)

    async def _onward(self, screen: Screen, scope: Scope) -> Screen | None:
        """The next screen, its rows taken."""
        await self._scroll(scope, dy=screen.onward(scope))
        new = await self._settled()
        if new is None:
            self.faults.append("the rows went away while they were scrolled")
            return None
        now = self._scope(new)
        if (now.above, now.height) == (scope.above, scope.height):
            self.faults.append("it could not be scrolled further")
            return None
        self._take(new)
        return new

    async def _more(self, screen: Screen, scope: Scope) -> Screen | None:
        """What the page loads at its end, its rows taken; None where it came to rest without more."""
        await self._scroll(scope, to="bottom")
        count, before = self._count, [says(row) for row in screen.rows]

        async def more(snapshot: Snapshot) -> Screen | None:
            nonlocal before
            if (new := Screen.of(snapshot, self.plan)) is None:
                return None
            if (now := [says(row) for row in new.rows]) != before:
                self._take(new)
                before = now
            return new if self._count > count or not self._scope(new).at_end else None

        _, new, why = await self.look(more)
        self.faults += [why] if why and new is None else []
        return new

    async def _beside(self, screen: Screen, scope: Scope) -> Screen:
        """The first screen to the right that has a wanted column which was not read yet; the same one if none has."""
        left = self.wanted - set((self._numbered.names or {}).values())
        at, known = screen, set(self._numbered.names or ())
        while left and at.names is not None and left.isdisjoint(at.names.values()):
            known |= set(at.names)
            further = await self._sideways(scope, known)
            if further is None:
                return screen
            at = further
        return at

    async def _sideways(self, scope: Scope, seen: Collection[int] = ()) -> Screen | None:
        """Scroll to columns that were not read yet; None where there are none."""
        known, before = {*(self._numbered.names or ()), *seen}, None
        for _ in range(self.claims.get("columns", 0)):
            screen = await self._settled()
            if screen is None or not screen.names:
                return None
            if set(screen.names) - known:
                return screen
            if _lefts(screen) == before:
                self.faults.append("it could not be scrolled to its other columns")
                return None
            before = _lefts(screen)
            await self._scroll(scope, dx=max(max(row.node.box.width for row in screen.rows) // 2, 50))
        return None

    async def _scroll(self, scope: Scope, **how: object) -> None:
        await self.source.run("scroll", how if scope.ref is None else {"ref": scope.ref, **how})

    async def _settled(self) -> Screen | None:
        """The rows once they are rendered where the page was scrolled to; else as they are once the page rests."""

        async def rendered(snapshot: Snapshot) -> Screen | None:
            screen = Screen.of(snapshot, self.plan)
            return screen if screen is not None and screen.is_rendered(self._scope(screen)) else None

        snapshot, screen, _ = await self.look(rendered, at_once=True)
        return screen or Screen.of(snapshot, self.plan)


def _lefts(screen: Screen) -> list[int]:
    return [cell.node.box.x for cell in screen.rows[0].cells if cell and cell.node]
