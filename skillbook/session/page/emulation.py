"""As which device a page is shown; on the I/O thread only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from skillbook.errors import DebuggerUnavailable, PageClosed, SkillbookError
from skillbook.session.devices import device_named

MOST_WORDS = 400
"""Characters that the extension's pages show of it."""


class EmulatedPage(Protocol):
    """The part of a page that its emulation needs."""

    closed: str | None

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Run one of its commands."""


@dataclass(frozen=True)
class ShownAs:
    """What a page is shown as.

    Attributes
    ----------
    settings : as the command `emulate` has it; empty for the browser's own.
    words : the same for a person; "" for nothing.
    device : the device's name, if it was given by name.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    device: str = ""


class PageEmulation:
    """What a page is shown as.

    Parameters
    ----------
    page : the page.

    Attributes
    ----------
    now : what is in force.
    """

    def __init__(self, page: EmulatedPage) -> None:
        self._page = page
        self.now = ShownAs()
        self._again: asyncio.Task[None] | None = None

    async def set(self, wanted: ShownAs) -> ShownAs:
        """Show the page so from now on, and in documents to come; returns what was in force."""
        wire = {name: value for name, value in wanted.settings.items() if value is not None}
        await self._page.run("emulate", {**wire, "words": wanted.words[:MOST_WORDS]})
        before, self.now = self.now, wanted
        return before

    async def restore(self, before: ShownAs) -> None:
        """Show the page as before; nothing where it is closed."""
        if not self._page.closed:
            await self.set(before)

    @asynccontextmanager
    async def as_on(self, device: str) -> AsyncIterator[bool]:
        """Show the page as on a device meanwhile; gives whether it was shown otherwise before. "" changes nothing."""
        if not device or device == self.now.device:
            yield False
            return
        settings = dict(self.now.settings) | device_named(device)
        before = await self.set(ShownAs(settings, device, device))
        try:
            yield True
        finally:
            try:
                await asyncio.shield(self.restore(before))
            except (DebuggerUnavailable, PageClosed):
                self.ended()

    def lost(self) -> None:
        """The connection was lost, and with it perhaps what the browser was told: it is told anew."""
        if self.now.settings and not self._page.closed:
            self._again = asyncio.ensure_future(self._tell_again())

    async def _tell_again(self) -> None:
        with suppress(SkillbookError):
            await self.set(self.now)

    def ended(self) -> None:
        """The person ended debugging: the page is shown as it is."""
        self.now = ShownAs()
