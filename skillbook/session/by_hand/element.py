"""An element of a page, by its ref."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from skillbook.hooks import bundle
from skillbook.perception.nodes import Node
from skillbook.session.actions.result import ActionResult
from skillbook.session.aio.element_methods import ElementMethods
from skillbook.session.aio.page_actions import PageActions
from skillbook.session.page_driver import PageDriver


class Element(ElementMethods):
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
        return await self.page.click(self, at=at, button=button, modifiers=modifiers, timeout=timeout)

    async def get(self, what: str, name: str | None = None) -> Any:
        return await self.page.get(what, self, name=name)

    async def highlight(self) -> None:
        """Outline it on the screen."""
        await self.page.highlight(self)

    async def screenshot(
        self, *, format: str = "png", quality: int | None = None, max_width: int | None = None
    ) -> bytes:
        return await self.page.screenshot(target=self, format=format, quality=quality, max_width=max_width)

    def __repr__(self) -> str:
        return f"<Element {self.ref} {self.role} {self.name!r}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)
