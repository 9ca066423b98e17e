"""Rows of several pages: walking from one to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from skillbook.errors import NotActionable
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.walking.extract_options import MET, Pace, Progress, Stop
from skillbook.extraction.walking.nothing_found import (
    Obstacle,
    answer_failed,
    busy_message_in,
    has_password_field,
    new_message_in,
    obstacle_on,
)
from skillbook.extraction.walking.page_numbers import current_among, numbers_near, pages_left_out
from skillbook.extraction.walking.pagers import BY_CONTROL, PagerLink, find_next, pages_before
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActRequests
from skillbook.session.page.page_rest import Looking

Read = Callable[[Snapshot], Awaitable[Sequence[Row]]]


@dataclass(frozen=True)
class Walked:
    """How a walk over pages ended.

    stopped: why no more was read.
    more: what shows that there is more; empty where nothing does.
    page: the number of the page that is open now; 0 where the first one grew.
    faults: what is known to be missing or broken in what was read.
    failed: which requests of it failed, in words; None where it sent none.
    fills_room: the rows fill all the room that the page keeps for them, whatever was estimated before.
    """

    stopped: str
    more: str = ""
    page: int = 0
    faults: Sequence[str] = ()
    failed: Sequence[str] | None = None
    fills_room: bool = False


@dataclass
class PageWalk:
    """Goes to the next page as long as there is one that says something new.

    following: the selector of the way to the next page; True to find it.
    progress: called with pages and rows so far.
    stop: when to stop before the last page.
    pace: how long to rest between pages.
    crops: takes screenshots of each page's rows.
    """

    source: PageReading
    read: Read
    so_far: PartialResult
    following: str | bool
    max_pages: int
    progress: Progress | None = None
    stop: Stop = field(default_factory=Stop)
    pace: Pace = field(default_factory=Pace)
    crops: KeptCrops | None = None
    _visited: int = 1
    _waited: int = 0
    _tried: int = 0
    _was_signed_in: bool = True
    _unsettled: list[str] = field(default_factory=list)

    async def go(self, snapshot: Snapshot, shown: Sequence[Row]) -> Walked:
        """Walk from a page that was read.

        Raises AmbiguousMatch: the selector of the way to the next page names several elements.
        """
        with self.source.acts.reading() as requests:
            walked = await self._go(snapshot, shown, requests)
            failed = answer_failed(requests)
        faults = [*walked.faults, *self._unsettled]
        return replace(walked, failed=[] if failed is None else [failed.why], faults=faults)

    async def _go(self, snapshot: Snapshot, shown: Sequence[Row], requests: ActRequests) -> Walked:
        so_far = self.so_far
        self._was_signed_in = not has_password_field(snapshot)
        while True:
            at = 0 if so_far.grew or self._visited == 1 else self._visited
            link = find_next(snapshot, self.following, shown, self._visited)
            if not link.leads_on:
                return Walked(link.why, link.doubt, at)
            if self.stop.met(so_far.columns, so_far.rows, snapshot):
                return Walked(MET, "there is a next page", at)
            if self._visited >= self.max_pages:
                return Walked(f"max_pages={self.max_pages} was reached", "there is a next page", at)
            so_far.awaits = f"page {self._visited + 1}"
            await self.pace.rest_on(snapshot)
            try:
                await self._follow(link)
            except NotActionable as error:
                why = "the way to the next page could not be used"
                return Walked(why, clean(error.message).rstrip("."), at)
            found = await self._after(snapshot)
            if not isinstance(found, tuple | Snapshot) and await self._tries_again(requests):
                found = await self.source.snapshot()
            if isinstance(found, Obstacle):
                number = self._visited + 1
                return Walked(found.why, f"page {number} could not be read", number)
            if isinstance(found, Snapshot):  # the page it was before, after a wait
                snapshot, shown = found, await self.read(found)
                continue
            if found is None:
                here = await self.source.snapshot()
                is_there = find_next(here, self.following, await self.read(here), self._visited).leads_on
                return _without_new_rows(so_far, self._visited, is_there)
            left = _Stand.of(snapshot, shown)
            snapshot, shown = found
            self._visited += 1
            self._waited = 0
            so_far.awaits = ""
            if self.crops is not None:
                await self.crops.take(self.source, shown)
            if jumped := _jumped(left, _Stand.of(snapshot, shown), self._visited):
                return jumped
            if self.progress:
                self.progress(self._visited, len(so_far.rows))

    async def to_first(self, snapshot: Snapshot, shown: Sequence[Row]) -> tuple[Snapshot, str]:
        """Go back to the first page of the list; gives the page that is open then, and what lies before it still.

        So far only the page that is open was given to `so_far`, which is not that of the reading.
        """
        self._was_signed_in = not has_password_field(snapshot)
        for _ in range(self.max_pages):
            before = pages_before(snapshot, shown)
            if before.control is None:
                return snapshot, before.doubt
            await self.pace.rest_on(snapshot)
            try:
                await self._follow(before)
            except NotActionable:
                return await self.source.snapshot(), before.doubt
            found = await self._after(snapshot)
            if not isinstance(found, tuple):
                # A script's control that leads nowhere is how a pager looks on its first page.
                is_first = found is None and self.so_far.saw_last_again and before.why == BY_CONTROL
                return await self.source.snapshot(), "" if is_first else before.doubt
            snapshot, shown = found
        return snapshot, pages_before(snapshot, shown).doubt

    async def _follow(self, link: PagerLink) -> None:
        if link.control is None:
            await self.source.act("goto", url=link.address)
        else:
            await self.source.act("click", link.control.ref)

    async def _after(self, before: Snapshot) -> tuple[Snapshot, Sequence[Row]] | Snapshot | Obstacle | None:
        """The page and its rows, once it shows new ones.

        None where it came to rest without any; the page alone where the way on is there to be tried again after the
        page had asked to wait.
        """
        documents = {document.key for document in before.documents}
        while True:
            looking = Looking(self.source, CAUSE_SECONDS)
            answer = await self.source.settled("rest", CAUSE_SECONDS)
            snapshot = await self.source.snapshot()
            while True:
                is_new = snapshot.main.key not in documents
                obstacle = await obstacle_on(self.source, snapshot, self._was_signed_in, is_new=is_new)
                rows: Sequence[Row] = ()
                if obstacle is None and self.so_far.add(rows := await self.read(snapshot)):
                    self._unsettled += [f"page {self._visited + 1}: {answer.why}"] if answer.why else []
                    # The rows may have been scrolled to; what leads on stands beside those of one snapshot.
                    return snapshot, [row for row in rows if row.node.snapshot is snapshot]
                if obstacle is not None or not await looking.again(snapshot):
                    break
                snapshot = await self.source.snapshot()
            obstacle = obstacle or busy_message_in(snapshot)
            if obstacle is None and (error := new_message_in(snapshot, before) or answer.why):
                obstacle = Obstacle(error)
            if obstacle is None:
                return None
            if not await self._wait(obstacle):
                return obstacle
            if not is_new:
                return await self.source.snapshot()
            # Another GET: sending a form again is never done unasked.
            await self.source.act("goto", url=snapshot.url)

    async def _tries_again(self, requests: ActRequests) -> bool:
        """Whether the same may be done again: once after a GET failed, as often as waiting allows after "too many"."""
        failed = answer_failed(requests)
        if failed is None or not requests.only_reads:
            return False
        if failed.is_busy:
            return await self._wait(failed)
        if self._tried == self._visited:
            return False
        self._tried = self._visited
        self.so_far.notes.append(f"tried page {self._visited + 1} again: {failed.why}")
        return True

    async def _wait(self, obstacle: Obstacle) -> bool:
        """Wait as long as the site asks for; False where that isn't to be waited for."""
        seconds = obstacle.seconds_to_wait(self._waited)
        if seconds is None:
            return False
        self.so_far.notes.append(f"waited {seconds:g} s before page {self._visited + 1}: {obstacle.why}")
        self._waited += 1
        self.so_far.awaits = f"page {self._visited + 1}, {seconds:g} s: {obstacle.why}"
        await asyncio.sleep(seconds)
        return True


@dataclass(frozen=True)
class _Stand:
    """Where in its list a page says that it is: by its pager's current number, the numbers there, and its address."""

    number: int | None
    least: int | None
    url: str

    @classmethod
    def of(cls, snapshot: Snapshot, rows: Sequence[Row]) -> _Stand:
        pager, there = numbers_near(snapshot, rows)
        least = min((number for _, number in there), default=None)
        return cls(current_among(pager, there), least, snapshot.url)


def _jumped(before: _Stand, now: _Stand, visited: int) -> Walked | None:
    """What it means that the number of the page rose by more than one: by the pager, else by the address."""
    led, left_out = "", ""
    if before.number is not None and now.number is not None:
        if now.number > before.number + 1:
            led = f"from page {before.number} to {now.number}"
            left_out = f"the pages between {before.number} and {now.number} were not read"
    elif count := pages_left_out(before.url, now.url):
        led, left_out = f"past {count:,} pages, by the address", f"{count:,} pages in between were not read"
    elif now.number is None and now.least is not None and now.least > visited:
        led = f"to a pager that begins with page {now.least}"
        left_out = f"page {visited} was opened by count, so pages in between were not read"
    return Walked(f"the way to the next page led {led}", left_out, visited) if led else None


def _without_new_rows(so_far: PartialResult, visited: int, is_there: bool) -> Walked:
    """What it means that the next page showed no rows that are new."""
    if not so_far.saw_again:
        return Walked("the next page showed no rows", "a next page was opened and showed none", visited + 1)
    if so_far.saw_last_again:
        more = "the way to the next page was there, and showed the same rows again"
        more = "" if so_far.grew and not is_there else more
        return Walked("the next page showed the same rows", more, visited if visited > 1 else 0)
    if so_far.page_again > 1:
        back = f"the way from page {visited} led back to page {so_far.page_again}"
        return Walked("the next page was one that was read before", back)
    return Walked("the next page was the first one again")
