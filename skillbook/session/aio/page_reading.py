"""What one reads of a page: its snapshot, texts, states, screenshots, messages, values of expressions."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any

from skillbook.io_thread import io
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.capture import Capture, capture
from skillbook.session.actions.targets import Target
from skillbook.session.page_driver import PageDriver

if TYPE_CHECKING:
    from skillbook.perception.summary import PageSummary
    from skillbook.protocol.commands.page_tools import PageTool


class PageReading:
    """What one can read of a page."""

    driver: PageDriver

    @property
    def url(self) -> str:
        """The address, as the browser committed it."""
        return self.driver.url

    @property
    def title(self) -> str:
        """The document's title."""
        return self.driver.title

    @property
    def closed(self) -> bool:
        """Whether the tab is gone or no longer shared."""
        return self.driver.closed is not None

    async def snapshot(self, engine: str = "dom", *, timeout: float | None = None) -> Snapshot:
        """Read the page now.

        Parameters
        ----------
        engine : "dom" (a content script) or "cdp" (Chrome's DOM and accessibility trees).
        timeout : seconds.

        Returns
        -------
        An immutable `Snapshot` of every frame.
        """
        return await io.wait(self.driver.snapshot(engine, timeout=timeout))

    async def summary(self) -> PageSummary:
        """The page's landmarks, actions, forms and collections, in at most 1,500 tokens."""
        from skillbook.perception.summary import summarize

        snapshot = await self.snapshot()
        started = time.perf_counter()
        found = summarize(snapshot)
        self.driver.browser.journal.measure("summary", (time.perf_counter() - started) * 1000, ok=True)
        return found

    async def get(self, what: str, target: Target | None = None, *, name: str | None = None) -> Any:
        """Read something of the page or of an element.

        Parameters
        ----------
        what : "text", "value", "html", "attribute" and "style" (with `name`), "attributes", "options" (of a native
            list), "href", "box", "name", "role", "css" (a selector), "count" (of a role selector's matches), "url",
            "title".
        target : the element; "url", "title", "text" and "html" need none.
        """
        if what == "count":
            return await io.wait(self.driver.count(target))
        return (await io.wait(self.driver.read("get", target, what=what, name=name)))["value"]

    async def is_(self, what: str, target: Target) -> bool:
        """Query an element's state.

        Parameters
        ----------
        what : "visible", "hidden", "in_view", "enabled", "disabled", "checked", "mixed", "pressed", "editable",
            "readonly", "required", "invalid", "focused", "selected", "expanded".
        target : the element.
        """
        return bool((await io.wait(self.driver.read("is", target, what=what)))["value"])

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        target: Target | None = None,
        format: str = "png",
        quality: int | None = None,
        max_width: int | None = None,
    ) -> bytes:
        """A screenshot of the viewport, the whole page or an element, as PNG or JPEG bytes.

        Fields that hold secrets are blank in it; `max_width` scales it down to so many pixels.
        """
        options = {"full_page": full_page, "format": format, "quality": quality, "max_width": max_width}
        data = await io.wait(self.driver.read("screenshot", target, **options))
        return base64.b64decode(data["data"])

    async def capture(self, *targets: Target) -> Capture:
        """A screenshot with the place of each target in it: to choose between elements of the same name.

        It shows the viewport, or the whole page where one of them is outside.

        Raises
        ------
        DebuggerUnavailable : one is outside, and there is no debugger for a screenshot of the whole page.
        """
        return await io.wait(capture(self.driver, targets))

    async def page_tools(self) -> list[PageTool]:
        """The tools that the page declares (WebMCP): name, description and `input_schema`, all of them untrusted.

        Snapshots list them too. Empty unless the browser was started with `launch(page_tools=True)`.
        """
        return list(await io.wait(self.driver.list_tools())) if self.driver.browser.page_tools else []

    async def console(self, level: str = "all") -> list[dict[str, Any]]:
        """The page's console messages: "all", "errors" or "warnings"."""
        messages: list[dict[str, Any]] = (await io.wait(self.driver.read("console", level=level)))["messages"]
        return messages

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page and return its JSON value.

        Raises
        ------
        EvaluateRefused : it wasn't allowed at launch or connect.
        """
        return (await io.wait(self.driver.evaluate(expression, target)))["value"]
