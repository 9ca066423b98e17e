"""A skill's steps as statements for Playwright, with their checks; what Playwright has nothing like is refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from skillbook.errors import InvalidSkill, SelectorSyntaxError
from skillbook.extraction.frames.dtypes import names_codes
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import (
    EXTRACT,
    Check,
    Extract,
    Loop,
    SkillStep,
    StepTarget,
    SubSkill,
    in_order,
)
from skillbook.skill.model.templates import unescape
from skillbook.skill.playwright_export.page_calls import PageCalls, Refused, locator, plain, text_of, variable

MOST_PAGES = 1_000
_SUFFIX = re.compile(r"@(href|src|value|text)\s*\Z")
_TABLES = "page.locator('table, [role=grid], [role=treegrid]')"
_READ = {
    "href": "lambda one: one.evaluate('element => element.href')",
    "src": "lambda one: one.evaluate('element => element.src')",
    "value": "lambda one: one.input_value()",
}
_READ_TEXT = "lambda one: ' '.join(one.inner_text().split())"
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
            inner = [self._extract(step.extract or Extract())]
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

    def _extract(self, extract: Extract) -> str:
        if extract.scroll:
            raise self._refusal("it scrolls a list to its end")
        if extract.next is True:
            raise self._refusal("it finds the way to the next page by itself; give its selector as `next`")
        base = self.selector(extract.within) if extract.within else ""
        following = self.selector(extract.next) if isinstance(extract.next, str) else ""
        try:
            read = reading(base, extract.fields, following, str(extract.max_pages or MOST_PAGES), texts=None)
        except Refused as refused:
            raise self._refusal(str(refused)) from None
        return f"rows {'+=' if extract.append else '='} {read}"


def reading(
    base: str,
    fields: Mapping[str, str] | None,
    following: str,
    most: str,
    *,
    texts: Collection[str] | None = (),
) -> str:
    """Reading rows, as an expression.

    base: where they are, as a locator; "" for anywhere.
    fields: what to read of each by column, with placeholders; None for all columns of a table.
    following: the link to the next page, as a locator; "" for none.
    most: pages at most.
    texts: columns that stay texts besides those of codes; None for all.
    Raises Refused: Playwright has nothing like it.
    """
    selectors = {column: _selector_of(text) for column, text in (fields or {}).items()}
    if not any(selectors.values()):
        wanted = f", { ({column: unescape(text) for column, text in fields.items()})!r}" if fields else ""
        codes = _codes([unescape(text) for text in (fields or {}).values()], texts)
        read = f"read_columns({base or _TABLES}{wanted}{codes})"
    elif not all(selectors.values()):
        raise Refused("some of its fields are selectors, and some are not")
    else:
        columns = [f"{column!r}: {_column(text)}" for column, text in (fields or {}).items()]
        first = locator(next(one for one in selectors.values() if one is not None))
        base = base or "page.locator('body')"
        read = f"read_items(page, {base}, {first}, {{{', '.join(columns)}}}{_codes(selectors, texts)})"
    return f"over_pages(page, lambda: {read}, lambda: {following}, {most})" if following else read


def _codes(names: Collection[str], texts: Collection[str] | None) -> str:
    kept = None if texts is None else [name for name in names if names_codes(name)]
    return f", texts={kept!r}" if kept is None or kept else ""


def _column(text: str) -> str:
    what = found[1] if (found := _SUFFIX.search(text)) else "text"
    parsed = _selector_of(text)
    place = locator(parsed, "item") if parsed is not None else None
    if place is None:
        raise Refused(f"Playwright has no locator for {text}")
    return f"(lambda item: {place}, {_READ.get(what, _READ_TEXT)})"


def _selector_of(text: str) -> Selector | None:
    try:
        return parse_selector(_SUFFIX.sub("", text).strip())
    except SelectorSyntaxError:
        return None
