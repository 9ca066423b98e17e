"""Where a tab goes, what it waits for, its dialogs, and the tab itself."""

from __future__ import annotations

from typing import Any

from skillbook.io_thread import io
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_keeping import PageKeeping
from skillbook.session.aio.page_reading import PageReading
from skillbook.session.arguments import checked_seconds
from skillbook.session.page.dialogs import DialogRule


class PageNavigation(PageReading, PageKeeping):
    """What one can do with a page as a whole."""

    def on_dialog(self, rule: DialogRule | None) -> None:
        """Answer this page's JavaScript dialogs by a rule.

        Parameters
        ----------
        rule : str, function or None
            "ask" leaves them open for `handle_dialog`, "accept" and "dismiss" answer at once; a function gets
            the dialog (`kind`, `message`, `default`) and returns True, False, a prompt's text, or None to leave it
            open. None for the browser's rule.
        """
        self.driver.dialogs.set(rule)

    async def handle_dialog(self, accept: bool = True, text: str | None = None) -> ActionResult:
        """Answer the JavaScript dialog that holds the page.

        A dialog that opened while no debugger was attached can only be dismissed.

        Parameters
        ----------
        accept : bool
            OK rather than Cancel.
        text : str, optional
            The answer to a prompt.

        Returns
        -------
        ActionResult
            What the answer changed.

        Raises
        ------
        DialogBlocked
            It can only be dismissed.
        NotActionable
            No dialog is open.
        """
        return await self._act("handle_dialog", accept=accept, text=text)

    async def goto(self, url: str, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go to a URL; allows its origin for writes.

        Parameters
        ----------
        url : str
            An http or https URL.
        wait : str
            For "load", "dom" (the parsed document) or "none".
        timeout : float, optional
            Seconds it may take, 30 by default.

        Returns
        -------
        ActionResult
            Where the page is now.

        Raises
        ------
        PageUnreachable
            It didn't load.
        NotAllowed
            It isn't an http or https URL, or hides where it leads.
        """
        return await self._act("goto", url=url, wait=wait, timeout=timeout)

    async def back(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go back in the history.

        Parameters
        ----------
        wait : str
            For "load", "dom" (the parsed document) or "none".
        timeout : float, optional
            Seconds it may take, 30 by default.

        Returns
        -------
        ActionResult
            Where the page is now.
        """
        return await self._act("back", wait=wait, timeout=timeout)

    async def forward(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go forward in the history.

        Parameters
        ----------
        wait : str
            For "load", "dom" (the parsed document) or "none".
        timeout : float, optional
            Seconds it may take, 30 by default.

        Returns
        -------
        ActionResult
            Where the page is now.
        """
        return await self._act("forward", wait=wait, timeout=timeout)

    async def reload(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Load the page again.

        Parameters
        ----------
        wait : str
            For "load", "dom" (the parsed document) or "none".
        timeout : float, optional
            Seconds it may take, 30 by default.

        Returns
        -------
        ActionResult
            Where the page is now.
        """
        return await self._act("reload", wait=wait, timeout=timeout)

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
        request: str | None = None,
        seconds: float | None = None,
        timeout: float | None = None,
    ) -> None:
        """Wait for exactly one condition.

        Parameters
        ----------
        url : str, optional
            A part of the address, or a glob with `*`.
        text, text_gone : str, optional
            Text that the page shows, or no longer shows.
        selector : str, optional
            A role selector that matches.
        idle : bool, optional
            No requests and a quiet DOM for half a second; for a quarter if nobody has acted in the document yet.
        quiet : bool, optional
            A quiet DOM for half a second, whatever the network does.
        load : bool, optional
            The load event.
        function : str, optional
            JavaScript, an expression or a function, whose value becomes true; needs `allow_evaluate`.
        request : str, optional
            A part of the address of a request, or a glob with `*`: until one is answered that was sent since the last
            action began. Its page's network is watched from then on; see `page.network`.
        seconds : float, optional
            Just a pause.
        timeout : float, optional
            Seconds to wait at most, 30 by default; 0 looks once.

        Raises
        ------
        CommandTimeout
            It didn't come true in time.

        Examples
        --------
        >>> page.wait_for(text="Saved")  # doctest: +SKIP
        """
        await io.wait(
            self.driver.wait_for(
                url=url, text=text, text_gone=text_gone, selector=selector, idle=idle, quiet=quiet, load=load,
                function=function, request=request, seconds=checked_seconds(seconds, "seconds"),
                timeout=checked_seconds(timeout),
            )
        )  # fmt: skip

    async def highlight(self, *targets: Target) -> None:
        """Outline elements on the screen.

        Parameters
        ----------
        *targets : str, Element or Node
            The elements; none takes the outlines away.
        """
        await io.wait(self.driver.highlight(targets))

    async def switch(self) -> None:
        """Bring this tab to the front."""
        await io.wait(self.driver.browser.switch_to(self.driver))

    async def close(self) -> None:
        """Close this tab; nothing where it is closed already."""
        await io.wait(self.driver.browser.close_page(self.driver))

    async def _act(
        self, command: str, target: Target | None = None, *, timeout: float | None = None, **params: Any
    ) -> ActionResult:
        seconds = checked_seconds(timeout)
        return await io.wait(self.driver.act(command, target, timeout=seconds, lazy=True, **params))
