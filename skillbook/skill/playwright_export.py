"""A skill as a Python script for Playwright, with role locators: nobody is locked in."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from skillbook.errors import InvalidSkill
from skillbook.perception.selectors import Name, Selector, parse_selector
from skillbook.skill.model import (
    EXTRACT,
    Check,
    Extract,
    Loop,
    SkillSpec,
    SkillStep,
    StepTarget,
    SubSkill,
    in_order,
)
from skillbook.skill.templates import placeholders

_INPUT = re.compile(r"\$\{(?:(\$)|input:(\w+)(?::[^}]*)?|secret:([\w.-]+))\}")
_STATES = {"checked", "disabled", "expanded", "pressed", "selected"}
_ROLE_SYNONYMS = {"any": None, "card": None, "text": None}
_SUFFIX = re.compile(r"@(href|src|value|text)\s*\Z")
_TAKEN = {
    "page", "rows", "facts", "items", "item", "following", "before", "address", "read_table", "expect", "os", "re",
    "str", "int", "float", "len", "set", "range", "quote_plus", "unquote_plus", "names_of", "fresh", "name",
}  # fmt: skip
_UNNAMED = {"listitem", "article"}
"""Playwright doesn't name these by what they say."""
_ITEMS = {"row", "listitem", "article", "treeitem"}
_ROWS = "li, article, tr, [role=listitem], [role=article], [role=row]"
_HEAD = '''"""{title}

Exported from the skill {name}. Needs `pip install playwright`.
"""

import os
import re
from urllib.parse import quote_plus, unquote_plus

from playwright.sync_api import Page, expect, sync_playwright


def address(pattern: str) -> re.Pattern[str]:
    """An address in which `*` stands for anything."""
    return re.compile("^" + ".*".join(map(re.escape, pattern.split("*"))) + "(#.*)?$")


'''
_READ_TABLE = '''

def read_table(table) -> list[dict]:
    """The rows of a table or grid, by the names of its columns."""
    names = table.get_by_role("columnheader").all_inner_texts()
    rows = [row.locator("td, [role=cell], [role=gridcell]").all_inner_texts() for row in table.get_by_role("row").all()]
    return [dict(zip(names, cells)) for cells in rows if cells]
'''
_NAMES_OF = '''

def names_of(items, key) -> list[str]:
    """What each item is called; items without a name are headers, and two of one name can't be told apart."""
    names = [item.locator(key).first.inner_text().strip() for item in items.all() if item.locator(key).count()]
    assert len(set(names)) == len(names), f"two items have the same name: {names}"
    return names
'''
_MAIN = """

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        for row in {function}(browser.new_page()):
            print(row)
        browser.close()
"""


def to_playwright(spec: SkillSpec) -> str:
    """A Python module with one function that does what the skill does and returns its rows and facts.

    Raises
    ------
    InvalidSkill : the skill is a prompt, or a step has nothing that Playwright has too; the error says which.
    """
    if not spec.replays:
        raise InvalidSkill(
            f"{spec.name} is a prompt for an agent", hint="only recorded steps can be exported"
        )
    function = re.sub(r"\W", "_", spec.name)
    function += "_" if keyword.iskeyword(function) else ""
    given = "".join(f", {_variable(one.name)}={one.default!r}" for one in spec.inputs)
    lines = [f"def {function}(page: Page{', *' if given else ''}{given}) -> list[dict]:"]
    lines += [f'    """{_plain(spec.description)}"""', "    rows, facts = [], {}"]
    if spec.start:
        lines.append(f"    page.goto({_text(spec.start, in_url=True)})")
    lines += [f"    {line}".rstrip() for line in _statements(spec, spec.steps, 1)]
    lines += ["", "    return rows or [facts]"]
    body = "\n".join(lines) + "\n"
    head = _HEAD.format(title=_plain(spec.description), name=spec.name)
    table = _READ_TABLE if "read_table(" in body else ""
    table += _NAMES_OF if "names_of(" in body else ""
    return f"{head}{body}{table}{_MAIN.format(function=function)}"


def _statements(spec: SkillSpec, steps: Sequence[SkillStep], first: int) -> Iterator[str]:
    """Some steps' statements, each under what it does in words."""
    number = first
    for step in steps:
        yield ""
        yield f"# {number}. {_plain(step.note or (f'{step.skill.name}:' if step.skill else step.command))}"
        yield from _Writer(spec, number, step).lines()
        number += len(list(in_order([step])))


def _variable(name: str) -> str:
    """An input's name as a variable's that hides nothing."""
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def _plain(text: str) -> str:
    """A text for a comment or docstring: on one line, with inputs by name, and nothing that ends it."""
    line = " ".join(_INPUT.sub(lambda found: found[1] or f"<{found[2] or found[3]}>", text).split())
    return line.replace("\\", "\\\\").replace('"', "'")


def _text(template: str, *, in_url: bool = False, whole: bool = True) -> str:
    """A text with placeholders as a Python expression: a literal, a name, or an f-string."""
    if next(placeholders(template), None) is None:
        return repr(_INPUT.sub(lambda found: found[1] or "", template))
    only = _INPUT.fullmatch(template)
    if only and whole and only[2]:
        return f"str({_variable(only[2])})"
    if only and only[3]:
        return _secret(only[3])
    parts, at = [], 0
    for found in _INPUT.finditer(template):
        parts.append(_literal(template[at : found.start()]))
        if found[1]:
            parts.append("$")
        else:
            value = _variable(found[2]) if found[2] else _secret(found[3])
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


def locator(selector: Selector, base: str = "page") -> str | None:
    """A role selector as a Playwright locator; None where Playwright has nothing like it."""
    if selector.frames:
        return None
    if selector.within is not None:
        outer = _item_with(selector.within, base) or locator(selector.within, base)
        if outer is None:
            return None
        base = outer
    name = selector.name
    if selector.kind == "css":
        found = f"{base}.locator({name.text!r})" if name else None
    elif selector.kind == "role":
        found = _by_role(selector, base)
    else:
        way = {"text": "get_by_text", "label": "get_by_label", "testid": "get_by_test_id"}[selector.kind]
        exact = ", exact=True" if name and name.mode == "exact" and selector.kind != "testid" else ""
        found = f"{base}.{way}({_name(name)}{exact})" if name else None
    if found is not None and selector.nth:
        found += f".nth({selector.nth - 1})"
    return found


def _item_with(selector: Selector, base: str) -> str | None:
    """A row or list item that has a text in it; None where it is something else that is meant."""
    name, plain = selector.name, not (selector.frames or selector.within or selector.tests or selector.nth)
    if selector.kind != "role" or selector.role not in _ITEMS or name is None or not plain:
        return None
    exact = ", exact=True" if name.mode == "exact" else ""
    return f"{base}.get_by_role({selector.role!r}).filter(has=page.get_by_text({_name(name)}{exact}))"


def _by_role(selector: Selector, base: str) -> str | None:
    if _ROLE_SYNONYMS.get(selector.role, selector.role) is None:
        return None
    options, by_text = [], ""
    if selector.role in _UNNAMED and selector.name is not None and selector.name.mode != "regex":
        pattern = f"re.escape({_text(selector.name.text)})"
        if selector.name.mode == "exact":
            pattern = rf"r'^\s*' + {pattern} + r'\s*$'"
        by_text = f".filter(has_text=re.compile({pattern}))"
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
    return _text(name.text)


class _Writer:
    """Writes one step; a method `do_…` for each command."""

    def __init__(self, spec: SkillSpec, number: int, step: SkillStep) -> None:
        self.spec = spec
        self.number = number
        self.step = step

    def lines(self) -> Iterator[str]:
        """The step's statements, with its checks."""
        step = self.step
        if step.loop is not None:
            inner = list(self._loop(step.loop))
        elif step.skill is not None:
            inner = list(self._skill(step.skill))
        elif step.command == EXTRACT:
            inner = list(self._extract(step.extract or Extract()))
        else:
            write: Callable[[], Iterator[str]] | None = getattr(self, f"do_{step.command}", None)
            if write is None:
                raise self._refusal(f"{step.command} has no counterpart in Playwright")
            inner = list(write())
        inner += [line for check in step.expect for line in self._check(check)]
        if step.when is not None:
            yield f"if {self._selector(step.when)}.count():"
            inner = [f"    {line}" for line in inner]
        elif step.optional:
            yield "try:"
            inner = [*(f"    {line}" for line in inner), "except Exception:", "    pass"]
        yield from inner

    def _refusal(self, why: str) -> InvalidSkill:
        return InvalidSkill(
            f"step {self.number} of {self.spec.name} can't be exported: {why}",
            hint="change or leave out that step, or run the skill with skillbook",
            step=self.number,
        )

    def _selector(self, text: str, base: str = "page") -> str:
        found = locator(parse_selector(text), base)
        if found is None:
            raise self._refusal(f"Playwright has no locator for {text}")
        return found

    def _target(self, target: StepTarget | None) -> str:
        if target is None:
            return "page"
        for selector in target.selectors:
            found = locator(parse_selector(selector))
            if found is not None:
                return found
        raise self._refusal(f"Playwright has no locator for {target.selectors[0]}")

    def _param(self, name: str, **options: Any) -> str:
        value = self.step.params.get(name)
        return _text(value, **options) if isinstance(value, str) else repr(value)

    def _simple(self, method: str, *arguments: str) -> Iterator[str]:
        yield f"{self._target(self.step.target)}.{method}({', '.join(arguments)})"

    def do_click(self) -> Iterator[str]:
        """Click."""
        button = self.step.params.get("button")
        return self._simple("click", *([f"button={button!r}"] if button else []))

    def do_dblclick(self) -> Iterator[str]:
        """Double click."""
        return self._simple("dblclick")

    def do_fill(self) -> Iterator[str]:
        """Fill a field."""
        return self._simple("fill", self._param("value"))

    def do_clear(self) -> Iterator[str]:
        """Empty a field."""
        return self._simple("clear")

    def do_type(self) -> Iterator[str]:
        """Type key by key."""
        return self._simple("press_sequentially", self._param("text"))

    def do_press(self) -> Iterator[str]:
        """Press a key."""
        if self.step.target is None:
            yield f"page.keyboard.press({self._param('key')})"
        else:
            yield from self._simple("press", self._param("key"))

    def do_hover(self) -> Iterator[str]:
        """Move the mouse there."""
        return self._simple("hover")

    def do_focus(self) -> Iterator[str]:
        """Give the focus."""
        return self._simple("focus")

    def do_check(self) -> Iterator[str]:
        """Tick."""
        return self._simple("check")

    def do_uncheck(self) -> Iterator[str]:
        """Take a tick away."""
        return self._simple("uncheck")

    def do_select(self) -> Iterator[str]:
        """Choose options."""
        by = self.step.params.get("by") or "label"
        values = self.step.params.get("values")
        chosen = ", ".join(_text(str(value)) for value in (values if isinstance(values, list) else []))
        return self._simple("select_option", f"{by}=[{chosen}]")

    def do_submit(self) -> Iterator[str]:
        """Send a form."""
        return self._simple(
            "evaluate", "'element => (element.form ?? element.closest(\"form\")).requestSubmit()'"
        )

    def do_drag(self) -> Iterator[str]:
        """Drag onto something."""
        if self.step.to is None:
            raise self._refusal("it drags by a distance")
        return self._simple("drag_to", self._target(self.step.to))

    def do_upload(self) -> Iterator[str]:
        """Choose files."""
        files = self.step.params.get("files") or self.step.params.get("paths") or []
        chosen = ", ".join(_text(str(one)) for one in (files if isinstance(files, list) else [files]))
        return self._simple("set_input_files", f"[{chosen}]")

    def do_scroll(self) -> Iterator[str]:
        """Scroll."""
        if self.step.target is not None:
            yield from self._simple("scroll_into_view_if_needed")
        else:
            yield f"page.mouse.wheel({self.step.params.get('dx') or 0}, {self.step.params.get('dy') or 600})"

    def do_goto(self) -> Iterator[str]:
        """Go to an address."""
        yield f"page.goto({self._param('url', in_url=True)})"

    def do_back(self) -> Iterator[str]:
        """Go back."""
        yield "page.go_back()"

    def do_forward(self) -> Iterator[str]:
        """Go forward."""
        yield "page.go_forward()"

    def do_reload(self) -> Iterator[str]:
        """Load anew."""
        yield "page.reload()"

    def do_wait_for(self) -> Iterator[str]:
        """Wait for a condition."""
        params = self.step.params
        if params.get("text"):
            yield f"expect(page.get_by_text({self._param('text')}).first).to_be_visible()"
        elif params.get("text_gone"):
            yield f"expect(page.get_by_text({self._param('text_gone')})).to_have_count(0)"
        elif params.get("selector"):
            yield f"expect({self._selector(str(params['selector']))}.first).to_be_visible()"
        elif params.get("url"):
            yield f"expect(page).to_have_url(address({self._param('url', in_url=True)}))"
        else:
            yield "page.wait_for_load_state()"

    def do_get(self) -> Iterator[str]:
        """Read a fact."""
        assert self.step.output is not None
        what, name = str(self.step.params.get("what")), self.step.params.get("name")
        on_page = {"url": "page.url", "title": "page.title()"}
        methods = {
            "text": "inner_text().strip()",
            "value": "input_value()",
            "html": "inner_html()",
            "href": "get_attribute('href')",
            "attribute": f"get_attribute({str(name)!r})",
        }
        if what in on_page:
            read = on_page[what]
        elif what in methods:
            read = f"{self._target(self.step.target)}.{methods[what]}"
        else:
            raise self._refusal(f"it reads {what}")
        kind = self.step.output.type
        cast = f"{kind}({read})" if kind in ("int", "float") else read
        yield f"facts[{self.step.output.name!r}] = {cast}"

    def _loop(self, loop: Loop) -> Iterator[str]:
        """For each item of a page, then of the next; items that move up into the places of others are done, too."""
        if loop.next is True:
            raise self._refusal("it finds the way to the next page by itself; give its selector as `next`")
        items, done, shown = (f"{name}_{self.number}" for name in ("items", "done", "shown"))
        facts = any(step.output is not None for step in in_order(self.step.steps))
        yield f"{done} = []"
        yield "while True:"
        yield f"    {items} = {self._selector(loop.items)}"
        if not loop.may_be_empty:
            yield f"    expect({items}.first).to_be_visible()"
        yield f"    {shown} = names_of({items}, {self._selector(loop.key)})"
        yield f"    while fresh := [name for name in {shown} if name not in {done}]:"
        yield f"        for {_variable(loop.name)} in fresh:"
        if loop.max_items:
            yield f"            if len({done}) >= {loop.max_items}:"
            yield "                break"
        for line in _statements(self.spec, self.step.steps, self.number + 1):
            yield f"            {line}" if line else line
        if facts:
            yield f"            rows.append({{{loop.name!r}: {_variable(loop.name)}, **facts}})"
        yield f"            {done}.append({_variable(loop.name)})"
        yield f"        before, {shown} = {shown}, names_of({items}, {self._selector(loop.key)})"
        full = f" or len({done}) >= {loop.max_items}" if loop.max_items else ""
        yield f"        if set(before) <= set({shown}){full}:"
        yield "            break"
        if loop.next is None:
            yield "    break"
            return
        yield f"    following = {self._selector(loop.next)}"
        yield f"    if not following.count() or not following.first.is_enabled(){full}:"
        yield "        break"
        yield f"    before = {items}.first.inner_text()"
        yield "    following.first.click()"
        yield f"    expect({items}.first).not_to_have_text(before, use_inner_text=True)"

    def _skill(self, skill: SubSkill) -> Iterator[str]:
        """The steps of another skill, from where it begins."""
        if not self.step.steps:
            raise self._refusal(f"the steps of {skill.name} are not there")
        if skill.address is not None and skill.start != "here":
            opens = f"page.goto({_text(skill.address, in_url=True)})"
            if skill.start == "auto":
                there = _text(unquote_plus(skill.address), in_url=True)
                yield f"if not address(unquote_plus({there})).match(unquote_plus(page.url)):"
                opens = f"    {opens}"
            yield opens
        yield from _statements(self.spec, self.step.steps, self.number + 1)

    def _check(self, check: Check) -> Iterator[str]:
        timeout = f"timeout={round(check.within * 1000)}"
        if check.url is not None:
            pattern = _text(unquote_plus(check.url), in_url=True)
            yield f"page.wait_for_url(lambda url: address(unquote_plus({pattern})).match(unquote_plus(url)), {timeout})"
        if check.present is not None and (found := locator(parse_selector(check.present))):
            yield f"expect({found}.first).to_be_visible({timeout})"
        if check.absent is not None and (found := locator(parse_selector(check.absent))):
            yield f"expect({found}).to_have_count(0, {timeout})"
        if check.text is not None:
            yield f"expect(page.get_by_text({_text(check.text)}).first).to_be_visible({timeout})"
        if check.value is not None:
            yield f"expect({self._target(self.step.target)}).to_have_value({_text(check.value)}, {timeout})"
        if check.rows:
            yield f'assert len(rows) >= {check.rows}, f"{{len(rows)}} rows were read"'

    def _extract(self, extract: Extract) -> Iterator[str]:
        if extract.scroll:
            raise self._refusal("it scrolls a list to its end")
        if extract.next is True:
            raise self._refusal("it finds the way to the next page by itself; give its selector as `next`")
        base = self._selector(extract.within) if extract.within else "page"
        if not extract.append:
            yield "rows = []"
        if extract.fields is None:
            items, read = f"{base}.get_by_role('row')", [f"rows += read_table({base}.first)"]
        else:
            items, read = self._items(extract.fields, base)
        yield f"items = {items}"
        yield "expect(items.first).to_be_visible()"
        if not isinstance(extract.next, str):
            yield from read
            return
        yield f"for _ in range({extract.max_pages or 1000}):"
        yield from (f"    {line}" for line in read)
        yield f"    following = {self._selector(extract.next)}"
        yield "    if not following.count() or not following.first.is_enabled():"
        yield "        break"
        yield "    before = items.first.inner_text()"
        yield "    following.first.click()"
        yield "    expect(items.first).not_to_have_text(before, use_inner_text=True)"

    def _items(self, fields: Mapping[str, str], base: str) -> tuple[str, list[str]]:
        """The rows as a locator, and the statements that read each: what holds the first field is a row."""
        parsed = {column: self._field(column, text) for column, text in fields.items()}
        first = next(iter(fields.values()))
        has = self._selector(_SUFFIX.sub("", first).strip())
        inner = f".locator({_ROWS!r}).filter(has={has})"
        read = ["for item in items.all():", "    rows.append({"]
        read += [f"        {column!r}: {value}," for column, value in parsed.items()]
        return f"{base}{inner}", [*read, "    })"]

    def _field(self, column: str, text: str) -> str:
        suffix = _SUFFIX.search(text)
        try:
            found = self._selector(_SUFFIX.sub("", text).strip(), "item")
        except InvalidSkill:
            raise self._refusal(f"the column {column!r} is no role selector") from None
        what = suffix[1] if suffix else "text"
        how = {
            "href": "evaluate('element => element.href')",
            "src": "evaluate('element => element.src')",
            "value": "input_value()",
        }.get(what, "inner_text().strip()")
        return f"{found}.first.{how} if {found}.count() else None"
