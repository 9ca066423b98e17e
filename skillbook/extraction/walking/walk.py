"""One walk: something brings the next rows, again and again, until nothing does, or enough were read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.reading.plans import Plan
from skillbook.extraction.walking.extract_options import ExtractOptions
from skillbook.extraction.walking.nothing_found import answer_failed
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.limits import CAUSE_SECONDS
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActRequests
from skillbook.session.page.page_rest import Looking

T = TypeVar("T")


@dataclass(frozen=True)
class Walked:
    """How a walk ended.

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


@dataclass(kw_only=True)
class Walk(ABC):
    """Goes on as long as something brings rows that are new; what that is, its kinds know: pages, or a scroll.

    so_far: takes the rows.
    faults: what is known to be missing or broken so far.
    """

    source: PageReading
    plan: Plan
    so_far: PartialResult
    options: ExtractOptions
    faults: list[str] = field(default_factory=list, init=False)
    requests: ActRequests = field(default_factory=lambda: ActRequests(0, 0.0), init=False)
    scrolls: ClassVar[bool] = False

    async def run(self) -> Walked:
        """Go on to the end; returns how that ended."""
        with self.source.acts.reading(scrolls=self.scrolls) as self.requests:
            while (ended := await self.go_on()) is None:
                pass
            failed = answer_failed(self.requests)
        return replace(ended, failed=[] if failed is None else [failed.why], faults=self.faults)

    @abstractmethod
    async def go_on(self) -> Walked | None:
        """Bring the next rows and take them; returns how the walk ended where that can't be."""

    def is_met(self, snapshot: Snapshot) -> bool:
        """Whether enough was read, by what the caller said."""
        return self.options.stop.met(self.so_far.columns, self.so_far.rows, snapshot)

    @property
    def limited(self) -> str:
        """Why it ends where it came to the most pages that are wanted."""
        return f"max_pages={self.options.limit} was reached"

    def report(self, pages: int, rows: int) -> None:
        """Say how far it came."""
        if self.options.progress:
            self.options.progress(pages, rows)

    async def look(
        self, shown: Callable[[Snapshot], Awaitable[T]], *, at_once: bool = False
    ) -> tuple[Snapshot, T, str]:
        """The page once it shows something, that, and why there may be more of it; None where it rests without it.

        at_once: it may show it before what was caused is over.
        """
        looking = Looking(self.source, CAUSE_SECONDS)
        why = "" if at_once else (await self.source.settled("rest", CAUSE_SECONDS)).why
        while True:
            snapshot = await self.source.snapshot()
            found = await shown(snapshot)
            if found is not None or not await looking.again(snapshot):
                return snapshot, found, why
