"""What a page is asked: texts, states, pictures, messages, values of expressions."""

from __future__ import annotations

import base64
from typing import Any

from skillbook.io_thread import io
from skillbook.session.actions.capture import Capture, capture
from skillbook.session.actions.targets import Target
from skillbook.session.drivers import PageDriver


class PageReading:
    """The reading half of a `Page`."""

    driver: PageDriver

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
        """Ask for an element's state.

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
        """A picture of the viewport, the whole page or an element, as PNG or JPEG bytes.

        Fields that hold secrets are blank in it; `max_width` scales it down to so many pixels.
        """
        options = {"full_page": full_page, "format": format, "quality": quality, "max_width": max_width}
        data = await io.wait(self.driver.read("screenshot", target, **options))
        return base64.b64decode(data["data"])

    async def capture(self, *targets: Target) -> Capture:
        """A picture with the place of each target in it: to choose between elements that their names don't tell apart.

        It shows the viewport, or the whole page where one of them is outside.

        Raises
        ------
        DebuggerUnavailable : one is outside, and there is no debugger to picture the whole page.
        """
        return await io.wait(capture(self.driver, targets))

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
