"""When reading stops by the caller's own options, and how long it rests between pages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.perception.collections import Row
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot

Until = str | Callable[[list[dict[str, str | None]]], object]
"""A selector, or a function of the rows so far: a dict of texts for each."""
MET = "`until` was met"


@dataclass(frozen=True)
class Stop:
    """A condition after which nothing more is read.

    until: a selector that the page matches then, or a function of the rows so far that is true then; None for never.
    """

    until: Until | None = None

    def __post_init__(self) -> None:
        if isinstance(self.until, str):
            parse_selector(self.until)

    def met(self, columns: Sequence[str], rows: Sequence[Row], snapshot: Snapshot) -> bool:
        """Whether it holds now.

        Raises ExtractionError: the function failed.
        """
        if self.until is None:
            return False
        if isinstance(self.until, str):
            return bool(snapshot.find_all(self.until))
        texts = [
            {name: cell.text if cell else None for name, cell in zip(columns, row.cells, strict=False)}
            for row in rows
        ]
        try:
            return bool(self.until(texts))
        except SkillbookError:
            raise
        except Exception as error:
            raise ExtractionError(
                f"the function until= failed: {type(error).__name__}: {error}",
                hint="it gets the rows so far, a dict of texts (None where there is none) for each",
            ) from error


@dataclass
class Pace:
    """Keeps a number of seconds between pages.

    seconds: at least so many from one page to the next.
    """

    seconds: float = 0.0
    _last: float = field(default_factory=time.monotonic)

    async def rest_on(self, page: Snapshot) -> None:
        """Wait until the page after this one may be opened, also by the site's hints."""
        await self.rest(page.hints.crawl_delay if page.hints else 0.0)

    async def rest(self, seconds: float = 0.0) -> None:
        """Wait until the next page may be opened; so many seconds at least after the last one."""
        left = self._last + max(self.seconds, seconds) - time.monotonic()
        if left > 0:
            await asyncio.sleep(left)
        self._last = time.monotonic()
