"""One call of a skill's code as an expression for Playwright; what Playwright has nothing like is refused."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from skillbook.cells.surface import find_method
from skillbook.errors import InvalidSkill, SelectorSyntaxError
from skillbook.extraction.frames.dtypes import names_codes
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.skill.model import SkillSpec, SkillStep
from skillbook.skill.model.templates import escape, write_selector
from skillbook.skill.playwright_export.locators import locator, text_of
from skillbook.skill.playwright_export.step_code import SUFFIX, StepWriter

_HOLE = "computed_{}_"
_PLACE = 910_000_000
"""Stands in a selector for a computed place; more than any page has elements."""
_PAGES = 1_000
_READ = {
    "href": "lambda one: one.evaluate('element => element.href')",
    "src": "lambda one: one.evaluate('element => element.src')",
    "value": "lambda one: one.input_value()",
}
_READ_TEXT = "lambda one: ' '.join(one.inner_text().split())"
_FACTS = {"text": "inner_text().strip()", "value": "input_value()"}


class Refused(Exception):
    """A call has no counterpart in Playwright; its text says why."""


class CallWriter:
    """Writes calls; a method `do_…` for each that there is.

    Parameters
    ----------
    source : a node's text, with the calls in it written already.
    finds : whether the code finds elements: then what isn't written out may be one.
    """

    def __init__(self, source: Callable[[ast.AST], str], *, finds: bool) -> None:
        self._source = source
        self._finds = finds
        self._step: SkillStep | None = None
        self._spec: SkillSpec | None = None

    def start(self, url: str) -> str:
        """Where a skill begins, as an expression."""
        return text_of(url, in_url=True)

    def written(self, owner: str, name: str, node: ast.Call, step: SkillStep | None, spec: SkillSpec) -> str:
        """A call as an expression.

        Raises
        ------
        Refused : there is none.
        """
        self._step, self._spec = step, spec
        if (owner, name) == ("sb", "secret"):
            return _secret(node)
        method = find_method(owner, name)
        write = getattr(self, f"do_{owner}_{name}", None)
        if method is None or write is None:
            raise Refused(f"{owner}.{name} has no counterpart in Playwright")
        if any(each.arg is None for each in node.keywords):
            raise Refused(f"the arguments of {owner}.{name} are not written out")
        takes_any = any(one.kind is one.VAR_POSITIONAL for one in method.signature.parameters.values())
        if any(isinstance(each, ast.Starred) for each in node.args) and not takes_any:
            raise Refused(f"the arguments of {owner}.{name} are not written out")
        try:
            bound = method.signature.bind(*node.args, **{str(each.arg): each.value for each in node.keywords})
        except TypeError as error:
            raise Refused(str(error)) from None
        given = {key: one for key, one in bound.arguments.items() if not _is_none(one)}
        text: str = write(given)
        return f"steady(page, {text})" if method.effect != "read" else text

    # Actions

    def _act(self, given: Mapping[str, Any], action: str) -> str:
        return f"{self._target(given['target'])}.{action}"

    def do_page_click(self, given: Mapping[str, Any]) -> str:
        """Click."""
        if "target" not in given:
            raise Refused("it clicks at no element")
        button = f"button={self._source(given['button'])}" if "button" in given else ""
        return self._act(given, f"click({button})")

    def do_page_dblclick(self, given: Mapping[str, Any]) -> str:
        """Double click."""
        return self._act(given, "dblclick()")

    def do_page_hover(self, given: Mapping[str, Any]) -> str:
        """Move the mouse there."""
        return self._act(given, "hover()")

    def do_page_check(self, given: Mapping[str, Any]) -> str:
        """Tick."""
        return self._act(given, "check()")

    def do_page_uncheck(self, given: Mapping[str, Any]) -> str:
        """Take a tick away."""
        return self._act(given, "uncheck()")

    def do_page_clear(self, given: Mapping[str, Any]) -> str:
        """Empty a field."""
        return self._act(given, "clear()")

    def do_page_fill(self, given: Mapping[str, Any]) -> str:
        """Fill a field."""
        return self._act(given, f"fill({self._as_text(given['value'])})")

    def do_page_type(self, given: Mapping[str, Any]) -> str:
        """Type key by key."""
        if "clear" in given:
            raise Refused("it clears the field first: call page.clear before it")
        return self._act(given, f"press_sequentially({self._as_text(given['text'])})")

    def do_page_press(self, given: Mapping[str, Any]) -> str:
        """Press a key."""
        key = self._source(given["key"])
        return self._act(given, f"press({key})") if "target" in given else f"page.keyboard.press({key})"

    def do_page_select(self, given: Mapping[str, Any]) -> str:
        """Choose options by their labels."""
        values = [self._source(each) for each in given.get("values", ())]
        chosen = values[0] if len(values) == 1 else f"[{', '.join(values)}]"
        return self._act(given, f"select_option(label={chosen})")

    def do_page_drag(self, given: Mapping[str, Any]) -> str:
        """Drag onto something."""
        if "to" not in given or given.keys() - {"target", "to"}:
            raise Refused("it drags by a distance")
        return self._act(given, f"drag_to({self._target(given['to'])})")

    def do_page_upload(self, given: Mapping[str, Any]) -> str:
        """Choose files."""
        return self._act(given, f"set_input_files([{', '.join(map(self._source, given.get('files', ())))}])")

    def do_page_download(self, given: Mapping[str, Any]) -> str:
        """Click what downloads a file."""
        return f"downloaded(page, {self._target(given['target'])})"

    def do_page_scroll(self, given: Mapping[str, Any]) -> str:
        """Scroll."""
        if given.keys() == {"target"}:
            return self._act(given, "scroll_into_view_if_needed()")
        if given.keys() - {"dx", "dy"} or not given:
            raise Refused("it scrolls to a place")
        dx, dy = (self._source(given[each]) if each in given else "0" for each in ("dx", "dy"))
        return f"page.mouse.wheel({dx}, {dy})"

    def do_page_goto(self, given: Mapping[str, Any]) -> str:
        """Go to an address."""
        return f"page.goto({self._source(given['url'])})"

    def do_page_back(self, given: Mapping[str, Any]) -> str:
        """Go back."""
        return "page.go_back()"

    def do_page_forward(self, given: Mapping[str, Any]) -> str:
        """Go forward."""
        return "page.go_forward()"

    def do_page_reload(self, given: Mapping[str, Any]) -> str:
        """Load anew."""
        return "page.reload()"

    # Reads

    def do_page_wait_for(self, given: Mapping[str, Any]) -> str:
        """Wait for one condition."""
        if len(given) != 1:
            raise Refused("it waits for several conditions")
        ((what, node),) = given.items()
        if what == "seconds":
            return f"page.wait_for_timeout(1000 * ({self._source(node)}))"
        if what == "selector":
            return f"expect({self._target(node)}.first).to_be_visible()"
        if what == "url":
            return f"expect(page).to_have_url(address({self._source(node)}))"
        if what == "text":
            return f"expect(page.get_by_text({self._source(node)}).first).to_be_visible()"
        if what == "text_gone":
            return f"expect(page.get_by_text({self._source(node)})).to_have_count(0)"
        return "steady(page)"

    def do_page_text(self, given: Mapping[str, Any]) -> str:
        """An element's text."""
        return self._fact("text", given)

    def do_page_value(self, given: Mapping[str, Any]) -> str:
        """A field's value."""
        return self._fact("value", given)

    def do_page_attribute(self, given: Mapping[str, Any]) -> str:
        """An attribute."""
        return self._act(given, f"get_attribute({self._source(given['name'])})")

    def do_page_get(self, given: Mapping[str, Any]) -> str:
        """A fact by its name."""
        what = str(given["what"].value) if isinstance(given["what"], ast.Constant) else ""
        if what in {"url", "title"} and "target" not in given:
            return {"url": "page.url", "title": "page.title()"}[what]
        return self._fact(what, given)

    def do_page_is_visible(self, given: Mapping[str, Any]) -> str:
        """Whether it is visible."""
        return f"{self._target(given['target'])}.is_visible()"

    def do_page_is_enabled(self, given: Mapping[str, Any]) -> str:
        """Whether it can be used."""
        return f"{self._target(given['target'])}.is_enabled()"

    def do_page_is_checked(self, given: Mapping[str, Any]) -> str:
        """Whether it is ticked."""
        return f"{self._target(given['target'])}.is_checked()"

    def do_page_count(self, given: Mapping[str, Any]) -> str:
        """How many elements match."""
        return f"how_many({self._both(given['selector'])})"

    def do_page_find(self, given: Mapping[str, Any]) -> str:
        """The elements that a selector names."""
        return f"found({self._both(given['query'])})"

    # Rows

    def do_sb_extract(self, given: Mapping[str, Any]) -> str:
        """Rows."""
        if "scroll" in given:
            raise Refused("it scrolls a list to its end")
        base = self._target(given["within"]) if "within" in given else ""
        fields = self._fields(given["fields"]) if "fields" in given else None
        selectors = {} if fields is None else {key: _selector_of(text) for key, text in fields.items()}
        if fields is None or not any(selectors.values()):
            read = self._read_table(base, fields)
        elif all(selectors.values()):
            read = self._read_items(base, fields)
        else:
            raise Refused("some of its fields are selectors, and some are not")
        if "next" in given:
            most = self._source(given["max_pages"]) if "max_pages" in given else str(_PAGES)
            read = f"over_pages(page, lambda: {read}, lambda: {self._target(given['next'])}, {most})"
        return f"kept({read})"

    def _read_table(self, base: str, fields: Mapping[str, str] | None) -> str:
        table = base or "page.locator('table, [role=grid], [role=treegrid]')"
        wanted = f", {dict(fields)!r}" if fields is not None else ""
        texts = [name for name in (fields or {}).values() if names_codes(name)]
        return f"read_columns({table}{wanted}{f', texts={texts!r}' if texts else ''})"

    def _read_items(self, base: str, fields: Mapping[str, str]) -> str:
        columns = {}
        for column, text in fields.items():
            what = found[1] if (found := SUFFIX.search(text)) else "text"
            place = locator(parse_selector(SUFFIX.sub("", escape(text)).strip()), "item")
            if place is None:
                raise Refused(f"Playwright has no locator for {text}")
            columns[column] = f"(lambda item: {place}, {_READ.get(what, _READ_TEXT)})"
        first = locator(parse_selector(SUFFIX.sub("", escape(next(iter(fields.values())))).strip()))
        written = ", ".join(f"{column!r}: {text}" for column, text in columns.items())
        texts = [column for column in fields if names_codes(column)]
        more = f", texts={texts!r}" if texts else ""
        base = base or "page.locator('body')"
        return f"read_items(page, {base}, {first}, {{{written}}}{more})"

    def _fields(self, node: ast.expr) -> dict[str, str]:
        try:
            fields = ast.literal_eval(node)
        except ValueError:
            raise Refused("its fields are not written out") from None
        if not isinstance(fields, dict) or not fields:
            raise Refused("its fields are no dict")
        return {str(key): str(text) for key, text in fields.items()}

    # Arguments

    def _fact(self, what: str, given: Mapping[str, Any]) -> str:
        if what not in _FACTS or "target" not in given:
            raise Refused(f"it reads {what or 'a fact that is not written out'} of the page")
        return self._act(given, _FACTS[what])

    def _as_text(self, node: ast.expr) -> str:
        text = self._source(node)
        is_text = isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        return text if is_text or text.startswith("os.environ[") else f"str({text})"

    def _target(self, node: ast.expr) -> str:
        """An element as a locator."""
        if self._finds and not isinstance(node, ast.JoinedStr | ast.Constant):
            return f"at({self._source(node)})"
        parsed, holes = self._parsed(node)
        found = locator(parsed)
        if found is None and self._step is not None and not holes and self._step.target is not None:
            same = self._step.named == write_selector(parsed)
            found = self._recorded() if same else None
        if found is None:
            raise Refused(f"Playwright has no locator for {ast.unparse(node)}")
        return self._filled(found, holes)

    def _recorded(self) -> str | None:
        assert self._step is not None
        assert self._spec is not None
        try:
            return StepWriter(self._spec, 1, self._step).target_locator(self._step.target)
        except InvalidSkill:
            return None

    def _both(self, node: ast.expr) -> str:
        """What is named exactly, and what is in any case."""
        parsed, holes = self._parsed(node)
        if parsed.kind not in {"role", "css", "testid"}:
            raise Refused(f"Playwright finds other elements by {parsed.kind}")
        exact, folded = locator(parsed), locator(parsed, folded=True)
        if exact is None or folded is None:
            raise Refused(f"Playwright has no locator for {ast.unparse(node)}")
        return f"{self._filled(exact, holes)}, {self._filled(folded, holes)}"

    def _parsed(self, node: ast.expr) -> tuple[Selector, list[ast.expr]]:
        """A selector that is written out, with a placeholder for each part that is computed."""
        holes: list[ast.expr] = []
        pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = ""
        for piece in pieces:
            if isinstance(piece, ast.Constant) and isinstance(piece.value, str):
                text += escape(piece.value)
            elif (
                isinstance(piece, ast.FormattedValue) and piece.conversion == -1 and piece.format_spec is None
            ):
                is_place = re.search(r"\bnth\s*\Z", text)
                text += str(_PLACE + len(holes)) if is_place else f"${{input:{_HOLE.format(len(holes))}}}"
                holes.append(piece.value)
            else:
                raise Refused(f"{ast.unparse(node)} is no selector that is written out")
        try:
            return parse_selector(text), holes
        except SelectorSyntaxError:
            raise Refused(f"{ast.unparse(node)} is no selector") from None

    def _filled(self, text: str, holes: list[ast.expr]) -> str:
        """A locator with its computed parts."""
        if not holes:
            return text
        filler = _Filler(holes)
        tree = ast.fix_missing_locations(filler.visit(ast.parse(text, mode="eval")))
        if filler.filled != set(range(len(holes))):
            raise Refused("a part of its selector is computed, and not the name")
        try:
            return ast.unparse(tree)
        except ValueError as error:  # texts within texts that this Python can't write
            raise Refused(str(error)) from None


class _Filler(ast.NodeTransformer):
    """Puts computed parts in the place of what stands for them."""

    def __init__(self, holes: list[ast.expr]) -> None:
        self._holes = holes
        self.filled: set[int] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A part of a name."""
        at = next((n for n in range(len(self._holes)) if node.id == _HOLE.format(n)), None)
        if at is None:
            return node
        self.filled.add(at)
        return self._holes[at]

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A place: it counts from 1, and Playwright's from 0."""
        at = node.value - _PLACE + 1 if isinstance(node.value, int) and node.value >= _PLACE - 1 else None
        if at is None or at >= len(self._holes):
            return node
        self.filled.add(at)
        return ast.BinOp(self._holes[at], ast.Sub(), ast.Constant(1))


def _selector_of(text: str) -> Selector | None:
    """A field as a selector; None for a column's name."""
    try:
        return parse_selector(SUFFIX.sub("", text).strip())
    except SelectorSyntaxError:
        return None


def _is_none(node: Any) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _secret(node: ast.Call) -> str:
    given = [*node.args, *(each.value for each in node.keywords)]
    name = given[0].value if len(given) == 1 and isinstance(given[0], ast.Constant) else None
    if not isinstance(name, str):
        raise Refused("the secret's name is not written out")
    return text_of(f"${{secret:{name}}}")
