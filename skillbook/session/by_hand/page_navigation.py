"""Where a tab goes, what it waits for, its dialogs, and the tab itself."""

from __future__ import annotations

from skillbook.io_thread import io
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_commands import PageCommands
from skillbook.session.aio.page_keeping import PageKeeping
from skillbook.session.aio.page_reading import PageReading
from skillbook.session.arguments import checked_seconds
from skillbook.session.page.dialogs import DialogRule


class PageNavigation(PageCommands, PageReading, PageKeeping):
    """What one can do with a page as a whole."""

    def on_dialog(self, rule: DialogRule | None) -> None:
        """Answer this page's JavaScript dialogs by a rule.

        :param rule: "ask" leaves them open for `handle_dialog`, "accept" and "dismiss" answer at once; a
            function gets the dialog (`kind`, `message`, `default`) and returns True, False, a prompt's
            text, or None to leave it open. None for the browser's rule.
        """
        self.driver.dialogs.set(rule)

    go_back = PageCommands.back
    go_forward = PageCommands.forward

    async def handle_dialog(self, accept: bool = True, text: str | None = None) -> ActionResult:
        return await self._act("handle_dialog", accept=accept, text=text)

    async def wait_for(
        self,
        selector: str | None = None,
        *,
        url: str | None = None,
        text: str | None = None,
        text_gone: str | None = None,
        idle: bool | None = None,
        load: bool | None = None,
        function: str | None = None,
        request: str | None = None,
        seconds: float | None = None,
        timeout: float | None = None,
    ) -> None:
        """Wait for exactly one condition.

        :param selector: A role selector, such as `table` or "button 'Pay'": until the page shows what it names.
        :param function: JavaScript, an expression or a function, whose value becomes true; needs
            `allow_evaluate`.
        :param request: A part of the address of a request, or a glob with `*`: until one is answered that
            was sent since the last action began. Its page's network is watched from then on; see
            `page.network`.
        :param timeout: Seconds to wait at most, 30 by default; 0 looks once.
        :raises CommandTimeout: It didn't come true in time.

        >>> page.wait_for("table")
        >>> page.wait_for(text="Saved")
        """
        waiting = self.driver.wait_for(
            url=url, text=text, text_gone=text_gone, selector=selector, idle=idle, load=load,
            function=function, request=request, seconds=checked_seconds(seconds, "seconds"),
            timeout=checked_seconds(timeout),
        )  # fmt: skip
        await io.wait(waiting)

    async def highlight(self, *targets: Target) -> None:
        """Outline elements on the screen.

        :param targets: The elements; none takes the outlines away.
        """
        await io.wait(self.driver.highlight(targets))

    async def switch(self) -> None:
        await io.wait(self.driver.browser.switch_to(self.driver))

    async def close(self) -> None:
        """Close this tab; nothing where it is closed already."""
        await io.wait(self.driver.browser.close_page(self.driver))
