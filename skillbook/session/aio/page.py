"""A page: one shared tab."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.perception.snapshot import Snapshot
from skillbook.session.aio.element import Element
from skillbook.session.hooks import bundle
from skillbook.session.hop import await_on_io
from skillbook.session.page_driver import PageDriver
from skillbook.session.paths import absolute_files
from skillbook.session.result import ActionResult
from skillbook.session.targets import Target

if TYPE_CHECKING:
    from skillbook.perception.summary import PageSummary
    from skillbook.session.aio.browser import Browser


class Page:
    """One shared tab.

    A target is a ref (`"e12"`), an `Element` or `Node`, or a role selector (`"button 'Save'"`), which is looked for
    until it matches. Every action returns an `ActionResult` and raises, among others: `UnknownRef`, `StaleRef`,
    `NoMatch`, `AmbiguousMatch`, `NotActionable`, `NotAllowed`, `CommandTimeout`, `PageClosed`, `ConnectionLost`.
    """

    def __init__(self, browser: Browser, driver: PageDriver) -> None:
        self.browser = browser
        self.driver = driver

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
        return await await_on_io(self.driver.snapshot(engine, timeout=timeout))

    async def summary(self) -> PageSummary:
        """The page's landmarks, actions, forms and collections, in at most 1,500 tokens."""
        from skillbook.perception.summary import summarize

        return summarize(await self.snapshot())

    async def _act(self, command: str, target: Target | None = None, **params: Any) -> ActionResult:
        return await await_on_io(self.driver.act(command, target, **params))

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
        return await self._act("click", target, button=button, modifiers=list(modifiers), timeout=timeout)

    async def dblclick(
        self,
        target: Target,
        *,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Double-click an element."""
        return await self._act("dblclick", target, button=button, modifiers=list(modifiers), timeout=timeout)

    async def fill(self, target: Target, value: str, *, timeout: float | None = None) -> ActionResult:
        """Replace a field's value; `sb.secret("name")` may stand for it."""
        return await self._act("fill", target, value=str(value), timeout=timeout)

    async def type(
        self, target: Target, text: str, *, delay_ms: int = 0, timeout: float | None = None
    ) -> ActionResult:
        """Type text into a field key by key, after what is there; `delay_ms` milliseconds between keys."""
        return await self._act("type", target, text=str(text), delay_ms=delay_ms, timeout=timeout)

    async def press(
        self, key: str, target: Target | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Press a key or a combination such as `Enter`, `ArrowDown` or `Control+A`, on a target if given."""
        return await self._act("press", target, key=key, timeout=timeout)

    async def hover(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Move the mouse over an element."""
        return await self._act("hover", target, timeout=timeout)

    async def focus(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Give an element the keyboard focus."""
        return await self._act("focus", target, timeout=timeout)

    async def check(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Check a checkbox, radio button or switch; nothing happens where it is checked."""
        return await self._act("check", target, timeout=timeout)

    async def uncheck(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Uncheck a checkbox or switch; nothing happens where it is unchecked."""
        return await self._act("uncheck", target, timeout=timeout)

    async def select(self, target: Target, *values: str, timeout: float | None = None) -> ActionResult:
        """Choose options of a list by label, else by value."""
        return await self._act("select", target, values=[str(value) for value in values], timeout=timeout)

    async def drag(
        self, target: Target, to: Target | None = None, *, dx: int = 0, dy: int = 0, position: str = "center"
    ) -> ActionResult:
        """Drag an element onto another one, or by `dx` and `dy` pixels.

        `position` is where on the other element to drop: "center", "before" or "after".
        """
        return await self._act("drag", target, drop_on=to, dx=dx, dy=dy, position=position)

    async def scroll(
        self, target: Target | None = None, *, dx: int = 0, dy: int = 0, to: str | None = None
    ) -> ActionResult:
        """Scroll by pixels or to the "top" or "bottom"; with a target bring that into view, or scroll in it."""
        return await self._act("scroll", target, dx=dx, dy=dy, to=to)

    async def submit(self, target: Target, *, timeout: float | None = None) -> ActionResult:
        """Submit the form that an element belongs to."""
        return await self._act("submit", target, timeout=timeout)

    async def upload(self, target: Target, *files: str, timeout: float | None = None) -> ActionResult:
        """Choose files, by path, in a file field."""
        return await self._act("upload", target, files=absolute_files(files), timeout=timeout)

    async def handle_dialog(self, accept: bool = True, text: str | None = None) -> ActionResult:
        """Answer the JavaScript dialog that holds the page: OK or Cancel, and a prompt's text."""
        return await self._act("handle_dialog", accept=accept, text=text)

    async def goto(self, url: str, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go to a URL and wait for "load", "dom" or "none"; allows its origin for writes.

        Raises
        ------
        PageUnreachable : it didn't load. NotAllowed : it isn't an http or https URL, or hides where it leads.
        """
        return await self._act("goto", url=url, wait=wait, timeout=timeout)

    async def back(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go back in the history."""
        return await self._act("back", wait=wait, timeout=timeout)

    async def forward(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Go forward in the history."""
        return await self._act("forward", wait=wait, timeout=timeout)

    async def reload(self, *, wait: str = "load", timeout: float | None = None) -> ActionResult:
        """Load the page again."""
        return await self._act("reload", wait=wait, timeout=timeout)

    async def wait_for(
        self,
        *,
        url: str | None = None,
        text: str | None = None,
        text_gone: str | None = None,
        selector: str | None = None,
        idle: bool | None = None,
        timeout: float | None = None,
    ) -> None:
        """Wait for exactly one condition.

        Parameters
        ----------
        url : a part of the address, or a glob with `*`.
        text, text_gone : text that the page shows, or no longer shows.
        selector : a role selector that matches.
        idle : no requests and a quiet DOM for half a second.
        timeout : seconds.

        Raises
        ------
        CommandTimeout : it didn't come true in time.
        """
        await await_on_io(
            self.driver.wait_for(
                url=url, text=text, text_gone=text_gone, selector=selector, idle=idle, timeout=timeout
            )
        )

    async def get(self, what: str, target: Target | None = None, *, name: str | None = None) -> Any:
        """Read something of the page or of an element.

        Parameters
        ----------
        what : "text", "value", "html", "attribute" (with `name`), "href", "box", "name", "role", "css", "url", "title".
        target : the element; "url" and "title" need none.
        """
        return (await await_on_io(self.driver.read("get", target, what=what, name=name)))["value"]

    async def is_(self, what: str, target: Target) -> bool:
        """Ask for an element's state.

        Parameters
        ----------
        what : "visible", "hidden", "enabled", "disabled", "checked", "editable", "focused", "selected", "expanded".
        target : the element.
        """
        return bool((await await_on_io(self.driver.read("is", target, what=what)))["value"])

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        target: Target | None = None,
        format: str = "png",
        quality: int | None = None,
    ) -> bytes:
        """A picture of the viewport, the whole page or an element, as PNG or JPEG bytes."""
        data = await await_on_io(
            self.driver.read("screenshot", target, full_page=full_page, format=format, quality=quality)
        )
        return base64.b64decode(data["data"])

    async def console(self, level: str = "all") -> list[dict[str, Any]]:
        """The page's console messages: "all", "errors" or "warnings"."""
        messages: list[dict[str, Any]] = (await await_on_io(self.driver.read("console", level=level)))[
            "messages"
        ]
        return messages

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page and return its JSON value.

        Raises
        ------
        EvaluateRefused : it wasn't allowed at launch or connect.
        """
        return (await await_on_io(self.driver.evaluate(expression, target)))["value"]

    async def highlight(self, *targets: Target) -> None:
        """Outline elements on the screen; none clears."""
        await await_on_io(self.driver.highlight(targets))

    async def switch(self) -> None:
        """Bring this tab to the front."""
        await await_on_io(self.driver.browser.switch_to(self.driver))

    async def close(self) -> None:
        """Close this tab."""
        await await_on_io(self.driver.browser.close_page(self.driver))

    def __getitem__(self, target: str) -> Element:
        return Element(self, self.driver.known(target))

    def _ipython_key_completions_(self) -> list[str]:
        latest = self.driver.latest
        return [node.ref for node in latest.elements if node.ref] if latest else []

    def __repr__(self) -> str:
        return f"<Page {self.title!r} {self.url}>" if not self.closed else f"<Page {self.url} (closed)>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)
