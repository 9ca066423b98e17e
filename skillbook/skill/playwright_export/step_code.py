"""A skill's steps as statements for Playwright, with their checks; what Playwright has nothing like is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
from skillbook.skill.playwright_export.locators import ROWS, locator, plain, text_of, variable
from skillbook.skill.playwright_export.page_calls import PageCalls, Refused

SUFFIX = re.compile(r"@(href|src|value|text)\s*\Z")
_UNSET: tuple[Any, ...] = (None, False, "", [])


def statements(spec: SkillSpec, steps: Sequence[SkillStep], first: int) -> Iterator[str]:
    """Some steps' statements, each under what it does in words."""
    number = first
    for step in steps:
        yield ""
        yield f"# {number}. {plain(step.note or (f'{step.skill.name}:' if step.skill else step.command))}"
        yield from StepWriter(spec, number, step).lines()
        number += len(list(in_order([step])))


class _StepCall(PageCalls):
    """A step's command; its arguments are texts with placeholders."""

    def __init__(self, writer: StepWriter) -> None:
        step = writer.step
        self._writer, self._params = writer, step.params
        places = [name for name in ("target", "to") if getattr(step, name) is not None]
        super().__init__([*places, *(name for name, value in step.params.items() if value not in _UNSET)])

    def target(self, name: str = "target") -> str:
        if name == "selector":
            return self._writer.selector(str(self._params[name]))
        return self._writer.target_locator(getattr(self._writer.step, name))

    def value(self, name: str) -> str:
        value = self._params[name]
        return text_of(value) if isinstance(value, str) else repr(value)

    def address(self, name: str) -> str:
        return text_of(str(self._params[name]), in_url=True)

    def values(self, name: str) -> list[str]:
        value = self._params.get(name) or []
        return [text_of(str(each)) for each in (value if isinstance(value, list) else [value])]

    def literal(self, name: str) -> str:
        return str(self._params.get(name) or "")


class StepWriter:
    """Writes one step."""

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
            inner = [self._call()]
        inner += [line for check in step.expect for line in self.check_lines(check)]
        if step.when is not None:
            yield f"if {self.selector(step.when)}.count():"
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

    def selector(self, text: str, base: str = "page") -> str:
        """What a selector names, as a locator."""
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

    def _call(self) -> str:
        step = self.step
        if step.until:
            raise self._refusal("it presses until its target is in a state")
        try:
            call = _StepCall(self).written(step.command)
        except Refused as refused:
            raise self._refusal(str(refused)) from None
        if step.output is None:
            return call
        kind = step.output.type
        return f"facts[{step.output.name!r}] = {f'{kind}({call})' if kind in ('int', 'float') else call}"

    def _loop(self, loop: Loop) -> Iterator[str]:
        """For each item of a page, then of the next; items that move up into the places of others are done, too."""
        if loop.next is True:
            raise self._refusal("it finds the way to the next page by itself; give its selector as `next`")
        items, done, shown = (f"{name}_{self.number}" for name in ("items", "done", "shown"))
        facts = any(step.output is not None for step in in_order(self.step.steps))
        yield f"{done} = []"
        yield "while True:"
        yield f"    {items} = {self.selector(loop.items)}"
        if not loop.may_be_empty:
            yield f"    expect({items}.first).to_be_visible()"
        yield f"    {shown} = names_of({items}, {self.selector(loop.key)})"
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
        yield f"        before, {shown} = {shown}, names_of({items}, {self.selector(loop.key)})"
        full = f" or len({done}) >= {loop.max_items}" if loop.max_items else ""
        yield f"        if set(before) <= set({shown}){full}:"
        yield "            break"
        if loop.next is None:
            yield "    break"
            return
        yield f"    following = {self.selector(loop.next)}"
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
        base = self.selector(extract.within) if extract.within else "page"
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
        yield f"    following = {self.selector(extract.next)}"
        yield "    if not following.count() or not following.first.is_enabled():"
        yield "        break"
        yield "    before = items.first.inner_text()"
        yield "    following.first.click()"
        yield "    expect(items.first).not_to_have_text(before, use_inner_text=True)"

    def _items(self, fields: Mapping[str, str], base: str) -> tuple[str, list[str]]:
        """The rows as a locator, and the statements that read each: what holds the first field is a row."""
        parsed = {column: self._field(column, text) for column, text in fields.items()}
        first = next(iter(fields.values()))
        has = self.selector(SUFFIX.sub("", first).strip())
        inner = f".locator({ROWS!r}).filter(has={has})"
        read = ["for item in items.all():", "    rows.append({"]
        read += [f"        {column!r}: {value}," for column, value in parsed.items()]
        return f"{base}{inner}", [*read, "    })"]

    def _field(self, column: str, text: str) -> str:
        suffix = SUFFIX.search(text)
        try:
            found = self.selector(SUFFIX.sub("", text).strip(), "item")
        except InvalidSkill:
            raise self._refusal(f"the column {column!r} is no role selector") from None
        what = suffix[1] if suffix else "text"
        how = {
            "href": "evaluate('element => element.href')",
            "src": "evaluate('element => element.src')",
            "value": "input_value()",
        }.get(what, "inner_text().strip()")
        return f"{found}.first.{how} if {found}.count() else None"
