"""Outlines in the real page what the person points at in the notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from skillbook.errors import SkillbookError
from skillbook.protocol.refs import is_ref

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver


class Pointer:
    """Follows the person's pointing; of quick changes only the last is carried out. Used on the I/O thread only.

    Parameters
    ----------
    driver_of : gives the page; None while there is none.
    pointed : called with the ref of an element that is outlined, and so scrolled to.
    """

    def __init__(
        self, driver_of: Callable[[], PageDriver | None], pointed: Callable[[str], None] | None = None
    ) -> None:
        self._driver_of = driver_of
        self._pointed = pointed
        self._wish: str | None = None
        self._shown: str | None = None
        self._going: asyncio.Task[None] | None = None

    def point(self, ref: object) -> None:
        """Outline the element of a ref and no other; anything but a ref clears."""
        self._wish = ref if isinstance(ref, str) and is_ref(ref) else None
        if self._going is None or self._going.done():
            self._going = asyncio.ensure_future(self._follow())

    async def _follow(self) -> None:
        while self._wish != self._shown:
            self._shown = self._wish
            driver = self._driver_of()
            if driver is None or driver.closed:
                continue
            try:
                await driver.run("highlight", {"refs": [self._shown] if self._shown else []})
            except SkillbookError:
                continue  # the element or its page is gone, so there is nothing to outline
            if self._shown and self._pointed is not None:
                self._pointed(self._shown)
