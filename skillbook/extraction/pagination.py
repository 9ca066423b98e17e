"""Rows of several pages: walking from one to the next."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from skillbook.errors import CommandTimeout, NotActionable
from skillbook.extraction.completeness import Completeness
from skillbook.extraction.pagers import find_next
from skillbook.extraction.row_log import RowLog
from skillbook.extraction.source import PageReading
from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot

Progress = Callable[[int, int], object]
Read = Callable[[Snapshot], Awaitable[Sequence[Row]]]

SETTLE_SECONDS = 5.0
IDLE_SECONDS = 10.0


@dataclass
class Harvest:
    """Rows as they come in; what there is stays there when something fails.

    A page that shows the rows before it and more (a list that grows) adds only what is new; a page that was seen
    before adds nothing; otherwise rows are kept even if they say the same.

    Attributes
    ----------
    saw_again, saw_last_again : the last rows given were those of an earlier page, or of the page before.
    grew : the page showed the rows before them too.
    log : where rows are kept while they are read; None for nowhere.
    interrupted : gives the page as far as it was read, where that was in blocks and something stopped it.
    """

    rows: list[Row] = field(default_factory=list)
    pages: int = 0
    columns: Sequence[str] = ()
    saw_again: bool = False
    saw_last_again: bool = False
    grew: bool = False
    log: RowLog | None = None
    interrupted: Callable[[], Snapshot | None] = lambda: None
    _seen: set[tuple[object, ...]] = field(default_factory=set)
    _says: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, rows: Sequence[Row]) -> int:
        """Take a page's rows; returns how many are new."""
        texts = [says(row) for row in rows]
        whole = tuple(texts)
        self.saw_again = bool(rows) and whole in self._seen
        self.saw_last_again = bool(rows) and texts == self._says
        if not rows or self.saw_again:
            return 0
        self._seen.add(whole)
        known = len(self._says)
        self.grew = bool(self._says) and known <= len(texts) and texts[:known] == self._says
        fresh = rows[known:] if self.grew else rows
        self._says = texts
        self.rows += fresh
        self.pages += 1
        if self.log is not None:
            end = len(self.rows)
            self.log.add("page", self.pages, self.columns, fresh, range(end - len(fresh), end))
        return len(fresh)

    def end(self, completeness: Completeness) -> str:
        """The reading is over; returns what names it."""
        if self.log is None:
            return ""
        self.log.end(completeness)
        return self.log.run

    def restart(self) -> None:
        """Take the rows there are for one page's, after it was scrolled."""
        self._says = [says(row) for row in self.rows]
        self._seen = {tuple(self._says)}


def says(row: Row) -> tuple[object, ...]:
    """What a row says, to compare it with others."""
    return tuple(cell and (cell.text, cell.href) for cell in row.cells)


@dataclass(frozen=True)
class Walked:
    """How a walk over pages ended.

    Parameters
    ----------
    stopped : why no more was read.
    more : what shows that there is more; empty where nothing does.
    page : the number of the page that is open now; 0 where the first one grew.
    faults : what is known to be missing or broken in what was read.
    """

    stopped: str
    more: str = ""
    page: int = 0
    faults: Sequence[str] = ()


async def walk_pages(
    source: PageReading,
    read: Read,
    harvest: Harvest,
    snapshot: Snapshot,
    shown: Sequence[Row],
    following: str | bool,
    max_pages: int,
    progress: Progress | None,
) -> Walked:
    """Go to the next page as long as there is one that says something new.

    Parameters
    ----------
    read : reads a page's rows.
    snapshot, shown : the first page as it is now, and its rows.

    Raises
    ------
    AmbiguousMatch : the selector of the way to the next page names several elements.
    """
    visited = 1
    while True:
        at = 0 if harvest.grew or visited == 1 else visited
        way = find_next(snapshot, following, shown, visited)
        if way.control is None or way.control.ref is None:
            return Walked(way.why, way.doubt, at)
        if visited >= max_pages:
            return Walked(f"max_pages={max_pages} was reached", "there is a next page", at)
        try:
            await source.act("click", way.control.ref)
        except NotActionable as error:
            why = "the way to the next page could not be used"
            return Walked(why, clean(error.message).rstrip("."), at)
        new = await _after(source, read, harvest)
        if new is None:
            return _without_new_rows(harvest, visited)
        snapshot, shown = new
        visited += 1
        if progress:
            progress(visited, len(harvest.rows))


def _without_new_rows(harvest: Harvest, visited: int) -> Walked:
    """What it means that the next page showed no rows that are new."""
    if not harvest.saw_again:
        return Walked("the next page showed no rows", "a next page was opened and showed none", visited + 1)
    if harvest.saw_last_again:
        more = "" if harvest.grew else "the way to the next page was there, and showed the same rows again"
        return Walked("the next page showed the same rows", more, visited if visited > 1 else 0)
    return Walked("the next page was one that was read before")


async def _after(source: PageReading, read: Read, harvest: Harvest) -> tuple[Snapshot, Sequence[Row]] | None:
    """The page, and its rows, once it shows new ones; None where it came to rest without any."""
    deadline = time.monotonic() + SETTLE_SECONDS
    try:
        await source.wait_for(idle=True, timeout=IDLE_SECONDS)
    except CommandTimeout:
        pass  # some pages are never idle; whether new rows are there is looked at below
    snapshot = await source.snapshot()
    while not harvest.add(rows := await read(snapshot)):
        if not await source.changed_since(snapshot, deadline - time.monotonic()):
            return None
        snapshot = await source.snapshot()
    # The rows may have been scrolled to; what leads on stands beside those of one snapshot.
    same = [row for row in rows if row.node.snapshot is snapshot]
    return snapshot, same
