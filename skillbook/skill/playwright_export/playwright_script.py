"""The whole script: a function that does what a skill does, of steps or of code, and a way to start it."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass, field

from skillbook.cells.parsed_code import parsed
from skillbook.cells.surface import ATTRIBUTES, find_method
from skillbook.errors import InvalidSkill
from skillbook.perception.roles import words
from skillbook.skill.model.spec import FIRST_LINE, SkillSpec
from skillbook.skill.model.spec_steps import EXTRACT, SkillStep
from skillbook.skill.playwright_export.code_calls import CallWriter
from skillbook.skill.playwright_export.code_helpers import HELPER_NAMES, helpers_of
from skillbook.skill.playwright_export.page_calls import Refused, plain, text_of, variable
from skillbook.skill.playwright_export.step_code import StepWriter, statements

_CODE_OF_ERROR = re.compile(r"\[[a-z_]+\]?|[a-z]+(_[a-z]+)+\]")
_TAKEN = HELPER_NAMES | words("json os re expect Error quote_plus unquote_plus SimpleNamespace")
Span = tuple[int, int]


@dataclass
class _Function:
    """One skill's code, and the changes to it."""

    spec: SkillSpec
    changes: dict[Span, str] = field(default_factory=dict)
    statements: set[ast.AST] = field(default_factory=set)
    """Calls whose value nobody uses."""

    def __post_init__(self) -> None:
        self.code = self.spec.code
        self.starts = [0]
        for line in self.code.encode().split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.calls = CallWriter(self.source, finds="page.find(" in self.code)

    def written(self, name: str) -> str:
        """The function's text.

        Raises InvalidSkill: a call has no counterpart in Playwright; the error has its line in skill.py.
        """
        function = next(each for each in parsed(self.code).body if isinstance(each, ast.FunctionDef))
        inputs = {each.arg for each in function.args.kwonlyargs}
        self._check_names(function, inputs)
        self._visit(function)
        body = self._text(self.starts[function.body[0].lineno - 1], self.starts[function.end_lineno or 0])
        given = "".join(f", {one.name}={one.default!r}" for one in self.spec.inputs)
        lines = [f"def {name}(page: Page{', *' if given else ''}{given}):"]
        lines += [
            f"    {variable(one.name)} = {one.name}"
            for one in self.spec.inputs
            if variable(one.name) != one.name
        ]
        lines += ["    page.set_default_timeout(5_000)", "    page.set_default_navigation_timeout(30_000)"]
        if self.spec.start:
            lines.append(f"    page.goto({self.calls.start(self.spec.start)})")
            lines.append("    steady(page)")
        if not any(isinstance(each, ast.Return) and each.value for each in ast.walk(function)):
            body = body.rstrip("\n") + "\n    return list(READ)\n"
            body = body if "kept(" in body else body.replace("\n    return list(READ)\n", "\n    return []\n")
        return "\n".join(lines) + "\n" + body

    def source(self, node: ast.AST) -> str:
        """A node's text, with the changes in it."""
        start, end = self._span(node)
        return self._text(start, end)

    def _span(self, node: ast.AST) -> Span:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0)
        return self.starts[line - 1] + column, self.starts[last - 1] + end

    def _text(self, start: int, end: int) -> str:
        """A part of the code with what was changed in it; the outermost change has the inner ones."""
        raw, at, parts = self.code.encode(), start, list[str]()
        for (first, last), text in sorted(self.changes.items(), key=lambda one: (one[0][0], -one[0][1])):
            if first >= at and last <= end:
                parts += [raw[at:first].decode(), text]
                at = last
        return "".join(parts) + raw[at:end].decode()

    def _check_names(self, function: ast.FunctionDef, inputs: set[str]) -> None:
        for node in ast.walk(function):
            names = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
            names += (
                [node.name]
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not function
                else []
            )
            for name in names:
                if name in _TAKEN | inputs | {"page", "sb"}:
                    raise self._refusal(node, f"it makes the name {name!r}, which the script needs")
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and _CODE_OF_ERROR.fullmatch(node.value)
            ):
                raise self._refusal(
                    node, f"{node.value!r} may be an error's code, and Playwright's errors have none"
                )

    def _visit(self, node: ast.AST) -> None:
        """Change the calls in a node, the innermost first."""
        inner = [child for child in ast.iter_child_nodes(node) if not self._is_owner(node, child)]
        if isinstance(node, ast.JoinedStr) and any(map(_calls_page, inner)):
            raise self._refusal(node, "it calls the page within a formatted text")
        if isinstance(node, ast.Call) and self._method(node.func):
            inner = [*node.args, *node.keywords]
        if isinstance(node, ast.Call) and self._owner(node.func) == "sb" and node.args:
            inner = [*node.args[1:], *node.keywords]
        if isinstance(node, ast.Expr):
            self.statements.add(node.value)
        for child in inner:
            self._visit(child)
        try:
            self._change(node)
        except Refused as refused:
            raise self._refusal(node, str(refused)) from None

    def _change(self, node: ast.AST) -> None:
        if (
            isinstance(node, ast.ExceptHandler)
            and node.type is not None
            and "RuntimeError" in ast.unparse(node.type)
        ):
            self.changes[self._span(node.type)] = "(RuntimeError, Error, AssertionError)"
        elif isinstance(node, ast.ImportFrom) and ast.unparse(node) == FIRST_LINE:
            self.changes[self._span(node)] = "pass"
        elif (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and self._method(node.value.func)
        ):
            self._add_checks(node)
        elif isinstance(node, ast.Call) and self._method(node.func):
            self.changes[self._span(node)] = self._call(node)
        elif isinstance(node, ast.Attribute) and self._owner(node) == "page":
            if node.attr not in ATTRIBUTES:
                raise Refused(f"page.{node.attr} is named and not called")
            self.changes[self._span(node)] = {"url": "page.url", "title": "page.title()"}[node.attr]
        elif isinstance(node, ast.Name) and node.id in {"page", "sb"}:
            raise Refused(f"it passes {node.id!r} on")

    def _call(self, node: ast.Call) -> str:
        assert isinstance(node.func, ast.Attribute)
        method = find_method(self._owner(node.func), node.func.attr)
        used = node not in self.statements and node.func.attr != "download"
        if used and method is not None and method.effect != "read":
            raise Refused(f"it uses what page.{node.func.attr} returns")
        step = self._step(node)
        return self.calls.written(self._owner(node.func), node.func.attr, node, step, self.spec)

    def _step(self, node: ast.Call) -> SkillStep | None:
        assert isinstance(node.func, ast.Attribute)
        method = find_method(self._owner(node.func), node.func.attr)
        tool = method.tool if method is not None else ""
        return next((one for one in self.spec.steps if (one.line, one.command) == (node.lineno, tool)), None)

    def _add_checks(self, node: ast.Expr) -> None:
        """What must hold after a call stands below it."""
        assert isinstance(node.value, ast.Call)
        step = self._step(node.value)
        if step is None or not step.expect or step.command == EXTRACT:
            return
        number = self.spec.steps.index(step) + 1
        writer = StepWriter(self.spec, number, step)
        checks = [line for check in step.expect for line in writer.check_lines(check)]
        start, end = self._span(node)
        before = self.code.encode()[self.starts[node.lineno - 1] : start].decode()
        after = self.code.encode()[end : self.starts[node.end_lineno or 0] - 1].decode().strip()
        if before.strip() or (after and not after.startswith("#")):
            raise Refused("what must hold afterwards needs the call on a line of its own")
        self.changes[(start, end)] = "\n".join([self.source(node), *(f"{before}{line}" for line in checks)])

    def _method(self, node: ast.AST) -> bool:
        return bool(self._owner(node))

    def _owner(self, node: ast.AST) -> str:
        inner = node.value if isinstance(node, ast.Attribute) else None
        return inner.id if isinstance(inner, ast.Name) and inner.id in {"page", "sb"} else ""

    def _is_owner(self, node: ast.AST, child: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and isinstance(child, ast.Name) and child.id in {"page", "sb"}

    def _refusal(self, node: ast.AST, why: str) -> InvalidSkill:
        line = getattr(node, "lineno", 0)
        return InvalidSkill(
            f"line {line} of {self.spec.name}'s skill.py can't be exported: {why}",
            hint="change or leave out that line, or run the skill with skillbook",
            line=line,
        )


def _calls_page(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Name) and each.id in {"page", "sb"} for each in ast.walk(node))


_HEAD = '''"""{title}

Exported from the skill {name}. Needs `pip install playwright`.
"""

'''
_IMPORTS = """import json
import os
import re
from types import SimpleNamespace
from urllib.parse import quote_plus, unquote_plus

from playwright.sync_api import Error, Page, expect, sync_playwright
"""
_MAIN = """

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch()
        given = {function}(browser.new_page())
        for row in given if isinstance(given, list) else [given]:
            print(row)
        browser.close()
"""


def to_playwright(spec: SkillSpec) -> str:
    """A Python module with one function that does what the skill does and returns its rows and facts.

    Raises InvalidSkill: the skill is a prompt, or a step or call has nothing that Playwright has too; the error says
        which.
    """
    if not spec.replays:
        raise InvalidSkill(
            f"{spec.name} is a prompt for an agent", hint="only recorded steps can be exported"
        )
    function = re.sub(r"\W", "_", spec.name)
    function += "_" if keyword.iskeyword(function) else ""
    written = _Function(spec).written(function) if spec.code else _function_of_steps(spec, function)
    helpers = helpers_of(written)
    head = _HEAD.format(title=plain(spec.description), name=spec.name)
    return f"{head}{_imports(written + helpers)}{helpers}\n\n{written}{_MAIN.format(function=function)}"


def _function_of_steps(spec: SkillSpec, function: str) -> str:
    given = "".join(f", {variable(one.name)}={one.default!r}" for one in spec.inputs)
    lines = [f"def {function}(page: Page{', *' if given else ''}{given}) -> list[dict]:"]
    lines += [f'    """{plain(spec.description)}"""', "    rows, facts = [], {}"]
    if spec.start:
        lines.append(f"    page.goto({text_of(spec.start, in_url=True)})")
    lines += [f"    {line}".rstrip() for line in statements(spec, spec.steps, 1)]
    return "\n".join([*lines, "", "    return rows or [facts]"]) + "\n"


def _imports(code: str) -> str:
    kept = []
    for line in _IMPORTS.splitlines():
        names = line.rpartition("import ")[2].split(", ")
        used = [each for each in names if each == "sync_playwright" or re.search(rf"\b{each}\b", code)]
        if used or not line:
            kept.append(line.replace(", ".join(names), ", ".join(used)))
    return "\n".join(kept) + "\n"
