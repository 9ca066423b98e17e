"""One call of a skill's code as an expression for Playwright; what Playwright has nothing like is refused."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from skillbook.cells.surface import find_method
from skillbook.errors import InvalidSkill, SelectorSyntaxError
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.model.templates import escape, write_selector
from skillbook.skill.playwright_export.page_calls import PageCalls, Refused, locator, text_of
from skillbook.skill.playwright_export.step_code import MOST_PAGES, StepWriter, reading

_HOLE = "computed_{}_"
_PLACE = 910_000_000
"""Stands in a selector for a computed place; more than any page has elements."""


class _CodeCall(PageCalls):
    """A call in code; its arguments are expressions."""

    rest = "steady(page)"
    owner = "page."

    def __init__(self, writer: CallWriter, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self._writer, self._given = writer, given

    def target(self, name: str = "target") -> str:
        return self._writer.target(self._given[name])

    def value(self, name: str) -> str:
        return self._writer.source(self._given[name])

    def text(self, name: str) -> str:
        return self._writer.as_text(self._given[name])

    def values(self, name: str) -> list[str]:
        return [self._writer.source(each) for each in self._given.get(name, ())]

    def literal(self, name: str) -> str:
        node = self._given.get(name)
        return str(node.value) if isinstance(node, ast.Constant) else ""

    def written(self, command: str) -> str:
        return f"downloaded(page, {self.target()})" if command == "download" else super().written(command)


class CallWriter:
    """Writes calls.

    source: a node's text, with the calls in it written already.
    finds: whether the code finds elements: then what isn't written out may be one.
    """

    def __init__(self, source: Callable[[ast.AST], str], *, finds: bool) -> None:
        self.source = source
        self._finds = finds
        self._step: SkillStep | None = None
        self._spec: SkillSpec | None = None

    def start(self, url: str) -> str:
        """Where a skill begins, as an expression."""
        return text_of(url, in_url=True)

    def written(self, owner: str, name: str, node: ast.Call, step: SkillStep | None, spec: SkillSpec) -> str:
        """A call as an expression.

        Raises Refused: there is none.
        """
        self._step, self._spec = step, spec
        if (owner, name) == ("sb", "secret"):
            return _secret(node)
        method = find_method(owner, name)
        if method is None:
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
        given = {
            key: one
            for key, one in bound.arguments.items()
            if not (isinstance(one, ast.Constant) and (one.value is None or one.value is False))
        }
        own = {("page", "count"): self._count, ("page", "find"): self._find, ("sb", "extract"): self._extract}
        write = own.get((owner, name))
        if write is None and owner != "page":
            raise Refused(f"{owner}.{name} has no counterpart in Playwright")
        text = write(given) if write is not None else _CodeCall(self, given).written(name)
        return f"steady(page, {text})" if method.effect != "read" else text

    def _count(self, given: Mapping[str, Any]) -> str:
        return f"how_many({self._both(given['selector'])})"

    def _find(self, given: Mapping[str, Any]) -> str:
        return f"found({self._both(given['query'])})"

    # Rows

    def _extract(self, given: Mapping[str, Any]) -> str:
        if "scroll" in given:
            raise Refused("it scrolls a list to its end")
        base = self.target(given["within"]) if "within" in given else ""
        fields = None
        if "fields" in given:
            fields = {column: escape(text) for column, text in self._fields(given["fields"]).items()}
        following = self.target(given["next"]) if "next" in given else ""
        most = self.source(given["max_pages"]) if "max_pages" in given else str(MOST_PAGES)
        return f"kept({reading(base, fields, following, most)})"

    def _fields(self, node: ast.expr) -> dict[str, str]:
        try:
            fields = ast.literal_eval(node)
        except ValueError:
            raise Refused("its fields are not written out") from None
        if not isinstance(fields, dict) or not fields:
            raise Refused("its fields are no dict")
        return {str(key): str(text) for key, text in fields.items()}

    # Arguments

    def as_text(self, node: ast.expr) -> str:
        """A node as an expression that is a text."""
        text = self.source(node)
        is_text = isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        return text if is_text or text.startswith("os.environ[") else f"str({text})"

    def target(self, node: ast.expr) -> str:
        """An element as a locator."""
        if self._finds and not isinstance(node, ast.JoinedStr | ast.Constant):
            return f"at({self.source(node)})"
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


def _secret(node: ast.Call) -> str:
    given = [*node.args, *(each.value for each in node.keywords)]
    name = given[0].value if len(given) == 1 and isinstance(given[0], ast.Constant) else None
    if not isinstance(name, str):
        raise Refused("the secret's name is not written out")
    return text_of(f"${{secret:{name}}}")
