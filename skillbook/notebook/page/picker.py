"""For a call that waits, the person points at an element in the real page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillbook.agents.run.run_words import POINT_WORDS
from skillbook.errors import CommandTimeout, SkillbookError

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver

_SECONDS = 120.0
"""A page that a person forgot takes no clicks for so long at most."""


@dataclass(frozen=True)
class Picked:
    """The element that a person pointed at for the question `id`; `serial` distinguishes two choices."""

    id: str
    serial: int
    ref: str


class Picker:
    """Lets the person point in the page while a call waits. Used on the I/O thread only.

    Parameters
    ----------
    driver_of : gives the page; None while there is none.
    changed : called when one of the attributes is another one.

    Attributes
    ----------
    waits_for : the question for which the person is to point; empty while the page is as ever.
    picked : what they pointed at last.
    problem : why pointing ended without an element, where they didn't end it themselves.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self.waits_for = ""
        self.picked: Picked | None = None
        self.problem = ""
        self._driver_of = driver_of
        self._changed = changed
        self._going: asyncio.Task[None] | None = None

    def begin(self, question: str) -> None:
        """Have the page wait for the person's click, where a person can see the page."""
        driver = self._driver_of()
        if driver is None or driver.closed or not driver.browser.has_window or self.waits_for == question:
            return
        self.end()
        self.waits_for, self.problem = question, ""
        self._going = asyncio.ensure_future(self._wait(driver, question))
        self._changed()

    def end(self) -> None:
        """The page is as ever again."""
        if self._going is not None:
            self._going.cancel()
            self._going = None
        if self.waits_for:
            self.waits_for = ""
            self._changed()

    async def _wait(self, driver: PageDriver, question: str) -> None:
        problem = ""
        try:
            node = await driver.pick(POINT_WORDS, timeout=_SECONDS)
            if node is not None and node.ref is not None:
                serial = self.picked.serial + 1 if self.picked else 1
                self.picked = Picked(question, serial, node.ref)
        except CommandTimeout:
            problem = "Nothing was pointed at in the page."
        except SkillbookError as error:
            problem = error.message
        self._going, self.waits_for, self.problem = None, "", problem
        self._changed()
