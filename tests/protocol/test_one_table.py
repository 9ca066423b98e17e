"""No list of commands but the table: what is decided by a command's name is a field of its entry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbook.cells.parsed_code import parsed
from skillbook.protocol.commands import COMMANDS

ROOT = Path(__file__).parents[2]
TABLE = "skillbook/protocol/commands/"
NOT_COMMANDS = {
    "skillbook/__init__.py": "public names, two of which are called like commands",
    "skillbook/aio.py": "the same names, awaitable",
    "skillbook/agents/state/tasks.py": "kinds of tasks, some of which are called like the command that does them",
    "skillbook/agents/tools/offered.py": "which commands are one tool to models",
    "skillbook/mcp_server/client_tools.py": "what models of other programs read: names and wording",
    "skillbook/journal/trace_file.py": "the keys of Playwright's traces",
    "skillbook/skill/playwright_export/page_calls.py": "what Playwright calls them",
    "skillbook/cells/surface.py": "what code is not offered, and the types of what it gets",
    "skillbook/perception/action_intent.py": "words on buttons, by what they are for",
}
HANDLERS = {
    "background/commands/handlers.ts": "one handler a command; its type names them all",
    "content/act.ts": "the part of each action that is done in the page",
    "content/read.ts": "the part of each reading that is done in the page",
}


def python_lists(source: str) -> Iterator[tuple[int, list[str]]]:
    """Collections, matches and conditions that name two commands or more, with their lines."""
    for node in ast.walk(parsed(source)):
        names = [name for name in _texts(node) if name in COMMANDS]
        if len(set(names)) > 1:
            yield node.lineno, names  # type: ignore[attr-defined]


def _texts(node: ast.AST) -> list[object]:
    found: list[ast.AST | None] = []
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        found = list(node.elts)
    elif isinstance(node, ast.Dict):
        found = list(node.keys)
    elif isinstance(node, ast.Match):
        patterns = [part for case in node.cases for part in ast.walk(case.pattern)]
        found = [part.value for part in patterns if isinstance(part, ast.MatchValue)]
    elif isinstance(node, ast.BoolOp):
        found = [side for part in node.values for side in _compared(part)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        return str(getattr(node.func.value, "value", "")).split()
    return [part.value for part in found if isinstance(part, ast.Constant)]


def _compared(test: ast.AST) -> list[ast.expr]:
    return [test.left, *test.comparators] if isinstance(test, ast.Compare) else []


_NAME = r"""["'](\w+)["']"""
_ARRAY = re.compile(rf"\[\s*{_NAME}(?:\s*,\s*{_NAME})+\s*,?\s*\]")
_EITHER = re.compile(
    rf"([\w.]*[cC]ommand\w*)\s*[!=]==?\s*{_NAME}(?:\s*(?:\|\||&&)\s*\1\s*[!=]==?\s*{_NAME})+"
)
_SWITCH = re.compile(r"switch\s*\(([^)]*[cC]ommand[^)]*)\)\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_KEYED = re.compile(r"(?:const|let)\s+\w+[^=;]*=\s*(?:Object\.freeze\()?\{((?:[^{}]|\{[^{}]*\})*)\}")
_KEY = re.compile(r"(?:^|[,{\n])\s*[\"']?(\w+)[\"']?\s*:")


def typescript_lists(source: str) -> Iterator[tuple[int, list[str]]]:
    """Arrays, conditions, switches and objects about two commands or more and nothing else, with their lines."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), source, flags=re.S)
    finds = [(found, re.findall(_NAME, found[0])) for found in _ARRAY.finditer(code)]
    finds += [(found, re.findall(_NAME, found[0])) for found in _EITHER.finditer(code)]
    finds += [(found, re.findall(rf"case\s+{_NAME}", found[0])) for found in _SWITCH.finditer(code)]
    finds += [(found, _KEY.findall(found[1])) for found in _KEYED.finditer(code)]
    for found, names in finds:
        if len(set(names)) > 1 and COMMANDS.keys() >= set(names):
            yield code.count("\n", 0, found.start()) + 1, names


def _python_files() -> list[Path]:
    files = sorted((ROOT / "skillbook").rglob("*.py"))
    return [path for path in files if not path.relative_to(ROOT).as_posix().startswith(TABLE)]


def test_python_lists_no_commands_beside_the_table() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {names}"
        for path in _python_files()
        if path.relative_to(ROOT).as_posix() not in NOT_COMMANDS
        for line, names in python_lists(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "make it a field of Command"


def test_the_extension_lists_no_commands_beside_its_handlers() -> None:
    sources = ROOT / "extension" / "src"
    found = [
        f"{path.relative_to(ROOT)}:{line}: {names}"
        for path in sorted([*sources.rglob("*.ts"), *sources.rglob("*.tsx")])
        if path.relative_to(sources).as_posix() not in {*HANDLERS, "protocol/generated.ts"}
        for line, names in typescript_lists(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "make it a field of Command and of CommandFacts"


@pytest.mark.parametrize(
    "source",
    [
        'MOVES = {"scroll", "highlight"}',
        'MOVES = frozenset(["scroll", "highlight"])',
        'VALUED = {"fill": "value", "type": "text"}',
        'if command in ("click", "press"): pass',
        'if command == "click" or command == "press": pass',
        'match command:\n    case "click" | "press": pass',
        'match command:\n    case "click": pass\n    case "press": pass',
        'kind: Literal["click", "press"]',
        'MOVES = set("scroll highlight".split())',
    ],
)
def test_a_list_in_python_is_found(source: str) -> None:
    assert list(python_lists(source))


@pytest.mark.parametrize("source", ['x = {"click"}', 'x = ["a", "click"]', 'if command == "click": pass'])
def test_a_single_command_is_no_list_in_python(source: str) -> None:
    assert not list(python_lists(source))


@pytest.mark.parametrize(
    "source",
    [
        'const MOVES = new Set<CommandName>(["scroll", "highlight"]);',
        'const MOVES: readonly string[] = [\n  "scroll",\n  "highlight",\n];',
        'if (command === "click" || command === "press") return;',
        'if (request.command !== "click" && request.command !== "press") return;',
        'switch (command) {\n  case "click":\n    return 1;\n  case "press": {\n    return 2;\n  }\n}',
        "const VALUED: Record<string, string> = { fill: 'value', type: 'text' };",
    ],
)
def test_a_list_in_typescript_is_found(source: str) -> None:
    assert list(typescript_lists(source))


@pytest.mark.parametrize(
    "source",
    [
        'const ENDS = ["click", "dblclick", "auxclick"]; // events',
        'if (command === "click") return;',
        "const point = { x: 1, type: 2 };",
        '// ["scroll", "highlight"]',
    ],
)
def test_what_is_no_list_of_commands_passes_in_typescript(source: str) -> None:
    assert not list(typescript_lists(source))


def test_what_is_exempt_is_there() -> None:
    assert all((ROOT / "extension" / "src" / path).exists() for path in HANDLERS)
    assert all((ROOT / path).exists() for path in NOT_COMMANDS)
