"""Actions on a page's elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from skillbook.io_thread import io
from skillbook.session.actions.coordinates import checked_point, find_place
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_navigation import PageNavigation
from skillbook.session.arguments import key_and_target, typed_text


class PageActions(PageNavigation):
    """What one can do to a page's elements.

    See `Page` for what a target is, what every action returns and raises, and how long it waits.
    """

    async def click(
        self,
        target: Target | None = None,
        *,
        at: tuple[float, float] | None = None,
        x: float | None = None,
        y: float | None = None,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Click an element once it is visible, still, enabled and receives events.

        :param target: What to click; without one `x` and `y` say where.
        :param x, y: A point of the tab's viewport in CSS pixels. Only a canvas or an image is clicked by
            its point.
        """
        if (point := checked_point(target, x, y)) is not None:
            target, at = await io.wait(find_place(self.driver, *point))
        given = {"at": at, "button": button, "modifiers": list(modifiers)}
        return await self._act("click", target, timeout=timeout, **given)

    async def press(
        self, key: str | Target, target: Target | str | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Press a key or a combination of keys.

        A target may come first, as in `press("textbox 'Name'", "Enter")`, if only the other one is a key's name.

        :param key: Such as "Enter" or "Control+A".
        :param target: What to focus before; by default the key goes to what has the focus.

        >>> page.press("Enter")
        """
        key, target = key_and_target(key, target)
        return await self._act("press", target, key=key, timeout=timeout)

    async def select(
        self,
        target: Target,
        *values: str | int | Sequence[str | int],
        by: str | None = None,
        timeout: float | None = None,
    ) -> ActionResult:
        given = [
            [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
            for value in values
        ]
        chosen = [typed_text(value, "values") for several in given for value in several]
        return await self._act("select", target, values=chosen, by=by, timeout=timeout)

    async def download(
        self, target: Target, folder: str | PathLike[str] | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        where = None if folder is None else str(folder)
        return await self._act("download", target, folder=where, timeout=timeout)

    async def call_page_tool(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        frame: str = "",
        timeout: float | None = None,
    ) -> ActionResult:
        return await self._act(
            "call_page_tool", name=name, args=dict(args or {}), frame=frame, timeout=timeout
        )
