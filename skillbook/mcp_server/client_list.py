"""The clients of one browser: each has work of its own, by what names its connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec

from skillbook.limits import LEFT_SECONDS
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_work import ClientWork
from skillbook.session.browser_driver import BrowserDriver

_NAME_CHARACTERS = 60
OpenBrowser = Callable[[], Awaitable[BrowserDriver]]


class ClientList:
    """The clients of one browser.

    open_browser: gives the browser; called at the first request that needs one.
    page_tools: whether its pages may declare tools.
    """

    def __init__(self, open_browser: OpenBrowser, limits: ClientLimits, *, page_tools: bool = False) -> None:
        self.limits, self.page_tools = limits, page_tools
        self.cells = find_spec("pydantic_monty") is not None and not limits.read_only
        self.driver: BrowserDriver | None = None
        self._open_browser = open_browser
        self._opening = asyncio.Lock()
        self._works: dict[str, ClientWork] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def work(self, key: str, name: str) -> ClientWork:
        """The work of a client, begun at its first call.

        key: names its connection.
        Raises SkillbookError: there is no browser to be had.
        """
        driver = await self._browser()
        if key not in self._works:
            self._leave_idle()
            shown = "".join(char for char in name if char.isprintable())[:_NAME_CHARACTERS].strip()
            self._works[key] = ClientWork(driver, shown or "An MCP client", self.limits, cells=self.cells)
        self._works[key].used_at = time.monotonic()
        return self._works[key]

    def known(self, key: str) -> ClientWork | None:
        """The work of a client that made a call already."""
        return self._works.get(key)

    async def leave(self, key: str, *, tabs: bool = True) -> None:
        """A client's connection ended."""
        work = self._works.pop(key, None)
        if work is not None:
            await work.close(tabs=tabs)

    async def close(self) -> None:
        """The server ends."""
        await asyncio.gather(*(self.leave(key, tabs=False) for key in list(self._works)))

    async def _browser(self) -> BrowserDriver:
        async with self._opening:
            if self.driver is None or self.driver.gateway.closed:
                self.driver = await self._open_browser()
                for origin in self.limits.origins:
                    self.driver.gateway.policy.allow(origin)
            return self.driver

    def _leave_idle(self) -> None:
        """Let clients go that made no call for long: over HTTP nobody says that they left."""
        before = time.monotonic() - LEFT_SECONDS
        for key in [key for key, work in self._works.items() if work.used_at < before]:
            task = asyncio.ensure_future(self.leave(key))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
