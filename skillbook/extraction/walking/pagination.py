"""Rows of several pages: a pager's controls and addresses lead from one to the next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from skillbook.errors import NotActionable
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.walking.extract_options import MET
from skillbook.extraction.walking.nothing_found import (
    Obstacle,
    answer_failed,
    busy_message_in,
    has_password_field,
    new_message_in,
    obstacle_on,
)
from skillbook.extraction.walking.page_numbers import Numbers, pages_left_out
from skillbook.extraction.walking.pagers import BY_CONTROL, PagerLink, find_next, pages_before
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.extraction.walking.walk import Walk, Walked
from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot


@dataclass(kw_only=True)
class Pages(Walk):
    """Goes to the next page as long as there is one that says something new.

    snapshot, shown: the page that is open, and its rows.
    each: gets each page with its rows, and gives those that are taken.
    crops: takes screenshots of each page's rows.
    """

    snapshot: Snapshot
    shown: Sequence[Row]
    each: Callable[[Snapshot, Sequence[Row]], Awaitable[Sequence[Row]]] | None = None
    crops: KeptCrops | None = None
    _visited: int = 1
    _waited: int = 0
    _tried: int = 0

    def __post_init__(self) -> None:
        self._was_signed_in = not has_password_field(self.snapshot)

    async def go_on(self) -> Walked | None:
        """Go to the next page.

        Raises AmbiguousMatch: the selector of the way to the next page names several elements.
        """
        so_far, number = self.so_far, self._visited + 1
        at = 0 if so_far.grew or self._visited == 1 else self._visited
        link = find_next(self.snapshot, self.options.next or False, self.shown, self._visited)
        if not link.leads_on:
            return Walked(link.why, link.doubt, at)
        if (met := self.is_met(self.snapshot)) or self._visited >= self.options.limit:
            return Walked(MET if met else self.limited, "there is a next page", at)
        so_far.awaits = f"page {number}"
        try:
            await self._follow(link)
        except NotActionable as error:
            why = "the way to the next page could not be used"
            return Walked(why, clean(error.message).rstrip("."), at)
        found = await self._after()
        if not isinstance(found, tuple | Snapshot) and await self._tries_again():
            found = await self.source.snapshot()
        if isinstance(found, Obstacle):
            return Walked(found.why, f"page {number} could not be read", number)
        if isinstance(found, Snapshot):  # the page it was before, after a wait
            self.snapshot, self.shown = found, await self._read(found)
            return None
        if found is None:
            here = await self.source.snapshot()
            rows = await self._read(here)
            is_there = find_next(here, self.options.next or False, rows, self._visited).leads_on
            return _without_new_rows(so_far, self._visited, is_there)
        left = _Stand.of(self.snapshot, self.shown)
        self.snapshot, self.shown = found
        self._visited, self._waited, so_far.awaits = number, 0, ""
        if self.crops is not None:
            await self.crops.take(self.source, self.shown)
        if (jumped := _jumped(left, _Stand.of(*found), number)) is None:
            self.report(number, len(so_far.rows))
        return jumped

    async def to_first(self) -> tuple[Snapshot, str]:
        """Go back to the first page of the list; gives the page that is open then, and what lies before it still.

        So far only the page that is open was given to `so_far`, which is not that of the reading.
        """
        for _ in range(self.options.limit):
            before = pages_before(self.snapshot, self.shown)
            if before.control is None:
                return self.snapshot, before.doubt
            try:
                await self._follow(before)
            except NotActionable:
                return await self.source.snapshot(), before.doubt
            found = await self._after()
            if not isinstance(found, tuple):
                # A script's control that leads nowhere is how a pager looks on its first page.
                is_first = found is None and self.so_far.saw_last_again and before.why == BY_CONTROL
                return await self.source.snapshot(), "" if is_first else before.doubt
            self.snapshot, self.shown = found
        return self.snapshot, pages_before(self.snapshot, self.shown).doubt

    async def _read(self, snapshot: Snapshot) -> Sequence[Row]:
        rows = self.plan.read(snapshot)
        return rows if self.each is None else await self.each(snapshot, rows)

    async def _follow(self, link: PagerLink) -> None:
        await self.options.pace.rest_on(self.snapshot)
        if link.control is None:
            await self.source.act("goto", url=link.address)
        else:
            await self.source.act("click", link.control.ref)

    async def _after(self) -> tuple[Snapshot, Sequence[Row]] | Snapshot | Obstacle | None:
        """The page and its rows, once it shows new ones.

        None where it came to rest without any; the page alone where the way on is there to be tried again after the
        page had asked to wait.
        """
        documents = {document.key for document in self.snapshot.documents}

        async def new_rows(snapshot: Snapshot) -> list[Row] | Obstacle | None:
            is_new = snapshot.main.key not in documents
            if obstacle := await obstacle_on(self.source, snapshot, self._was_signed_in, is_new=is_new):
                return obstacle
            rows = await self._read(snapshot)
            return list(rows) if self.so_far.add(rows) else None

        while True:
            snapshot, found, why = await self.look(new_rows)
            if isinstance(found, list):
                self.faults += [f"page {self._visited + 1}: {why}"] if why else []
                # The rows may have been scrolled to; what leads on stands beside those of one snapshot.
                return snapshot, [row for row in found if row.node.snapshot is snapshot]
            obstacle = found or busy_message_in(snapshot)
            if obstacle is None and (error := new_message_in(snapshot, self.snapshot) or why):
                obstacle = Obstacle(error)
            if obstacle is None or not await self._wait(obstacle):
                return obstacle
            if snapshot.main.key in documents:
                return await self.source.snapshot()
            # Another GET: sending a form again is never done unasked.
            await self.source.act("goto", url=snapshot.url)

    async def _tries_again(self) -> bool:
        """Whether the same may be done again: once after a GET failed, as often as waiting allows after "too many"."""
        failed = answer_failed(self.requests)
        if failed is None or not self.requests.only_reads:
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
        has_waited = await obstacle.wait(self.so_far, self._waited, f"page {self._visited + 1}")
        self._waited += has_waited
        return has_waited


@dataclass(frozen=True)
class _Stand:
    """Where in its list a page says that it is: by its pager's current number, the numbers there, and its address."""

    number: int | None
    least: int | None
    url: str

    @classmethod
    def of(cls, snapshot: Snapshot, rows: Sequence[Row]) -> _Stand:
        numbers = Numbers.near(snapshot, rows)
        return cls(numbers.current, min(numbers.all, default=None), snapshot.url)


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
    if not so_far.page_again:
        return Walked("the next page showed no rows", "a next page was opened and showed none", visited + 1)
    if so_far.saw_last_again:
        more = "the way to the next page was there, and showed the same rows again"
        more = "" if so_far.grew and not is_there else more
        return Walked("the next page showed the same rows", more, visited if visited > 1 else 0)
    if so_far.page_again > 1:
        back = f"the way from page {visited} led back to page {so_far.page_again}"
        return Walked("the next page was one that was read before", back)
    return Walked("the next page was the first one again")
