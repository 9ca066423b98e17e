"""What a page is told or asked, as an expression for Playwright, for steps and for code alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection

_ON_ELEMENT = {
    "dblclick": "dblclick()",
    "hover": "hover()",
    "focus": "focus()",
    "check": "check()",
    "uncheck": "uncheck()",
    "clear": "clear()",
    "submit": "evaluate('element => (element.form ?? element.closest(\"form\")).requestSubmit()')",
    "is_visible": "is_visible()",
    "is_enabled": "is_enabled()",
    "is_checked": "is_checked()",
}
_ON_PAGE = {"back": "go_back()", "forward": "go_forward()", "reload": "reload()"}
_OF_PAGE = {"url": "page.url", "title": "page.title()"}
_FACTS = {
    "text": "inner_text().strip()",
    "value": "input_value()",
    "html": "inner_html()",
    "href": "get_attribute('href')",
}


class Refused(Exception):
    """A call has no counterpart in Playwright; its text says why."""


class PageCalls(ABC):
    """One call; how its arguments are written is the subclass's."""

    rest = "page.wait_for_load_state()"
    """Waits until the page is at rest."""
    owner = ""
    """What stands before a command's name."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    @abstractmethod
    def target(self, name: str = "target") -> str:
        """An element as a locator."""

    @abstractmethod
    def value(self, name: str) -> str:
        """An argument."""

    def text(self, name: str) -> str:
        """An argument that becomes a text."""
        return self.value(name)

    def address(self, name: str) -> str:
        """An argument that is an address."""
        return self.value(name)

    @abstractmethod
    def values(self, name: str) -> list[str]:
        """The parts of an argument that is a list."""

    @abstractmethod
    def literal(self, name: str) -> str:
        """An argument's text; empty where it isn't written out."""

    def written(self, command: str) -> str:
        """The call as an expression.

        Raises Refused: there is none.
        """
        if command in _ON_ELEMENT:
            return self.act(_ON_ELEMENT[command])
        if command in _ON_PAGE:
            return f"page.{_ON_PAGE[command]}"
        if command in _FACTS:
            return self.act(_FACTS[command])
        write: Callable[[], str] | None = getattr(self, f"do_{command}", None)
        if write is None:
            raise Refused(f"{self.owner}{command} has no counterpart in Playwright")
        return write()

    def act(self, action: str) -> str:
        """What is done to the target."""
        if "target" not in self.names:
            raise Refused("it names no element")
        return f"{self.target()}.{action}"

    def do_click(self) -> str:
        """Click."""
        button = f"button={self.value('button')}" if "button" in self.names else ""
        return self.act(f"click({button})")

    def do_fill(self) -> str:
        """Fill a field."""
        return self.act(f"fill({self.text('value')})")

    def do_type(self) -> str:
        """Type key by key."""
        if "clear" in self.names:
            raise Refused("it clears the field first: clear it before")
        return self.act(f"press_sequentially({self.text('text')})")

    def do_press(self) -> str:
        """Press a key."""
        key = self.value("key")
        return self.act(f"press({key})") if "target" in self.names else f"page.keyboard.press({key})"

    def do_select(self) -> str:
        """Choose options."""
        by = self.literal("by") or "label"
        return self.act(f"select_option({by}=[{', '.join(self.values('values'))}])")

    def do_drag(self) -> str:
        """Drag onto something."""
        if "to" not in self.names or {"dx", "dy"} & set(self.names):
            raise Refused("it drags by a distance")
        return self.act(f"drag_to({self.target('to')})")

    def do_upload(self) -> str:
        """Choose files."""
        name = "files" if "files" in self.names else "paths"
        return self.act(f"set_input_files([{', '.join(self.values(name))}])")

    def do_scroll(self) -> str:
        """Scroll."""
        if set(self.names) == {"target"}:
            return self.act("scroll_into_view_if_needed()")
        if set(self.names) - {"dx", "dy"} or not self.names:
            raise Refused("it scrolls to a place")
        dx, dy = (self.value(each) if each in self.names else "0" for each in ("dx", "dy"))
        return f"page.mouse.wheel({dx}, {dy})"

    def do_goto(self) -> str:
        """Go to an address."""
        return f"page.goto({self.address('url')})"

    def do_wait_for(self) -> str:
        """Wait for one condition."""
        if len(self.names) > 1:
            raise Refused("it waits for several conditions")
        match next(iter(self.names), ""):
            case "seconds":
                return f"page.wait_for_timeout(1000 * ({self.value('seconds')}))"
            case "selector":
                return f"expect({self.target('selector')}.first).to_be_visible()"
            case "url":
                return f"expect(page).to_have_url(address({self.address('url')}))"
            case "text":
                return f"expect(page.get_by_text({self.text('text')}).first).to_be_visible()"
            case "text_gone":
                return f"expect(page.get_by_text({self.text('text_gone')})).to_have_count(0)"
        return self.rest

    def do_get(self) -> str:
        """A fact by its name."""
        what = self.literal("what")
        if what in _OF_PAGE and "target" not in self.names:
            return _OF_PAGE[what]
        if what == "attribute":
            return self.do_attribute()
        if what not in _FACTS or "target" not in self.names:
            raise Refused(f"it reads {what or 'a fact that is not written out'} of the page")
        return self.act(_FACTS[what])

    def do_attribute(self) -> str:
        """An attribute."""
        return self.act(f"get_attribute({self.value('name')})")
