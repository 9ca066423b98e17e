"""An element of a page, by its ref."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from os import PathLike
from typing import Any

from skillbook.hooks import bundle
from skillbook.perception.nodes import Node
from skillbook.session.actions.result import ActionResult
from skillbook.session.actions.targets import Target
from skillbook.session.aio.page_actions import PageActions
from skillbook.session.docstrings import document_like
from skillbook.session.page_driver import PageDriver


class Element:
    """A node that one can act on, as the page's last snapshot had it.

    Its methods are those of `Page`, without the target.

    Parameters
    ----------
    page : Page
        Where it is.
    node : Node
        The node of the snapshot it was found in; `element.node` later.

    Examples
    --------
    >>> field = page["e5"]  # doctest: +SKIP
    >>> field.fill("lamp")  # doctest: +SKIP
    >>> field.value  # doctest: +SKIP
    'lamp'
    """

    def __init__(self, page: PageActions, node: Node) -> None:
        self.page = page
        self.node = node

    @property
    def driver(self) -> PageDriver:
        """The page's driver, for what works below this facade."""
        return self.page.driver

    @property
    def ref(self) -> str:
        """The element's ref."""
        return self.node.ref or ""

    @property
    def role(self) -> str:
        """The element's ARIA role."""
        return self.node.role

    @property
    def name(self) -> str:
        """The element's accessible name."""
        return self.node.name

    @property
    def text(self) -> Awaitable[Any]:
        """The element's text now."""
        return self._read("text")

    @property
    def value(self) -> Awaitable[Any]:
        """The element's value now; `NotAllowed` for secret fields."""
        return self._read("value")

    async def _read(self, what: str) -> Any:
        return await self.page.get(what, self)

    async def click(
        self,
        *,
        at: tuple[float, float] | None = None,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Click it."""
        return await self.page.click(self, at=at, button=button, modifiers=modifiers, timeout=timeout)

    async def dblclick(
        self,
        *,
        at: tuple[float, float] | None = None,
        button: str = "left",
        modifiers: Sequence[str] = (),
        timeout: float | None = None,
    ) -> ActionResult:
        """Double-click it."""
        return await self.page.dblclick(self, at=at, button=button, modifiers=modifiers, timeout=timeout)

    async def fill(self, value: str | float, *, timeout: float | None = None) -> ActionResult:
        """Replace its value."""
        return await self.page.fill(self, value, timeout=timeout)

    async def clear(self, *, timeout: float | None = None) -> ActionResult:
        """Empty it."""
        return await self.page.clear(self, timeout=timeout)

    async def type(
        self, text: str | float, *, delay_ms: int = 0, clear: bool = False, timeout: float | None = None
    ) -> ActionResult:
        """Type text into it, key by key."""
        return await self.page.type(self, text, delay_ms=delay_ms, clear=clear, timeout=timeout)

    async def press(self, key: str, *, timeout: float | None = None) -> ActionResult:
        """Focus it and press a key."""
        return await self.page.press(key, self, timeout=timeout)

    async def hover(self, *, timeout: float | None = None) -> ActionResult:
        """Move the mouse over it."""
        return await self.page.hover(self, timeout=timeout)

    async def focus(self, *, timeout: float | None = None) -> ActionResult:
        """Give it the keyboard focus."""
        return await self.page.focus(self, timeout=timeout)

    async def check(self, *, timeout: float | None = None) -> ActionResult:
        """Check it."""
        return await self.page.check(self, timeout=timeout)

    async def uncheck(self, *, timeout: float | None = None) -> ActionResult:
        """Uncheck it."""
        return await self.page.uncheck(self, timeout=timeout)

    async def select(
        self, *values: str | int | Sequence[str | int], by: str | None = None, timeout: float | None = None
    ) -> ActionResult:
        """Choose options by label, value or number."""
        return await self.page.select(self, *values, by=by, timeout=timeout)

    async def drag(
        self,
        to: Target | None = None,
        *,
        dx: int = 0,
        dy: int = 0,
        position: str = "center",
        timeout: float | None = None,
    ) -> ActionResult:
        """Drag it onto another element, or by a distance."""
        return await self.page.drag(self, to, dx=dx, dy=dy, position=position, timeout=timeout)

    async def scroll(
        self,
        *,
        dx: int = 0,
        dy: int = 0,
        to: str | None = None,
        until: str | None = None,
        to_row: int | None = None,
        timeout: float | None = None,
    ) -> ActionResult:
        """Bring it into view, or scroll inside it."""
        return await self.page.scroll(self, dx=dx, dy=dy, to=to, until=until, to_row=to_row, timeout=timeout)

    async def submit(self, *, timeout: float | None = None) -> ActionResult:
        """Submit the form that it belongs to."""
        return await self.page.submit(self, timeout=timeout)

    async def upload(self, *files: str, timeout: float | None = None) -> ActionResult:
        """Choose files in it."""
        return await self.page.upload(self, *files, timeout=timeout)

    async def download(
        self, folder: str | PathLike[str] | None = None, *, timeout: float | None = None
    ) -> ActionResult:
        """Click it and wait for the file that it downloads."""
        return await self.page.download(self, folder, timeout=timeout)

    async def evaluate(self, expression: str) -> Any:
        """Run a JavaScript function on it."""
        return await self.page.evaluate(expression, self)

    async def get(self, what: str, name: str | None = None) -> Any:
        """Read something of it."""
        return await self.page.get(what, self, name=name)

    async def html(self) -> str:
        """Read its HTML."""
        return await self.page.html(self)

    async def attribute(self, name: str) -> str | None:
        """Read one of its attributes."""
        return await self.page.attribute(self, name)

    async def is_(self, what: str) -> bool:
        """Query its state."""
        return await self.page.is_(what, self)

    async def is_visible(self) -> bool:
        """Query whether it is visible."""
        return await self.page.is_visible(self)

    async def is_enabled(self) -> bool:
        """Query whether it is enabled."""
        return await self.page.is_enabled(self)

    async def is_editable(self) -> bool:
        """Query whether it can be edited."""
        return await self.page.is_editable(self)

    async def is_checked(self) -> bool:
        """Query whether it is checked."""
        return await self.page.is_checked(self)

    async def highlight(self) -> None:
        """Outline it on the screen."""
        await self.page.highlight(self)

    async def screenshot(
        self, *, format: str = "png", quality: int | None = None, max_width: int | None = None
    ) -> bytes:
        """Its screenshot."""
        return await self.page.screenshot(target=self, format=format, quality=quality, max_width=max_width)

    def __repr__(self) -> str:
        return f"<Element {self.ref} {self.role} {self.name!r}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)


document_like(Element, PageActions)
