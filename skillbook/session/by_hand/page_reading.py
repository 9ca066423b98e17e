"""What one reads of a page: its snapshot, texts, states, screenshots, messages, values of expressions."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, get_args

from skillbook.io_thread import io
from skillbook.limits import READ_SECONDS
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands.read import GetParams, IsParams
from skillbook.session.actions.shown_page import Capture, Screenshot, capture, read_markdown
from skillbook.session.actions.targets import Target
from skillbook.session.arguments import checked_seconds, checked_word
from skillbook.session.awaited_call import AwaitedCall
from skillbook.session.page_driver import PageDriver
from skillbook.warning import warn_user

if TYPE_CHECKING:
    from skillbook.perception.markdown import Markdown
    from skillbook.perception.nodes import Node
    from skillbook.perception.summary import PageSummary
    from skillbook.perception.word_search import FoundNodes
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

        :param engine: "dom" (a content script) or "cdp" (Chrome's DOM and accessibility trees).
        :param wait: Seconds at most that is waited for what the last action, or the load of the page, caused.
        :returns: Every frame of the page; it doesn't change later.

        >>> snap = page.snapshot()
        >>> snap.find("button 'Save'")
        """
        seconds, most = checked_seconds(timeout), checked_seconds(wait, "wait") or 0.0
        with AwaitedCall() as shown:
            await io.wait(self.driver.settled("rest", most), meanwhile=shown)
            snapshot = await io.wait(self.driver.snapshot(engine, timeout=seconds), meanwhile=shown)
        self.driver.shown.show(snapshot)
        return snapshot

    async def summary(self, *, wait: float = READ_SECONDS) -> PageSummary:
        """Summarize the page: its landmarks, actions, forms and collections, in at most 1,500 tokens.

        :param wait: Seconds at most that is waited for what the last action, or the load of the page, caused.
        :returns: A value whose text is for a model, and whose attributes are for a program.
        """
        most = checked_seconds(wait, "wait") or 0.0
        with AwaitedCall() as shown:
            await io.wait(self.driver.settled("rest", most), meanwhile=shown)
            snapshot = await io.wait(self.driver.snapshot(), meanwhile=shown)
        self.driver.shown.show(snapshot)
        return self.driver.summarize(snapshot)

    async def get(self, what: str, target: Target | None = None, *, name: str | None = None) -> Any:
        """Read something of the page or of an element.

        What to read comes first, the target second.

        :param what: "text", "value", "html", "attribute" and "style" (with `name`), "attributes", "options"
            (of a native list), "href", "box", "name", "role", "css" (a selector), "count" (of a role
            selector's matches), "url", "title".
        :param target: The element, for which it waits 5 s; "url", "title", "text" and "html" need none.
        :param name: The attribute's or style property's name.
        :returns: A JSON value.
        :raises InvalidParams: There is no such thing to read.

        >>> page.get("href", "link 'Next'")
        """
        checked_word("page.get", what, _FACTS)
        if what == "count":
            return await io.wait(self.driver.count(target))
        reading = self.driver.read("get", target, lazy=True, what=what, name=name)
        return (await io.wait(reading))["value"]

    async def text(self, target: Target | None = None) -> str:
        """Read the text of an element, or of the page.

        :returns: The text as the page shows it.
        """
        return str(await self.get("text", target) or "")

    async def find(self, query: str) -> FoundNodes:
        """Find elements by a role selector, else by words that describe them.

        As on a snapshot, what it returns stands for the one element that a selector names: it has that node's
        attributes and is a target. It is a list, too, of all that the page shows now, the best first.

        :param query: A role selector such as `row` or `link 'Next'`, or words.
        :returns: The nodes; empty if there are none. To read an attribute of none, or of several, is an error
            that says which there are.

        >>> page.find("button 'Save'").ref
        >>> [row.text for row in page.find("row")]
        """
        return await io.wait(self.driver.find(query))

    async def find_all(self, selector: str) -> list[Node]:
        """Find all elements that a role selector names, as a snapshot does.

        :param selector: A role selector.
        :returns: Those of the page as it is now, in document order; empty if there are none.
        :raises SelectorSyntaxError: It is none.
        """
        parse_selector(selector)
        return list(await self.find(selector))

    async def query(self, text: str) -> list[Node]:
        """Find controls, forms and lists by what they are for: "send the order", "results".

        :param text: What is looked for; alternatives may be separated by "|".
        :returns: At most ten of the page as it is now, the best first; empty if nothing fits.
        """
        with AwaitedCall() as shown:
            await io.wait(self.driver.settled("rest"), meanwhile=shown)
            snapshot = await io.wait(self.driver.snapshot(), meanwhile=shown)
        return self.driver.summarize(snapshot).nodes_for(text)

    async def markdown(
        self, within: Target | None = None, *, links: bool = True, budget: int | None = None
    ) -> Markdown:
        """Read the page's main part, or an element, as Markdown. Tables stay tables.

        Shadow roots and frames are in it. What isn't, such as menus and canvases, is named in a comment at its end.

        :param within: The element to read whole, for which it waits 5 s; None for the page's main part.
        :param links: Whether links and images keep their addresses.
        :param budget: Tokens at most; what comes after is named at the end.
        :returns: A str; its `left_out` has a line for each thing that isn't in it.
        :raises InvalidParams: The budget is no number of tokens.

        >>> page.markdown(budget=2000)
        """
        return await io.wait(read_markdown(self.driver, within, links=links, budget=budget))

    async def value(self, target: Target) -> Any:
        """Read a field's value.

        :param target: The field, for which it waits 5 s.
        :returns: The value.
        :rtype: str or list of str
        :raises NotAllowed: It is a field for secrets.
        """
        return await self.get("value", target)

    async def html(self, target: Target | None = None) -> str:
        """Read the HTML of an element, or of the page.

        :returns: The HTML as it is now, without the values of secret fields.
        """
        return str(await self.get("html", target) or "")

    async def attribute(self, target: Target, name: str) -> str | None:
        """Read an attribute of an element.

        :param name: The attribute's name.
        :returns: None if the element has no such attribute.
        """
        found: str | None = await self.get("attribute", target, name=name)
        return found

    async def count(self, selector: str) -> int:
        """Count what a role selector matches now.

        :param selector: A role selector, such as "listitem in main".
        :returns: How many nodes match; it doesn't wait for any.
        """
        return int(await self.get("count", selector))

    async def is_(self, what: str, target: Target) -> bool:
        """Query an element's state.

        The state comes first, the target second.

        :returns: Whether it is in that state now.
        :raises InvalidParams: There is no such state.

        >>> page.is_("expanded", "button 'Menu'")
        """
        checked_word("page.is_", what, _STATES)
        reading = self.driver.read("is", target, lazy=True, what=what)
        return bool((await io.wait(reading))["value"])

    async def is_visible(self, target: Target) -> bool:
        """Query whether an element is visible.

        :returns: Whether it takes up space and isn't hidden.
        """
        return await self.is_("visible", target)

    async def is_enabled(self, target: Target) -> bool:
        """Query whether a control is enabled.

        :param target: The control, for which it waits 5 s.
        :returns: Whether it can be used.
        """
        return await self.is_("enabled", target)

    async def is_editable(self, target: Target) -> bool:
        """Query whether a field can be edited.

        :param target: The field, for which it waits 5 s.
        :returns: Whether it is enabled and not read-only.
        """
        return await self.is_("editable", target)

    async def is_checked(self, target: Target) -> bool:
        """Query whether a checkbox, radio button or switch is checked.

        :param target: The control, for which it waits 5 s.
        :returns: Whether it is checked.
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

        :param target: Only this element.
        :returns: The image, which a notebook shows as such.
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

        :param targets: The elements to mark.
        :returns: The viewport, or the whole page if one of them is outside.
        :raises DebuggerUnavailable: One is outside, and there is no debugger for a screenshot of the whole
            page.
        """
        return await io.wait(capture(self.driver, targets))

    async def page_tools(self) -> list[PageTool]:
        """List the tools that the page and its frames declare (WebMCP); snapshots list them too.

        :returns: Name, description, `input_schema` and `frame` of each, all of them untrusted. Empty unless
            the browser was started with `launch(page_tools=True)`. Warns of frames for which the browser
            doesn't say which they have.
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

        :returns: Level, text, url, line and time of each.
        """
        messages: list[dict[str, Any]] = (await io.wait(self.driver.read("console", level=level)))["messages"]
        return messages

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page, or a function on an element.

        :param expression: An expression, or a function, which gets the target's element.
        :param target: The element to pass, for which it waits 5 s.
        :returns: The JSON value of the expression.
        :raises EvaluateRefused: It wasn't allowed at launch or connect.
        """
        return (await io.wait(self.driver.evaluate(expression, target)))["value"]
