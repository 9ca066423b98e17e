"""A person's mouse and keys in the picture of a page reach the page, and the picture follows.

They are the person's own, as in the browser's window: nobody approves them, and a recording that is under way has
them. What is typed is in no journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from skillbook.errors import SkillbookError
from skillbook.limits import MOMENT_SECONDS, PRESENT_SECONDS
from skillbook.protocol.commands.act import InputEvent, RemoteInputParams
from skillbook.protocol.refs import canonical_keys, is_ref

if TYPE_CHECKING:
    from skillbook.notebook.page.watcher import PageWatcher
    from skillbook.session.page_driver import PageDriver


class Pointer:
    """Follows the person's pointing; of quick changes only the last is carried out. Used on the I/O thread only.

    driver_of: gives the page; None while there is none.
    pointed: called with the ref of an element that is outlined, and so scrolled to.
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


_MOST_EVENTS = 500


class RemoteInput:
    """Passes events on in their order, and keeps the picture fresh meanwhile. Used on the I/O thread only.

    driver_of: gives the page; None while there is none.
    changed: called when `problem` is another one.
    frame_seconds, idle_seconds: how often the picture is taken, and how long after the last event.
    problem: why the last events did not arrive; empty where they did.
    """

    def __init__(
        self,
        driver_of: Callable[[], PageDriver | None],
        watcher: PageWatcher,
        changed: Callable[[], None],
        *,
        frame_seconds: float = MOMENT_SECONDS,
        # After so long without a word from the notebook the screenshot follows no more: its tab may be closed.
        idle_seconds: float = PRESENT_SECONDS,
    ) -> None:
        self.problem = ""
        self._driver_of = driver_of
        self._watcher = watcher
        self._changed = changed
        self._frame_seconds = frame_seconds
        self._idle_seconds = idle_seconds
        self._waiting: list[InputEvent] = []
        self._going: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._showing: asyncio.Task[None] | None = None
        self._until = 0.0

    @property
    def has_window(self) -> bool:
        """Whether the page's browser has a window to do it in."""
        driver = self._driver_of()
        return driver is not None and not driver.closed and driver.browser.has_window

    def take(self, content: dict[str, Any]) -> None:
        """Take the notebook's message: `on`, whether the person uses the picture, with `events`, or `window`."""
        if content.get("window") is True:
            self._showing = asyncio.ensure_future(self._show_window())
            return
        if content.get("on") is not True:
            self.end()
            return
        self._until = asyncio.get_running_loop().time() + self._idle_seconds
        if self._following is None or self._following.done():
            self._following = asyncio.ensure_future(self._follow())
        for event in read_events(content.get("events")):
            if event.kind == "move" and self._waiting and self._waiting[-1].kind == "move":
                self._waiting.pop()
            self._waiting.append(event)
        if self._waiting and (self._going is None or self._going.done()):
            self._going = asyncio.ensure_future(self._pass_on())

    def end(self) -> None:
        """The person uses the picture no more; what they did before still arrives."""
        self._until = 0.0
        if self._following is not None:
            self._following.cancel()
            self._following = None
            self._watcher.refresh()

    async def _show_window(self) -> None:
        driver = self._driver_of()
        if driver is None or driver.closed:
            return
        try:
            await driver.browser.switch_to(driver)
        except SkillbookError as error:
            self.problem = error.message
            self._changed()

    async def _pass_on(self) -> None:
        while self._waiting:
            events, self._waiting = self._waiting[:_MOST_EVENTS], self._waiting[_MOST_EVENTS:]
            problem = await self._send(events)
            if problem:
                self._waiting.clear()
            if any(event.kind != "move" for event in events):
                self._watcher.refresh()
            if problem != self.problem:
                self.problem = problem
                self._changed()

    async def _send(self, events: list[InputEvent]) -> str:
        driver = self._driver_of()
        if driver is None or driver.closed:
            return "There is no page any more."
        try:
            await driver.run(
                "remote_input", {"events": [event.model_dump(exclude_unset=True) for event in events]}
            )
        except SkillbookError as error:
            return f"{error.message}{f' ({error.hint})' if error.hint else ''}"
        return ""

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() < self._until:
            begun = loop.time()
            await self._watcher.refresh_picture()
            # The rhythm of a picture that follows, which leaves the page and the kernel room for all else.
            await asyncio.sleep(max(self._frame_seconds, loop.time() - begun))
        self._watcher.refresh()


def read_events(given: object) -> list[InputEvent]:
    """Read the frontend's events; what is none is left out."""
    if not isinstance(given, list) or not given:
        return []
    try:
        events = RemoteInputParams.model_validate({"events": given[:_MOST_EVENTS]}).events
    except ValidationError:
        return []
    return [
        event.model_copy(update={"text": canonical_keys(event.text)}) if event.kind == "key" else event
        for event in events
    ]
