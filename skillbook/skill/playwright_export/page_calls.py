"""Selectors, texts and calls as Python for Playwright: inputs are variables, secrets come from the environment."""

from __future__ import annotations

import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Collection

from skillbook.perception.roles import ITEMS, RECORDS
from skillbook.perception.selectors import Name, Selector
from skillbook.skill.model.templates import placeholders

_INPUT = re.compile(r"\$\{(?:(\$)|input:(\w+)(?::[^}]*)?|secret:([\w.-]+))\}")
_TAKEN = {
    "page", "rows", "facts", "items", "item", "following", "before", "address", "read_table", "expect", "os", "re",
    "str", "int", "float", "len", "set", "range", "quote_plus", "unquote_plus", "names_of", "fresh", "name",
}  # fmt: skip

ROWS = ", ".join(["li", "article", "tr", *(f"[role={role}]" for role in sorted(RECORDS))])
"""Records as a style sheet selects them."""


def variable(name: str) -> str:
    """An input's name as a variable's that hides nothing."""
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def plain(text: str) -> str:
    """A text for a comment or docstring: on one line, with inputs by name, and nothing that ends it."""
    line = " ".join(_INPUT.sub(lambda found: found[1] or f"<{found[2] or found[3]}>", text).split())
    return line.replace("\\", "\\\\").replace('"', "'")


def text_of(template: str, *, in_url: bool = False) -> str:
    """A text with placeholders as a Python expression: a literal, a name, or an f-string."""
    if next(placeholders(template), None) is None:
        return repr(_INPUT.sub(lambda found: found[1] or "", template))
    only = _INPUT.fullmatch(template)
    if only and only[2]:
        return f"str({variable(only[2])})"
    if only and only[3]:
        return _secret(only[3])
    parts, at = [], 0
    for found in _INPUT.finditer(template):
        parts.append(_literal(template[at : found.start()]))
        if found[1]:
            parts.append("$")
        else:
            value = variable(found[2]) if found[2] else _secret(found[3])
            encoded = f"quote_plus(str({value}))" if in_url and found.start() else value
            parts.append(f"{{{encoded}}}")
        at = found.end()
    parts.append(_literal(template[at:]))
    return 'f"' + "".join(parts) + '"'


def _literal(text: str) -> str:
    """A text as a part of an f-string in double quotes."""
    return (
        repr('"' + text)[2:-1].replace("\\'", "'").replace('"', '\\"').replace("{", "{{").replace("}", "}}")
    )


def _secret(name: str) -> str:
    variable = f"SKILLBOOK_SECRET_{re.sub(r'[^A-Z0-9]', '_', name.upper())}"
    return f"os.environ['{variable}']"


_STATES = {"checked", "disabled", "expanded", "pressed", "selected"}
_NO_ROLES = {"any", "card", "text"}
"""Selectors have these, and ARIA doesn't."""


def locator(selector: Selector, base: str = "page", *, folded: bool = False) -> str | None:
    """A role selector as a Playwright locator; None where Playwright has nothing like it.

    folded: exact names count in any case.
    """
    if selector.frames or selector.beside:
        return None
    if selector.within is not None:
        outer = _item_with(selector.within, base) or locator(selector.within, base, folded=folded)
        if outer is None:
            return None
        base = outer
    name = selector.name
    if selector.kind == "css":
        found = f"{base}.locator({name.text!r})" if name else None
    elif selector.kind == "role":
        found = _by_role(selector, base, folded)
    else:
        way = {"text": "get_by_text", "label": "get_by_label", "testid": "get_by_test_id"}[selector.kind]
        exact = ", exact=True" if name and name.mode == "exact" and selector.kind != "testid" else ""
        found = f"{base}.{way}({_name(name)}{exact})" if name else None
    if found is not None and selector.nth:
        found += f".nth({selector.nth - 1})"
    return found


def _item_with(selector: Selector, base: str) -> str | None:
    """A row or list item that has a text in it; None for any other target."""
    name, plain = selector.name, not (selector.frames or selector.within or selector.tests or selector.nth)
    if selector.kind != "role" or selector.role not in RECORDS or name is None or not plain:
        return None
    exact = ", exact=True" if name.mode == "exact" else ""
    return f"{base}.get_by_role({selector.role!r}).filter(has=page.get_by_text({_name(name)}{exact}))"


def _by_role(selector: Selector, base: str, folded: bool) -> str | None:
    if selector.role in _NO_ROLES:
        return None
    options, by_text = [], ""
    if selector.role in ITEMS and selector.name is not None and selector.name.mode != "regex":
        pattern = f"re.escape({text_of(selector.name.text)})"
        if selector.name.mode == "exact":
            pattern = rf"r'^\s*' + {pattern} + r'\s*$'"
        by_text = f".filter(has_text=re.compile({pattern}))"
    elif selector.name is not None and folded and selector.name.mode == "exact":
        regex = rf"r'^\s*' + re.escape({text_of(selector.name.text)}) + r'\s*$'"
        options.append(f"name=re.compile({regex}, re.IGNORECASE)")
    elif selector.name is not None:
        options.append(f"name={_name(selector.name)}")
        options += ["exact=True"] if selector.name.mode == "exact" else []
    for test in selector.tests:
        if test.key in _STATES and isinstance(test.wanted, bool):
            options.append(f"{test.key}={test.wanted}")
        elif test.key == "level" and isinstance(test.wanted, Name) and test.wanted.text.isdigit():
            options.append(f"level={test.wanted.text}")
        else:
            return None
    return f"{base}.get_by_role({', '.join([repr(selector.role), *options])}){by_text}"


def _name(name: Name) -> str:
    if name.mode == "regex":
        return f"re.compile({name.text!r}{', re.IGNORECASE' if name.ignore_case else ''})"
    return text_of(name.text)


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
        match command:
            case "click":
                button = f"button={self.value('button')}" if "button" in self.names else ""
                return self.act(f"click({button})")
            case "fill":
                return self.act(f"fill({self.text('value')})")
            case "type" if "clear" in self.names:
                raise Refused("it clears the field first: clear it before")
            case "type":
                return self.act(f"press_sequentially({self.text('text')})")
            case "press":
                key = self.value("key")
                return self.act(f"press({key})") if "target" in self.names else f"page.keyboard.press({key})"
            case "select":
                by = self.literal("by") or "label"
                return self.act(f"select_option({by}=[{', '.join(self.values('values'))}])")
            case "drag":
                if "to" not in self.names or {"dx", "dy"} & set(self.names):
                    raise Refused("it drags by a distance")
                return self.act(f"drag_to({self.target('to')})")
            case "upload":
                files = self.values("files" if "files" in self.names else "paths")
                return self.act(f"set_input_files([{', '.join(files)}])")
            case "scroll":
                return self._scrolled()
            case "goto":
                return f"page.goto({self.address('url')})"
            case "wait_for":
                return self._awaited()
            case "get":
                return self._fact()
            case "attribute":
                return self.act(f"get_attribute({self.value('name')})")
        raise Refused(f"{self.owner}{command} has no counterpart in Playwright")

    def act(self, action: str) -> str:
        """What is done to the target."""
        if "target" not in self.names:
            raise Refused("it names no element")
        return f"{self.target()}.{action}"

    def _scrolled(self) -> str:
        if set(self.names) == {"target"}:
            return self.act("scroll_into_view_if_needed()")
        if set(self.names) - {"dx", "dy"} or not self.names:
            raise Refused("it scrolls to a place")
        dx, dy = (self.value(each) if each in self.names else "0" for each in ("dx", "dy"))
        return f"page.mouse.wheel({dx}, {dy})"

    def _awaited(self) -> str:
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

    def _fact(self) -> str:
        what = self.literal("what")
        if what in _OF_PAGE and "target" not in self.names:
            return _OF_PAGE[what]
        if what == "attribute":
            return self.act(f"get_attribute({self.value('name')})")
        if what not in _FACTS or "target" not in self.names:
            raise Refused(f"it reads {what or 'a fact that is not written out'} of the page")
        return self.act(_FACTS[what])
