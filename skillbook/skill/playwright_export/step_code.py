"""A skill's steps as statements for Playwright, with their checks; what Playwright has nothing like is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from skillbook.errors import InvalidSkill
from skillbook.perception.selectors import parse_selector
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
from skillbook.skill.playwright_export.locators import locator, plain, text_of, variable

SUFFIX = re.compile(r"@(href|src|value|text)\s*\Z")
_ROWS = "li, article, tr, [role=listitem], [role=article], [role=row]"


def statements(spec: SkillSpec, steps: Sequence[SkillStep], first: int) -> Iterator[str]:
    """Some steps' statements, each under what it does in words."""
    number = first
    for step in steps:
        yield ""
        yield f"# {number}. {plain(step.note or (f'{step.skill.name}:' if step.skill else step.command))}"
        yield from StepWriter(spec, number, step).lines()
        number += len(list(in_order([step])))


class StepWriter:
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
        inner += [line for check in step.expect for line in self.check_lines(check)]
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

    def target_locator(self, target: StepTarget | None) -> str:
        """An element as a locator, by the first of its selectors that has one; the page where there is no element."""
        if target is None:
            return "page"
        by_text = parse_selector(target.selectors[0]).beside is not None
        for selector in map(parse_selector, target.selectors):
            found = locator(selector)
            if found is not None and not (by_text and selector.nth):  # its place alone could be another's
                return found
        raise self._refusal(f"Playwright has no locator for {target.selectors[0]}")

    def _param(self, name: str, **options: Any) -> str:
        value = self.step.params.get(name)
        return text_of(value, **options) if isinstance(value, str) else repr(value)

    def _simple(self, method: str, *arguments: str) -> Iterator[str]:
        yield f"{self.target_locator(self.step.target)}.{method}({', '.join(arguments)})"

    def do_click(self) -> Iterator[str]:
        """Click."""
        button = self.step.params.get("button")
        if self.step.until:
            raise self._refusal("it presses until its target is in a state")
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
        chosen = ", ".join(text_of(str(value)) for value in (values if isinstance(values, list) else []))
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
        return self._simple("drag_to", self.target_locator(self.step.to))

    def do_upload(self) -> Iterator[str]:
        """Choose files."""
        files = self.step.params.get("files") or self.step.params.get("paths") or []
        chosen = ", ".join(text_of(str(one)) for one in (files if isinstance(files, list) else [files]))
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
            read = f"{self.target_locator(self.step.target)}.{methods[what]}"
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
        yield f"        for {variable(loop.name)} in fresh:"
        if loop.max_items:
            yield f"            if len({done}) >= {loop.max_items}:"
            yield "                break"
        for line in statements(self.spec, self.step.steps, self.number + 1):
            yield f"            {line}" if line else line
        if facts:
            yield f"            rows.append({{{loop.name!r}: {variable(loop.name)}, **facts}})"
        yield f"            {done}.append({variable(loop.name)})"
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
            opens = f"page.goto({text_of(skill.address, in_url=True)})"
            if skill.start == "auto":
                there = text_of(unquote_plus(skill.address), in_url=True)
                yield f"if not address(unquote_plus({there})).match(unquote_plus(page.url)):"
                opens = f"    {opens}"
            yield opens
        yield from statements(self.spec, self.step.steps, self.number + 1)

    def check_lines(self, check: Check) -> Iterator[str]:
        """What must hold, as statements."""
        timeout = f"timeout={round(check.within * 1000)}"
        if check.url is not None:
            pattern = text_of(unquote_plus(check.url), in_url=True)
            yield f"page.wait_for_url(lambda url: address(unquote_plus({pattern})).match(unquote_plus(url)), {timeout})"
        if check.present is not None and (found := locator(parse_selector(check.present))):
            yield f"expect({found}.first).to_be_visible({timeout})"
        if check.absent is not None and (found := locator(parse_selector(check.absent))):
            yield f"expect({found}).to_have_count(0, {timeout})"
        if check.text is not None:
            yield f"expect(page.get_by_text({text_of(check.text)}).first).to_be_visible({timeout})"
        if check.value is not None:
            yield f"expect({self.target_locator(self.step.target)}).to_have_value({text_of(check.value)}, {timeout})"
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
        has = self._selector(SUFFIX.sub("", first).strip())
        inner = f".locator({_ROWS!r}).filter(has={has})"
        read = ["for item in items.all():", "    rows.append({"]
        read += [f"        {column!r}: {value}," for column, value in parsed.items()]
        return f"{base}{inner}", [*read, "    })"]

    def _field(self, column: str, text: str) -> str:
        suffix = SUFFIX.search(text)
        try:
            found = self._selector(SUFFIX.sub("", text).strip(), "item")
        except InvalidSkill:
            raise self._refusal(f"the column {column!r} is no role selector") from None
        what = suffix[1] if suffix else "text"
        how = {
            "href": "evaluate('element => element.href')",
            "src": "evaluate('element => element.src')",
            "value": "input_value()",
        }.get(what, "inner_text().strip()")
        return f"{found}.first.{how} if {found}.count() else None"
