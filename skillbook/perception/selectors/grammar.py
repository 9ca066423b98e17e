"""Role selectors: their grammar, parser and canonical form.

::

    button 'Save'                      role and name: exact, else without regard to case; whitespace folded
    button name~'sav'                  the name includes this, without regard to case
    button /sav(e|ing)/i               the name matches this regular expression
    any 'Save'                         whatever the role
    card 'Widget'                      a block that repeats side by side, such as a shop's products
    text 'Total'                       the deepest element with this text, else containing it;  text ~'tot'
    text nth 2                         the second text there is
    label 'Customer'                   the form field with this label
    placeholder 'Name'                 the form field with this placeholder
    testid 'buy'                       the element with this test id
    css 'div.card > a'                 what the page's `querySelectorAll` finds, hidden or not; last resort
    checkbox 'Gift' [checked=false]    states: checked disabled expanded pressed selected required ... [level=2]
    textbox [value='x'] [type~'mail']  and properties
    button 'Edit' in row 'Ann'         inside another match: a landmark, a dialog, a row with this text in it
    button 'Edit' beside 'Ann'         of several alike, the one beside which this is said, whatever it is drawn with
    button in (listitem nth 2)         parentheses where the outer selector has clauses, too
    link 'Next' in navigation nth 1    the first of several; counts from 1
    button "Edit" [ref=e21]            a line of a page's text or of a hint; a name that ends with … is cut there
    button 'Pay' frame 'checkout'      in the frame whose name or address has this part; repeat for nested frames
    role=button[name="Save"]           Playwright's spelling, too
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal, NoReturn

from skillbook.errors import SelectorSyntaxError
from skillbook.perception.roles import KNOWN, words

Kind = Literal["role", "text", "label", "testid", "css"]

ROLE_ALIASES = {
    "*": "any",
    "aside": "complementary",
    "element": "any",
    "footer": "contentinfo",
    "header": "banner",
    "image": "img",
    "nav": "navigation",
}
STATES = words(
    "disabled checked expanded collapsed selected pressed required invalid readonly focused busy current modal "
    "offscreen obscured secret editable multiline multiselectable"
)
PROPERTIES = words("value placeholder type href src description level current sort id haspopup ref")
_KINDS: dict[str, Kind] = {"text": "text", "label": "label", "testid": "testid", "css": "css"}
_PASTED = re.compile(
    r"""\s*(?:[-+~]\s+)?(?P<line>[A-Za-z][\w-]*(?:\s+"(?:[^"\\]|\\.)*")?(?:\s+\[[\w=-]+\])*)"""
    r"""(?:\s+=\s|\s+placeholder\s+"|\s+\("|\s+to\s+"|:)""",
    re.DOTALL,
)
"""The beginning of a line of a page's text, before the facts that say no more of which element it is."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<word>[A-Za-z][\w-]*|\*)|(?P<number>\d+)|(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<regex>/(?:[^/\\]|\\.)+/[a-z]*)|(?P<mark>[=~()\[\]]))""",
    re.DOTALL,
)


_LOOKS_LIKE_CSS = re.compile(r"\s*(?:[#.\[]|[a-z][\w-]*[#.>:])")


@dataclass(frozen=True)
class Name:
    """What a name or property must be."""

    text: str
    mode: Literal["exact", "includes", "regex"] = "exact"
    ignore_case: bool = False

    def __str__(self) -> str:
        if self.mode == "regex":
            return f"/{self.text}/" + ("i" if self.ignore_case else "")
        return ("~" if self.mode == "includes" else "") + _string(self.text)


@dataclass(frozen=True)
class Test:
    """One bracket: a state or property and what it must be."""

    key: str
    wanted: bool | Name = True

    def __str__(self) -> str:
        if isinstance(self.wanted, bool):
            return f"[{self.key}]" if self.wanted else f"[{self.key}=false]"
        if self.wanted.mode == "exact":
            return f"[{self.key}={self.wanted}]"
        return (
            f"[{self.key}{self.wanted}]" if self.wanted.mode == "includes" else f"[{self.key}={self.wanted}]"
        )


@dataclass(frozen=True)
class Selector:
    """A parsed role selector; `str` gives its canonical form, which parses to an equal one.

    Parameters
    ----------
    kind : what is looked for.
    role : the role, "any" for whatever role; for kind "role" only.
    name : the name, text, label, test id or CSS.
    tests : states and properties that must hold.
    beside : a text that must be said nearer to it than to others like it.
    within : the selector of what it must be inside of.
    nth : which of several, from 1.
    frames : parts of the frames' names or addresses, outermost first.
    """

    kind: Kind = "role"
    role: str = "any"
    name: Name | None = None
    tests: tuple[Test, ...] = ()
    beside: Name | None = None
    within: Selector | None = None
    nth: int | None = None
    frames: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = self.role if self.kind == "role" else self.kind
        parts = [head] if self.name is None else [f"{head} {self.name}"]
        parts += map(str, self.tests)
        parts += [f"beside {self.beside}"] if self.beside else []
        if self.within:
            outer = str(self.within)
            parts.append(f"in ({outer})" if self.within.nth or self.within.frames else f"in {outer}")
        parts += [f"nth {self.nth}"] if self.nth else []
        parts += [f"frame {_string(part)}" for part in self.frames]
        return " ".join(parts)

    @property
    def css(self) -> str | None:
        """The CSS, where the selector is one."""
        return self.name.text if self.kind == "css" and self.name else None


def _string(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


MOST_CONTAINERS = 32
"""Containers (`in …`) of one selector: no page nests landmarks deeper, and hundreds would exhaust the stack."""


def parse_selector(text: str) -> Selector:
    """Parse a role selector.

    Raises
    ------
    SelectorSyntaxError : it doesn't follow the grammar; the message points at the place.
    """
    pasted = _PASTED.match(text) if "[ref=" in text else None
    return _Parser(pasted["line"] if pasted and "[ref=" in pasted["line"] else text).parse()


def looked_for(selectors: Iterable[str | Selector], *, texts: bool = True) -> dict[str, list[str]]:
    """What the page itself has to look for, so that a snapshot can answer selectors: CSS, and texts.

    texts: False leaves texts to what a snapshot has, which joins those of several elements.
    Returns Such as `{"css": ["ul > li"], "texts": ["Total"]}`; empty if a snapshot has all of it. Text that is no
        selector asks
    """
    found: dict[str, list[str]] = {}
    for selector in selectors:
        try:
            level: Selector | None = parse_selector(selector) if isinstance(selector, str) else selector
        except SelectorSyntaxError:
            continue
        while level is not None:
            name = level.name
            if level.css is not None:
                found.setdefault("css", []).append(level.css)
            elif (
                texts
                and level.kind == "text"
                and name
                and name.mode != "regex"
                and not name.text.endswith("…")
            ):
                found.setdefault("texts", []).append(name.text)
            level = level.within
    return {kind: list(dict.fromkeys(given)) for kind, given in found.items()}


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                blank = len(text[at:]) - len(text[at:].lstrip())
                self.fail("this can't stand in a selector", at + blank)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            at = match.end()
        self.at = 0

    def fail_role(self, word: str, position: int) -> NoReturn:
        near = get_close_matches(word, KNOWN - {"any", "none", "generic"}, 1)
        state = f"; a state stands in brackets: button [{word}]" if word in STATES else ""
        self.fail(
            f"there is no role {word!r}{f', the nearest is {near[0]}' if near else ''}{state}", position
        )

    def fail(self, why: str, position: int | None = None) -> NoReturn:
        if position is None:
            position = self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)
        line = " ".join(self.text.split("\n"))
        raise SelectorSyntaxError(
            f"can't read the selector: {why}\n  {line}\n  {' ' * position}^",
            hint=f"CSS is written css {_string(self.text)}" if _LOOKS_LIKE_CSS.match(self.text) else None,
            selector=self.text,
            position=position,
        )

    def peek(self, *wanted: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        kind, value, _ = self.tokens[self.at]
        return kind in wanted or (value in wanted and kind in {"word", "mark"})

    def take(self, *wanted: str) -> str | None:
        if not self.peek(*wanted):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, what: str, *wanted: str) -> str:
        value = self.take(*wanted)
        if value is None:
            self.fail(f"{what} expected")
        return value

    def parse(self) -> Selector:
        containers = [at for kind, value, at in self.tokens if kind == "word" and value == "in"]
        if len(containers) > MOST_CONTAINERS:
            self.fail(f"a selector names at most {MOST_CONTAINERS} containers", containers[MOST_CONTAINERS])
        selector = self.selector()
        if self.at < len(self.tokens):
            self.fail("a clause ('beside', 'in', 'nth', 'frame', '[state]') or the end expected")
        return selector

    def selector(self) -> Selector:
        parts = [self.part()]
        nth: int | None = None
        frames: list[str] = []
        while self.at < len(self.tokens) and not self.peek(")"):
            if self.take("in"):
                if self.take("("):
                    parts.append(self.selector())
                    self.need("')'", ")")
                else:
                    parts.append(self.part())
            elif self.take("nth"):
                nth = int(self.need("a number", "number"))
                if nth < 1:
                    self.fail("nth counts from 1", self.tokens[self.at - 1][2])
            elif self.take("frame"):
                frames.append(_unquote(self.need("the frame's name or address in quotes", "string")))
            else:
                break
        whole = parts.pop()
        while parts:
            whole = _put_within(parts.pop(), whole)
        if nth is None and not frames:
            return whole
        return replace(whole, nth=nth or whole.nth, frames=(*whole.frames, *frames))

    def part(self) -> Selector:
        head = self.need("a role, 'text', 'label', 'testid' or 'css'", "word")
        if head == "role" and self.take("="):
            head = self.need("a role", "word")
        kind = _KINDS.get(head.lower(), "role")
        name = self.name()
        placeholder = head.lower() == "placeholder"
        if (placeholder or kind not in {"role", "text"}) and name is None:
            self.fail(f"a text in quotes after {head} expected")
        if kind in {"css", "testid"} and name and name.mode != "exact":
            self.fail(f"{head} takes a text in quotes", self.tokens[self.at - 1][2])
        role = ROLE_ALIASES.get(head.lower(), head.lower()) if kind == "role" else "any"
        if name is None and not self.peek("[") and not (role in KNOWN or role.startswith("doc-")):
            self.fail_role(role, self.tokens[self.at - 1][2])
        tests: list[Test] = []
        if placeholder and name:
            role, tests, name = "any", [Test("placeholder", name)], None
        while self.take("["):
            key = self.need("a state or property", "word").lower()
            if key == "name":
                name = self.wanted()
            else:
                tests.append(self.test(key))
            self.need("']'", "]")
        beside = self.wanted(optional=True) if self.take("beside") else None
        return Selector(kind, role, name, tuple(tests), beside)

    def name(self) -> Name | None:
        if self.take("name"):
            return self.wanted()
        if self.peek("~", "=") or self.peek("string", "regex"):
            return self.wanted(optional=True)
        return None

    def wanted(self, optional: bool = False) -> Name:
        mode = self.take("~", "=")
        if mode is None and not optional and not self.peek("regex"):
            self.fail("'~' or '=' expected")
        token = self.need(
            "a text in quotes or /regex/", "string", "regex", *(["word", "number"] if mode else [])
        )
        kind, position = self.tokens[self.at - 1][0], self.tokens[self.at - 1][2]
        if kind == "regex":
            body, _, flags = token[1:].rpartition("/")
            try:
                re.compile(body)
            except re.error as error:
                self.fail(f"not a regular expression: {error}", position)
            return Name(body, "regex", "i" in flags)
        text = _unquote(token) if kind == "string" else token
        if kind == "string" and self.take("i"):
            return Name(text, "includes")
        return Name(text, "includes" if mode == "~" else "exact")

    def test(self, key: str) -> Test:
        position = self.tokens[self.at - 1][2]
        if key not in STATES and key not in PROPERTIES:
            known = ", ".join(sorted(STATES | PROPERTIES))
            self.fail(f"no state or property {key!r}; there are {known}", position)
        if not self.peek("=", "~"):
            if key not in STATES:
                self.fail(f"what {key} must be expected, such as [{key}='...']")
            return Test(key)
        wanted = self.wanted()
        if key in STATES and wanted.mode == "exact" and wanted.text in {"true", "false"}:
            return Test(key, wanted.text == "true")
        return Test(key, wanted)


def _put_within(inner: Selector, outer: Selector) -> Selector:
    """Put a selector inside another one, at its outermost place."""
    if inner.within is not None:
        return replace(inner, within=_put_within(inner.within, outer))
    return replace(inner, within=outer)


def _unquote(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)
