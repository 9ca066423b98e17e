"""What one does on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from skillbook.io_thread import io
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_reading import PageReading
from skillbook.session.page.dialogs import DialogRule


class PageActions(PageReading):
    """What one can do on a page, beside reading it.

    A target is a ref (`"e12"`), an `Element` or `Node`, or a role selector (`"button 'Save'"`), which is looked for
    until it matches. Every action returns an `ActionResult` and raises, among others: `UnknownRef`, `StaleRef`,
    `NoMatch`, `AmbiguousMatch`, `NotActionable`, `NotAllowed`, `CommandTimeout`, `PageClosed`, `ConnectionLost`.
    """

    async def click(
        self,
        target: Target,
        *,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Click an element once it is visible, still, enabled and receives events.

        Parameters
        ----------
        target : what to click.
        button : "left", "middle" or "right".
        modifiers : of "Alt", "Control", "Meta", "Shift".
        timeout : seconds.
        """
        return await io.wait(
            self.driver.act("click", target, button=button, modifiers=list(modifiers), timeout=timeout)
        )

    async def dblclick(
        self,
        target: Target,
        *,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Double-click an element."""
        return await io.wait(
            self.driver.act("dblclick", target, button=button, modifiers=list(modifiers), timeout=timeout)
        )

    async def fill(self, target: Target, value: str, *, timeout: float | None = None) -> ActionResult:
        """Replace a field's value; `sb.secret("name")` may stand for it.

        The focus stays in the field, as in Playwright. A page that takes a value only once its field is left, as those
        of Streamlit do, has it after the next action on another element, or after `press("Tab")`.

        Raises
        ------
        NotActionable : the field holds something else now ("not_taken").
        """
        return await io.wait(self.driver.act("fill", target, value=str(value), timeout=timeout))

    async def clear(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Empty a field.

        Raises
        ------
        InvalidParams : it always has a value, as sliders and colour fields have.
        """
        return await io.wait(self.driver.act("clear", target, timeout=timeout))

    async def type(
        self,
        target: Target,
        text: str,
        *,
        delay_ms: int = 0,
        clear: bool = False,
        timeout: float | None = None,
    ) -> ActionResult:
        """Type text into a field key by key, after what is there or, with `clear`, in its place.

        `delay_ms` are milliseconds between keys.
        """
        return await io.wait(
            self.driver.act("type", target, text=str(text), delay_ms=delay_ms, clear=clear, timeout=timeout)
        )

    async def press(
        self, key: str, target: Target | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Press a key or a combination such as `Enter`, `ArrowDown` or `Control+A`, on a target if given."""
        return await io.wait(self.driver.act("press", target, key=key, timeout=timeout))

    async def hover(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Move the mouse over an element."""
        return await io.wait(self.driver.act("hover", target, timeout=timeout))

    async def focus(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Give an element the keyboard focus."""
        return await io.wait(self.driver.act("focus", target, timeout=timeout))

    async def check(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Check a checkbox, radio button or switch; nothing happens where it is checked."""
        return await io.wait(self.driver.act("check", target, timeout=timeout))

    async def uncheck(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Uncheck a checkbox or switch; nothing happens where it is unchecked."""
        return await io.wait(self.driver.act("uncheck", target, timeout=timeout))

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
        target : the list.
        values : options by label, else by value, else by number from 0; several, or a list of them.
            A native list of several choices has just these afterwards; a custom one has them beside those it had.
        by : "label", "value" or "index", where that would be guessed wrongly.
        timeout : seconds.
        """
        given = [[value] if isinstance(value, str | int) else value for value in values]
        chosen = [str(value) for several in given for value in several]
        return await io.wait(self.driver.act("select", target, values=chosen, by=by, timeout=timeout))

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
        """Drag an element onto another one, or by `dx` and `dy` pixels.

        `position` is where on the other element to drop: "center", "before" or "after".
        """
        return await io.wait(
            self.driver.act("drag", target, drop_on=to, dx=dx, dy=dy, position=position, timeout=timeout)
        )

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
        target : an element, or a frame.
        dx, dy : pixels to the right and down.
        to : "top", "bottom", "left", "right", or "end": down again and again, as long as that loads more.
        until : a role selector; scrolls down, a screen at a time, until it matches, also in virtualised lists.
        to_row : the number that the page gives a row (`aria-rowindex`, where a header often is 1) or an item; scrolls
            there in a few leaps, also in virtualised grids.
        timeout : seconds.

        Raises
        ------
        NoMatch : the end came before what was scrolled for. CommandTimeout : the time was over before that.
        """
        return await io.wait(
            self.driver.act(
                "scroll", target, dx=dx, dy=dy, to=to, until=until, to_row=to_row, timeout=timeout
            )
        )

    async def submit(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Submit the form that an element belongs to."""
        return await io.wait(self.driver.act("submit", target, timeout=timeout))

    async def upload(self, target: Target, *files: str, timeout: float | None = None) -> ActionResult:
        """Choose files, by path, in a file field."""
        return await io.wait(self.driver.act("upload", target, files=list(files), timeout=timeout))

    async def download(
        self, target: Target, folder: str | PathLike[str] | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Click what downloads one or more files, and wait until they are there.

        A file in a tab of its own comes too, also one that the browser shows there; the tab is closed.

        Parameters
        ----------
        target : what to click.
        folder : where to put the files; the setting `SKILLBOOK_DOWNLOADS` (./downloads) where it is None.
        timeout : seconds.

        Returns
        -------
        An `ActionResult` whose `path` is the first file, and `paths` all of them; `data` has the first one's "name",
        "bytes", "mime" and "url", and "files" with those of each. Nothing is overwritten.

        Raises
        ------
        CommandTimeout : no download began, or it took longer. NotAllowed : the browser holds it to be dangerous.
        """
        where = None if folder is None else str(folder)
        return await io.wait(self.driver.act("download", target, folder=where, timeout=timeout))

    async def call_page_tool(
        self, name: str, args: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Call a tool that the page declares; needs `launch(page_tools=True)`.

        Parameters
        ----------
        name : as `page.page_tools()` lists it.
        args : its arguments.
        timeout : seconds.

        Returns
        -------
        An `ActionResult`; its `data` has the "answer" as JSON text, untrusted, or "waits" where a form was filled in
        and waits for somebody to send it.

        Raises
        ------
        CommandError : the page has no such tool, or the tool failed. NotAllowed : the page's origin isn't allowed.
        """
        return await io.wait(
            self.driver.act("call_page_tool", name=name, args=dict(args or {}), timeout=timeout)
        )

    def on_dialog(self, rule: DialogRule | None) -> None:
        """Answer this page's JavaScript dialogs by a rule.

        Parameters
        ----------
        rule : "ask" leaves them open for `handle_dialog`, "accept" and "dismiss" answer at once; a function gets
            the dialog (`kind`, `message`, `default`) and returns True, False, a prompt's text, or None to leave it
            open. None for the browser's rule.
        """
        self.driver.dialogs.set(rule)

    async def handle_dialog(self, accept: bool = True, text: str | None = None) -> ActionResult:
        """Answer the JavaScript dialog that holds the page: OK or Cancel, and a prompt's text.

        One that opened while no debugger was attached can only be dismissed.

        Raises
        ------
        DialogBlocked : it can only be dismissed. NotActionable : no dialog is open.
        """
        return await io.wait(self.driver.act("handle_dialog", accept=accept, text=text))

    async def goto(self, url: str, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go to a URL and wait for "load", "dom" or "none"; allows its origin for writes.

        Raises
        ------
        PageUnreachable : it didn't load. NotAllowed : it isn't an http or https URL, or hides where it leads.
        """
        return await io.wait(self.driver.act("goto", url=url, wait=wait, timeout=timeout))

    async def back(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go back in the history."""
        return await io.wait(self.driver.act("back", wait=wait, timeout=timeout))

    async def forward(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go forward in the history."""
        return await io.wait(self.driver.act("forward", wait=wait, timeout=timeout))

    async def reload(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Load the page again."""
        return await io.wait(self.driver.act("reload", wait=wait, timeout=timeout))

    async def wait_for(
        self,
        *,
        url: str | None = None,
        text: str | None = None,
        text_gone: str | None = None,
        selector: str | None = None,
        idle: bool | None = None,
        quiet: bool | None = None,
        load: bool | None = None,
        function: str | None = None,
        seconds: float | None = None,
        timeout: float | None = None,
    ) -> None:
        """Wait for exactly one condition.

        Parameters
        ----------
        url : a part of the address, or a glob with `*`.
        text, text_gone : text that the page shows, or no longer shows.
        selector : a role selector that matches.
        idle : no requests and a quiet DOM for half a second; for a quarter where nobody has acted in the document yet.
        quiet : a quiet DOM for half a second, whatever the network does.
        load : the load event.
        function : JavaScript, an expression or a function, whose value becomes true; needs `allow_evaluate`.
        seconds : just a pause.
        timeout : seconds.

        Raises
        ------
        CommandTimeout : it didn't come true in time.
        """
        await io.wait(
            self.driver.wait_for(
                url=url, text=text, text_gone=text_gone, selector=selector, idle=idle, quiet=quiet, load=load,
                function=function, seconds=seconds, timeout=timeout,
            )
        )  # fmt: skip

    async def highlight(self, *targets: Target) -> None:
        """Outline elements on the screen; none clears."""
        await io.wait(self.driver.highlight(targets))

    async def switch(self) -> None:
        """Bring this tab to the front."""
        await io.wait(self.driver.browser.switch_to(self.driver))

    async def close(self) -> None:
        """Close this tab."""
        await io.wait(self.driver.browser.close_page(self.driver))
