"""The clients of one browser: each has work of its own, by what names its connection."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_work import ClientWork
from skillbook.session.browser_driver import BrowserDriver

_NAME_CHARACTERS = 60


class ClientList:
    """The clients of one browser.

    Parameters
    ----------
    driver : the browser.
    limits : what each of them may do.
    """

    def __init__(self, driver: BrowserDriver, limits: ClientLimits) -> None:
        self.driver, self.limits = driver, limits
        self.cells = find_spec("pydantic_monty") is not None
        self._works: dict[str, ClientWork] = {}

    def work(self, key: str, name: str) -> ClientWork:
        """The work of a client, begun at its first request.

        Parameters
        ----------
        key : names its connection.
        name : what it calls itself.
        """
        if key not in self._works:
            shown = "".join(char for char in name if char.isprintable())[:_NAME_CHARACTERS].strip()
            self._works[key] = ClientWork(
                self.driver, shown or "An MCP client", self.limits, cells=self.cells and not self.limits.read_only
            )
        return self._works[key]

    async def leave(self, key: str, *, tabs: bool = True) -> None:
        """A client's connection ended."""
        work = self._works.pop(key, None)
        if work is not None:
            await work.close(tabs=tabs)

    async def close(self) -> None:
        """The server ends."""
        await asyncio.gather(*(self.leave(key, tabs=False) for key in list(self._works)))
