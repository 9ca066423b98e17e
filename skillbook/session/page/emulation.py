"""As which device a page is shown; on the I/O thread only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Settings = Mapping[str, Any]


class EmulatedPage(Protocol):
    """The part of a page that its emulation needs."""

    closed: str | None

    async def run(self, command: str, params: Mapping[str, Any]) -> Any:
        """Run one of its commands."""


class PageEmulation:
    """What a page is shown as.

    Parameters
    ----------
    page : the page.

    Attributes
    ----------
    settings : what is in force, as the command `emulate` has it; empty for the browser's own.
    words : the same for a person; "" for nothing.
    """

    def __init__(self, page: EmulatedPage) -> None:
        self._page = page
        self.settings: Settings = {}
        self.words = ""

    async def set(self, settings: Settings, words: str) -> tuple[Settings, str]:
        """Show the page so from now on, and in documents to come; returns what was in force."""
        await self._page.run(
            "emulate", {name: value for name, value in settings.items() if value is not None}
        )
        before = self.settings, self.words
        self.settings, self.words = dict(settings), words
        return before

    async def restore(self, before: tuple[Settings, str]) -> None:
        """Show the page as before; nothing where it is closed."""
        if not self._page.closed:
            await self.set(*before)

    def ended(self) -> None:
        """The person ended debugging: the page is shown as it is."""
        self.settings, self.words = {}, ""
