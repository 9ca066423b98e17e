"""What extraction needs of a page: less than a `PageDriver`, so that snapshots can stand in for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from skillbook.perception.selectors import looked_for
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActLog
from skillbook.session.page.page_rest import Need, Settled


def answering(page: Any, selectors: Sequence[str]) -> Any:
    """A page whose snapshots answer some selectors; the page itself, if those of any page do."""
    return CssSource(page, selectors) if looked_for(selectors, texts=False) else page


class PageReading(Protocol):
    """A page that can be read, acted on and waited for."""

    @property
    def url(self) -> str:
        """The page's address."""

    @property
    def acts(self) -> ActLog:
        """What became of the requests of each act on the page."""

    async def snapshot(self) -> Snapshot:
        """Read the page now."""

    async def act(self, command: str, target: Any = None, **params: Any) -> Any:
        """Do something on the page."""

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Send a command without looking at what it changed."""

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""

    async def status(self) -> int:
        """The HTTP status of the page's document; 0 where it isn't known."""

    async def retry_after(self) -> float | None:
        """How many seconds the server asked to wait that was asked too often; None where it didn't."""

    async def settled(self, need: Need = "rest", seconds: float | None = None) -> Settled:
        """Wait until what was caused is over."""


class CssSource:
    """A page whose snapshots answer the CSS of some selectors.

    selectors: as the caller wrote them.
    """

    def __init__(self, page: Any, selectors: Sequence[str]) -> None:
        self._page = page
        self._selectors = selectors

    async def snapshot(self) -> Snapshot:
        """Read the page now."""
        found: Snapshot = await self._page.snapshot_for(*self._selectors, texts=False)
        return found

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now; whole, since CSS looks at all of it."""
        return await self.snapshot()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._page, name)


class PageSource(PageReading, Protocol):
    """A page that can be read in part too."""

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now, but of tables that have more rows than so many only those from `first` on."""
