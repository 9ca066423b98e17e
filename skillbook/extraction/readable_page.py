"""What extraction needs of a page: less than a `PageDriver`, so that snapshots can stand in for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.act_requests import ActLog


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

    async def wait_for(self, *, idle: bool | None = None, timeout: float | None = None) -> Any:
        """Wait until the page is idle."""


class PageSource(PageReading, Protocol):
    """A page that can be read in part too."""

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now, but of tables that have more rows than so many only those from `first` on."""
