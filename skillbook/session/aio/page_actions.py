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
from skillbook.session.arguments import typed_text


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

        Parameters
        ----------
        target : str, Element or Node, optional
            What to click; without one `x` and `y` say where.
        at : tuple of float, optional
            Where in a canvas or image, in CSS pixels from its upper left corner; by default its middle.
        x, y : float, optional
            A point of the tab's viewport in CSS pixels. Only a canvas or an image is clicked by its point.
        button : str
            "left", "middle" or "right".
        modifiers : sequence of str
            Keys held meanwhile: "Alt", "Control", "Meta", "Shift".
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        NotActionable
            It stays hidden, disabled, moving, or covered by something else. At a point: something else than a canvas
            or image is there; the hint has its ref.

        Examples
        --------
        >>> page.click("button 'Save'")  # doctest: +SKIP
        >>> page.click("e12", modifiers=["Control"])  # doctest: +SKIP
        >>> page.click(x=320, y=200)  # doctest: +SKIP
        """
        if (point := checked_point(target, x, y)) is not None:
            target, at = await io.wait(find_place(self.driver, *point))
        given = {"at": at, "button": button, "modifiers": list(modifiers)}
        return await self._act("click", target, timeout=timeout, **given)

    async def dblclick(
        self,
        target: Target,
        *,
        at: tuple[float, float] | None = None,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Double-click an element.

        Parameters
        ----------
        target : str, Element or Node
            What to double-click.
        at : tuple of float, optional
            Where in a canvas or image, in CSS pixels from its upper left corner; by default its middle.
        button : str
            "left", "middle" or "right".
        modifiers : sequence of str
            Keys held meanwhile: "Alt", "Control", "Meta", "Shift".
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        given = {"at": at, "button": button, "modifiers": list(modifiers)}
        return await self._act("dblclick", target, timeout=timeout, **given)

    async def fill(self, target: Target, value: str | float, *, timeout: float | None = None) -> ActionResult:
        """Replace a field's value.

        The focus stays in the field, as in Playwright. A page that takes a value only once its field is left, as those
        of Streamlit do, has it after the next action on another element, or after `press("Tab")`.

        Parameters
        ----------
        target : str, Element or Node
            The field.
        value : str or float
            A text, a finite number, or what `sb.secret("name")` returned.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        InvalidParams
            The value is something else, such as None, nan or a date.
        NotActionable
            The field holds something else now ("not_taken").

        Examples
        --------
        >>> page.fill("label 'Name'", "Ann")  # doctest: +SKIP
        """
        return await self._act("fill", target, value=typed_text(value, "value"), timeout=timeout)

    async def clear(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Empty a field.

        Parameters
        ----------
        target : str, Element or Node
            The field.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        InvalidParams
            It always has a value, as sliders and colour fields have.
        """
        return await self._act("clear", target, timeout=timeout)

    async def type(
        self,
        target: Target,
        text: str | float,
        *,
        delay_ms: int = 0,
        clear: bool = False,
        timeout: float | None = None,
    ) -> ActionResult:
        """Type text into a field key by key.

        Parameters
        ----------
        target : str, Element or Node
            The field.
        text : str or float
            A text, a finite number, or what `sb.secret("name")` returned.
        delay_ms : int
            Milliseconds between keys, at most 1000.
        clear : bool
            Type in place of what is there, not after it.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        InvalidParams
            The text is something else, such as None, nan or a date.
        """
        return await self._act(
            "type", target, text=typed_text(text, "text"), delay_ms=delay_ms, clear=clear, timeout=timeout
        )

    async def press(
        self, key: str, target: Target | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Press a key or a combination of keys. The key comes first, the target second.

        Parameters
        ----------
        key : str
            Such as `Enter`, `ArrowDown` or `Control+A`.
        target : str, Element or Node, optional
            What to focus before; by default the key goes to what has the focus.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("press", target, key=key, timeout=timeout)

    async def hover(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Move the mouse over an element.

        Parameters
        ----------
        target : str, Element or Node
            Where to move it.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("hover", target, timeout=timeout)

    async def focus(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Give an element the keyboard focus.

        Parameters
        ----------
        target : str, Element or Node
            The element.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("focus", target, timeout=timeout)

    async def check(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Check a checkbox, radio button or switch; nothing happens if it is checked.

        Parameters
        ----------
        target : str, Element or Node
            The control.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("check", target, timeout=timeout)

    async def uncheck(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Uncheck a checkbox or switch; nothing happens if it is unchecked.

        Parameters
        ----------
        target : str, Element or Node
            The control.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("uncheck", target, timeout=timeout)

    async def select(
        self,
        target: Target,
        *values: str | int | Sequence[str | int],
        by: str | None = None,
        timeout: float | None = None,
    ) -> ActionResult:
        """Choose options of a list, native or custom.

        Parameters
        ----------
        target : str, Element or Node
            The list.
        *values : str, int or sequence of them
            Options by label, else by value, else by number from 0; several, or a list of them.
            A native list of several choices has just these afterwards; a custom one has them beside those it had.
        by : str, optional
            "label", "value" or "index", if that would be guessed wrongly.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Examples
        --------
        >>> page.select("combobox 'Country'", "Norway")  # doctest: +SKIP
        """
        given = [
            [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
            for value in values
        ]
        chosen = [typed_text(value, "values") for several in given for value in several]
        return await self._act("select", target, values=chosen, by=by, timeout=timeout)

    async def drag(
        self,
        target: Target,
        to: Target | None = None,
        *,
        dx: int = 0,
        dy: int = 0,
        position: str = "center",
        timeout: float | None = None,
    ) -> ActionResult:
        """Drag an element onto another one, or by a distance.

        Parameters
        ----------
        target : str, Element or Node
            What to drag.
        to : str, Element or Node, optional
            What to drop it on.
        dx, dy : int
            Without `to`: pixels to the right and down.
        position : str
            Where on the other element to drop: "center", "before" or "after".
        timeout : float, optional
            Seconds in all; by default 5 to find each target and 30 to act; 0 doesn't wait for them.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("drag", target, drop_on=to, dx=dx, dy=dy, position=position, timeout=timeout)

    async def scroll(
        self,
        target: Target | None = None,
        *,
        dx: int = 0,
        dy: int = 0,
        to: str | None = None,
        until: str | None = None,
        to_row: int | None = None,
        timeout: float | None = None,
    ) -> ActionResult:
        """Scroll the page; with a target bring that into view, or scroll in it.

        Parameters
        ----------
        target : str, Element or Node, optional
            An element, or a frame.
        dx, dy : int
            Pixels to the right and down.
        to : str, optional
            "top", "bottom", "left", "right", or "end": down again and again, as long as that loads more.
        until : str, optional
            A role selector; scrolls down, a screen at a time, until it matches, also in virtualised lists.
        to_row : int, optional
            The number that the page gives a row (`aria-rowindex`, where a header often is 1) or an item; scrolls
            there in a few leaps, also in virtualised grids.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to scroll; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        NoMatch
            The end came before what was scrolled for.
        CommandTimeout
            The time was over before that.
        """
        return await self._act(
            "scroll", target, dx=dx, dy=dy, to=to, until=until, to_row=to_row, timeout=timeout
        )

    async def submit(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Submit the form that an element belongs to.

        Parameters
        ----------
        target : str, Element or Node
            The form, or anything in it.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.
        """
        return await self._act("submit", target, timeout=timeout)

    async def upload(self, target: Target, *files: str, timeout: float | None = None) -> ActionResult:
        """Choose files in a file field.

        Parameters
        ----------
        target : str, Element or Node
            The field, or the button that opens the file chooser.
        *files : str
            Their paths.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 to act; 0 doesn't wait for it.

        Returns
        -------
        ActionResult
            What the action changed.

        Raises
        ------
        InvalidParams
            There is no such file.
        """
        return await self._act("upload", target, files=list(files), timeout=timeout)

    async def download(
        self, target: Target, folder: str | PathLike[str] | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Click what downloads one or more files, and wait until they are there.

        A file in a tab of its own comes too, also one that the browser shows there; the tab is closed.

        Parameters
        ----------
        target : str, Element or Node
            What to click.
        folder : str or path, optional
            Where to put the files; the setting `SKILLBOOK_DOWNLOADS` (./downloads) by default.
        timeout : float, optional
            Seconds in all; by default 5 to find the target and 30 for the file; 0 doesn't wait for the target.

        Returns
        -------
        ActionResult
            Its `path` is the first file, and `paths` all of them; `data` has the first one's "name", "bytes", "mime"
            and "url", and "files" with those of each. Nothing is overwritten.

        Raises
        ------
        CommandTimeout
            No download began, or it took longer.
        NotAllowed
            The browser holds it to be dangerous.
        """
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
        """Call a tool that the page declares; needs `launch(page_tools=True)`.

        Parameters
        ----------
        name : str
            As `page.page_tools()` lists it.
        args : dict, optional
            Its arguments.
        frame : str
            The `frame` of the tool, for one that a frame of the page declares.
        timeout : float, optional
            Seconds it may take, 30 by default; then it is cancelled, as by an interrupt.

        Returns
        -------
        ActionResult
            Its `data` has the "answer" as text or JSON text, the same as "value" (dict, list, text or number), both
            untrusted, or "waits" if a form was filled in and waits for somebody to send it.

        Raises
        ------
        CommandError
            The page has no such tool, it takes other arguments, or it failed.
        CommandTimeout
            It didn't answer in time; it may have done a part.
        NotAllowed
            The origin of the page or the frame isn't allowed.
        """
        return await self._act(
            "call_page_tool", name=name, args=dict(args or {}), frame=frame, timeout=timeout
        )
