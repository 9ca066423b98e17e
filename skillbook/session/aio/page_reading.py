"""What one reads of a page: its snapshot, texts, states, screenshots, messages, values of expressions."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, get_args

from skillbook.io_thread import io
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.word_search import find_nodes
from skillbook.protocol.commands.read import GetParams, IsParams
from skillbook.session.actions.shown_page import Capture, Screenshot, capture, read_markdown
from skillbook.session.actions.targets import Target
from skillbook.session.arguments import checked_seconds, checked_word
from skillbook.session.page.unsettled import READ_SECONDS, loaded_snapshot, settled_snapshot
from skillbook.session.page_driver import PageDriver
from skillbook.warning import warn_user

if TYPE_CHECKING:
    from skillbook.perception.markdown import Markdown
    from skillbook.perception.nodes import Node
    from skillbook.perception.summary import PageSummary
    from skillbook.protocol.commands.page_tools import PageTool

_FACTS = frozenset({*get_args(GetParams.model_fields["what"].annotation), "count"})
_STATES = frozenset(get_args(IsParams.model_fields["what"].annotation))


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

    async def snapshot(
        self, engine: str = "dom", *, timeout: float | None = None, wait: float = READ_SECONDS
    ) -> Snapshot:
        """Read the page now.

        Parameters
        ----------
        engine : str
            "dom" (a content script) or "cdp" (Chrome's DOM and accessibility trees).
        timeout : float, optional
            Seconds it may take, 30 by default.
        wait : float
            Seconds at most that is waited for what an action just before requested, and for a page with next to nothing
            on it while it is loading.

        Returns
        -------
        Snapshot
            Every frame of the page; it doesn't change later.

        Examples
        --------
        >>> snap = page.snapshot()  # doctest: +SKIP
        >>> snap.find("button 'Save'")  # doctest: +SKIP
        """
        seconds, most = checked_seconds(timeout), checked_seconds(wait, "wait") or 0.0
        snapshot = await io.wait(loaded_snapshot(self.driver, engine, timeout=seconds, wait=most))
        self.driver.shown.show(snapshot)
        return snapshot

    async def summary(self, *, wait: float = READ_SECONDS) -> PageSummary:
        """Summarize the page: its landmarks, actions, forms and collections, in at most 1,500 tokens.

        Parameters
        ----------
        wait : float
            Seconds at most that is waited for while the page gets its content, or what an action just before requested.

        Returns
        -------
        PageSummary
            A value whose text is for a model, and whose attributes are for a program.
        """
        most = checked_seconds(wait, "wait") or 0.0
        snapshot = await io.wait(settled_snapshot(self.driver, most))
        self.driver.shown.show(snapshot)
        return self.driver.summarize(snapshot)

    async def get(self, what: str, target: Target | None = None, *, name: str | None = None) -> Any:
        """Read something of the page or of an element. What to read comes first, the target second.

        Parameters
        ----------
        what : str
            "text", "value", "html", "attribute" and "style" (with `name`), "attributes", "options" (of a native
            list), "href", "box", "name", "role", "css" (a selector), "count" (of a role selector's matches), "url",
            "title".
        target : str, Element or Node, optional
            The element, for which it waits 5 s; "url", "title", "text" and "html" need none.
        name : str, optional
            The attribute's or style property's name.

        Returns
        -------
        str, int, bool, dict, list or None
            A JSON value.

        Raises
        ------
        InvalidParams
            There is no such thing to read.

        Examples
        --------
        >>> page.get("href", "link 'Next'")  # doctest: +SKIP
        """
        checked_word("page.get", what, _FACTS)
        if what == "count":
            return await io.wait(self.driver.count(target))
        return (await io.wait(self.driver.read("get", target, lazy=True, what=what, name=name)))["value"]

    async def text(self, target: Target | None = None) -> str:
        """Read the text of an element, or of the page.

        Parameters
        ----------
        target : str, Element or Node, optional
            The element, for which it waits 5 s.

        Returns
        -------
        str
            The text as the page shows it.
        """
        return str(await self.get("text", target) or "")

    async def find(self, query: str) -> list[Node]:
        """Find elements by a role selector, else by words that describe them.

        Parameters
        ----------
        query : str
            A role selector such as `row` or `link 'Next'`, or words.

        Returns
        -------
        list of Node
            Those of the page as it is now, the best first; empty if there are none.
        """
        return find_nodes(await io.wait(loaded_snapshot(self.driver)), query)

    async def query(self, text: str) -> list[Node]:
        """Find controls, forms and lists by what they are for: "send the order", "results".

        Parameters
        ----------
        text : str
            What is looked for; alternatives may be separated by "|".

        Returns
        -------
        list of Node
            At most ten of the page as it is now, the best first; empty if nothing fits.
        """
        snapshot = await io.wait(loaded_snapshot(self.driver))
        return self.driver.summarize(snapshot).nodes_for(text)

    async def markdown(
        self, within: Target | None = None, *, links: bool = True, budget: int | None = None
    ) -> Markdown:
        """Read the page's main part, or an element, as Markdown. Tables stay tables.

        Shadow roots and frames are in it. What isn't, such as menus and canvases, is named in a comment at its end.

        Parameters
        ----------
        within : str, Element or Node, optional
            The element to read whole, for which it waits 5 s; None for the page's main part.
        links : bool
            Whether links and images keep their addresses.
        budget : int, optional
            Tokens at most; what comes after is named at the end.

        Returns
        -------
        Markdown
            A str; its `left_out` has a line for each thing that isn't in it.

        Raises
        ------
        InvalidParams
            The budget is no number of tokens.

        Examples
        --------
        >>> page.markdown(budget=2000)  # doctest: +SKIP
        """
        return await io.wait(read_markdown(self.driver, within, links=links, budget=budget))

    async def value(self, target: Target) -> Any:
        """Read a field's value.

        Parameters
        ----------
        target : str, Element or Node
            The field, for which it waits 5 s.

        Returns
        -------
        str or list of str
            The value.

        Raises
        ------
        NotAllowed
            It is a field for secrets.
        """
        return await self.get("value", target)

    async def html(self, target: Target | None = None) -> str:
        """Read the HTML of an element, or of the page.

        Parameters
        ----------
        target : str, Element or Node, optional
            The element, for which it waits 5 s.

        Returns
        -------
        str
            The HTML as it is now, without the values of secret fields.
        """
        return str(await self.get("html", target) or "")

    async def attribute(self, target: Target, name: str) -> str | None:
        """Read an attribute of an element.

        Parameters
        ----------
        target : str, Element or Node
            The element, for which it waits 5 s.
        name : str
            The attribute's name.

        Returns
        -------
        str or None
            None if the element has no such attribute.
        """
        found: str | None = await self.get("attribute", target, name=name)
        return found

    async def count(self, selector: str) -> int:
        """Count what a role selector matches now.

        Parameters
        ----------
        selector : str
            A role selector, such as "listitem in main".

        Returns
        -------
        int
            How many nodes match; it doesn't wait for any.
        """
        return int(await self.get("count", selector))

    async def is_(self, what: str, target: Target) -> bool:
        """Query an element's state. The state comes first, the target second.

        Parameters
        ----------
        what : str
            "visible", "hidden", "in_view", "enabled", "disabled", "checked", "mixed", "pressed", "editable",
            "readonly", "required", "invalid", "focused", "selected", "expanded".
        target : str, Element or Node
            The element, for which it waits 5 s.

        Returns
        -------
        bool
            Whether it is in that state now.

        Raises
        ------
        InvalidParams
            There is no such state.

        Examples
        --------
        >>> page.is_("expanded", "button 'Menu'")  # doctest: +SKIP
        """
        checked_word("page.is_", what, _STATES)
        return bool((await io.wait(self.driver.read("is", target, lazy=True, what=what)))["value"])

    async def is_visible(self, target: Target) -> bool:
        """Query whether an element is visible.

        Parameters
        ----------
        target : str, Element or Node
            The element, for which it waits 5 s.

        Returns
        -------
        bool
            Whether it takes up space and isn't hidden.
        """
        return await self.is_("visible", target)

    async def is_enabled(self, target: Target) -> bool:
        """Query whether a control is enabled.

        Parameters
        ----------
        target : str, Element or Node
            The control, for which it waits 5 s.

        Returns
        -------
        bool
            Whether it can be used.
        """
        return await self.is_("enabled", target)

    async def is_editable(self, target: Target) -> bool:
        """Query whether a field can be edited.

        Parameters
        ----------
        target : str, Element or Node
            The field, for which it waits 5 s.

        Returns
        -------
        bool
            Whether it is enabled and not read-only.
        """
        return await self.is_("editable", target)

    async def is_checked(self, target: Target) -> bool:
        """Query whether a checkbox, radio button or switch is checked.

        Parameters
        ----------
        target : str, Element or Node
            The control, for which it waits 5 s.

        Returns
        -------
        bool
            Whether it is checked.
        """
        return await self.is_("checked", target)

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        target: Target | None = None,
        format: str = "png",
        quality: int | None = None,
        max_width: int | None = None,
    ) -> bytes:
        """Take a screenshot of the viewport, the whole page or an element. Fields that hold secrets are blank in it.

        Parameters
        ----------
        full_page : bool
            The whole page rather than the viewport.
        target : str, Element or Node, optional
            Only this element.
        format : str
            "png" or "jpeg".
        quality : int, optional
            1 to 100, for "jpeg".
        max_width : int, optional
            Pixels to which it is scaled down if it is wider.

        Returns
        -------
        bytes
            The image, which a notebook shows as such.
        """
        options: dict[str, Any] = {
            "full_page": full_page,
            "format": format,
            "quality": quality,
            "max_width": max_width,
        }
        data = await io.wait(self.driver.read("screenshot", target, **options))
        return Screenshot(base64.b64decode(data["data"]))

    async def capture(self, *targets: Target) -> Capture:
        """Take a screenshot with the place of each target in it, to choose between elements of the same name.

        Parameters
        ----------
        *targets : str, Element or Node
            The elements to mark.

        Returns
        -------
        Capture
            The viewport, or the whole page if one of them is outside.

        Raises
        ------
        DebuggerUnavailable
            One is outside, and there is no debugger for a screenshot of the whole page.
        """
        return await io.wait(capture(self.driver, targets))

    async def page_tools(self) -> list[PageTool]:
        """List the tools that the page and its frames declare (WebMCP); snapshots list them too.

        Returns
        -------
        list of PageTool
            Name, description, `input_schema` and `frame` of each, all of them untrusted. Empty unless the browser was
            started with `launch(page_tools=True)`. Warns of frames for which the browser doesn't say which they have.
        """
        if not self.driver.browser.page_tools:
            return []
        tools = list(await io.wait(self.driver.list_tools()))
        if self.driver.silent_frames:
            which = ", ".join(frame or "the page itself" for frame in self.driver.silent_frames)
            warn_user(f"The browser doesn't say which tools there are in {which}; page.reload() helps.")
        return tools

    async def console(self, level: str = "all") -> list[dict[str, Any]]:
        """Read the page's console messages.

        Parameters
        ----------
        level : str
            "all", "errors" or "warnings".

        Returns
        -------
        list of dict
            Level, text, url, line and time of each.
        """
        messages: list[dict[str, Any]] = (await io.wait(self.driver.read("console", level=level)))["messages"]
        return messages

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page.

        Parameters
        ----------
        expression : str
            An expression, or a function, which gets the target's element.
        target : str, Element or Node, optional
            The element to pass, for which it waits 5 s.

        Returns
        -------
        str, int, bool, dict, list or None
            The JSON value of the expression.

        Raises
        ------
        EvaluateRefused
            It wasn't allowed at launch or connect.
        """
        return (await io.wait(self.driver.evaluate(expression, target)))["value"]
