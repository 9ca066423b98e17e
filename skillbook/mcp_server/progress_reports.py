"""How far a client's long call is, passed on to the client while it waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from mcp.server import ServerRequestContext

from skillbook.mcp_server.client_work import ClientWork
from skillbook.perception.escape import clean

_LOOK_SECONDS = 0.1
_WORDS = 300
_STEP = 0.001
"""The protocol wants every report to be higher than the one before it; one without a number goes up by so much."""


@asynccontextmanager
async def progress_to(client: ClientWork, ctx: ServerRequestContext[Any, Any]) -> AsyncIterator[None]:
    """Report progress to a client that asked for it, meanwhile."""
    reports = _Reports(client, ctx)
    passing = asyncio.ensure_future(reports.pass_on())
    try:
        yield
    finally:
        passing.cancel()
        with suppress(asyncio.CancelledError):
            await passing
        await reports.pass_new()


class _Reports:
    """Passes a client's reports on, for one call."""

    def __init__(self, client: ClientWork, ctx: ServerRequestContext[Any, Any]) -> None:
        self._client, self._ctx = client, ctx
        self._last = 0.0

    async def pass_on(self) -> None:
        """Pass reports on as they come."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self.pass_new()

    async def pass_new(self) -> None:
        """Pass on what wasn't yet."""
        while self._client.reports:
            report = self._client.reports.popleft()
            self._last = max(self._last + _STEP, report.done or 0.0)
            with suppress(Exception):  # a client that is gone gets no progress
                await self._ctx.session.report_progress(
                    self._last, report.total, clean(report.text or str(report))[:_WORDS]
                )
