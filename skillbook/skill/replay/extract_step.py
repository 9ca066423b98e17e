"""An `extract` step: rows of the page, and of those that follow it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from skillbook.errors import CommandTimeout, ExtractionError, PageNavigated, SkillbookError
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.result import ActionResult
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import Extract, SkillStep
from skillbook.skill.model.templates import Value, fill_selector
from skillbook.skill.targets.healing import FIND_SECONDS

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.extraction.frames.row_log import RowLog
    from skillbook.extraction.walking.partial_result import PartialResult


_NOT_YET = {ExtractionError.code, PageNavigated.code}


class CanRest(Protocol):
    """A page that can be waited for."""

    async def wait_for(self, *, idle: bool | None = None, timeout: float | None = None) -> Any:
        """Wait until the page is idle."""


@dataclass(frozen=True)
class ReplaySource:
    """A page as extraction sees it during a replay: what it does there is the replay's doing.

    Parameters
    ----------
    check : refuses an address that the skill may not act on.
    key : the replay's id, for the journal.
    page : the `Page` on which the rows' cells can be shown again.
    """

    driver: PageDriver
    check: Callable[[str, str], None]
    key: str
    page: Any = None

    @property
    def url(self) -> str:
        """The page's address."""
        return self.driver.url

    def row_log(self) -> RowLog:
        """Where rows are kept while they are read."""
        from skillbook.extraction.frames.row_log import RowLog

        return RowLog.of(self.driver.browser.settings, self.url)

    async def snapshot(self) -> Snapshot:
        """Read the page now."""
        return await self.driver.snapshot()

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now, but of tables that have more rows than so many only those from `first` on."""
        return await self.driver.snapshot_in_part(first, rows)

    async def act(self, command: str, target: Any = None, **params: Any) -> ActionResult:
        """Do something on the page."""
        if command != "scroll":
            self.check(str(params.get("url") or self.driver.url), command)
        return await self.driver.act(command, target, actor="replay", run=self.key, **params)

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Send a command without looking at what it changed."""
        return await self.driver.run(command, params, actor="replay", run=self.key)

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""
        return await self.driver.changed_since(snapshot, seconds)

    async def status(self) -> int:
        """The HTTP status of the page's document; 0 where it isn't known."""
        return await self.driver.status()

    async def retry_after(self) -> float | None:
        """How many seconds the server asked to wait that was asked too often; None where it didn't."""
        return await self.driver.retry_after()

    async def wait_for(self, *, idle: bool | None = None, timeout: float | None = None) -> Any:
        """Wait until the page is idle."""
        return await self.driver.wait_for(idle=idle, timeout=timeout)


async def run_extract(
    source: ReplaySource, step: SkillStep, inputs: Mapping[str, Value], *, keep: Callable[[pd.DataFrame], Any]
) -> pd.DataFrame:
    """Read the rows that a step names, once network and DOM are at rest; they are waited for as long as checks are.

    Parameters
    ----------
    keep : called with the frame; also with what was read until then, where the walk fails or is stopped.

    Raises
    ------
    ExtractionError : nothing to read, a page could not be reached, or the page claims to have more rows.
    """
    from skillbook.extraction.frames.completeness import partial
    from skillbook.extraction.frames.make import make_frame
    from skillbook.extraction.walking.partial_result import PartialResult

    deadline = time.monotonic() + FIND_SECONDS
    await rest(source, FIND_SECONDS)
    while True:
        so_far = PartialResult(log=source.row_log())
        try:
            frame = await _extract(source, step.extract or Extract(), inputs, so_far)
        except (SkillbookError, asyncio.CancelledError) as error:
            if so_far.rows:
                read = partial(so_far.pages, len(so_far.rows), str(error) or "stopped")
                run = so_far.end(read)
                keep(make_frame(so_far.columns, so_far.rows, page=source.page, completeness=read, run=run))
            elif getattr(error, "code", "") in _NOT_YET and await _changes(source, deadline):
                continue
            raise
        if not len(frame) and await _changes(source, deadline):
            continue  # what said that there are none may have been of before
        keep(frame)
        if not frame.skillbook.complete and not (step.extract and step.extract.allow_partial):
            raise ExtractionError(
                f"not all rows were read: {frame.skillbook.reason}",
                hint="the result's frame has those that were; `allow_partial: true` in the step accepts them",
            )
        return frame


async def rest(source: CanRest, seconds: float) -> None:
    """Wait until nothing is on its way: rows that are still being loaded would be left out."""
    try:
        await source.wait_for(idle=True, timeout=seconds)
    except CommandTimeout:
        pass  # some pages are never idle; what they show is read


async def _changes(source: ReplaySource, deadline: float) -> bool:
    """Whether the page changes before the deadline, so that rows may have come."""
    seen = source.driver.latest
    if seen is None or not await source.changed_since(seen, deadline - time.monotonic()):
        return False
    await rest(source, max(deadline - time.monotonic(), 0.1))
    return True


async def _extract(
    source: ReplaySource, wanted: Extract, inputs: Mapping[str, Value], so_far: PartialResult
) -> pd.DataFrame:
    from skillbook.extraction.driver import extract_frame

    fields = wanted.fields
    return await extract_frame(
        source,
        {column: fill_selector(text, inputs) for column, text in fields.items()} if fields else None,
        within=fill_selector(wanted.within, inputs) if wanted.within else None,
        next=fill_selector(wanted.next, inputs) if isinstance(wanted.next, str) else wanted.next,
        max_pages=wanted.max_pages,
        scroll=wanted.scroll,
        so_far=so_far,
        page=source.page,
    )
