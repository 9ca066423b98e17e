"""From the cells of a run to `skill.py`: one function of the cells that counted, with inputs in place of literals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbook.cells.foresight import foresee
from skillbook.cells.parsed_code import parsed
from skillbook.skill.model import SkillInput
from skillbook.skill.model.skill_code import FIRST_LINE
from skillbook.skill.model.templates import placeholders, unescape
from skillbook.skill.recording.literals import Literals

_INDENT = "    "
_PIECE = re.compile(r"(\$\{(?:input|secret):[^}]*\})")
_TYPES = {"int": "int", "float": "float", "bool": "bool"}


@dataclass(frozen=True)
class WrittenCode:
    """The text of skill.py.

    Parameters
    ----------
    lines : the line in it of each cell's first line, by the cell's number; cells that are left out have none.
    inputs : the names of the inputs that it uses.
    """

    text: str
    lines: Mapping[int, int]
    inputs: frozenset[str]


def cells_that_count(cells: Mapping[int, str]) -> list[int]:
    """The numbers of the cells that act, read rows, end the run, or make a name that one of those needs."""
    kept: list[int] = []
    wanted: set[str] = set()
    for number, code in reversed(list(cells.items())):
        forecast, tree = foresee(code), parsed(code)
        does = any(call.method.effect != "read" or call.method.tool == "extract" for call in forecast.calls)
        is_last = number == max(cells) and bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
        if does or is_last or wanted & set(forecast.names):
            kept.append(number)
            wanted |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return sorted(kept)


def write_code(cells: Mapping[int, str], goal: str, literals: Literals) -> WrittenCode:
    """Write the function.

    Parameters
    ----------
    cells : the code of those that count, by their numbers.
    """
    used: set[str] = set()
    bodies: dict[int, list[str]] = {}
    for number, code in cells.items():
        text = _with_inputs(code.strip("\n"), literals, used, returns=number == max(cells))
        bodies[number] = _indented(text)
    inputs = [one for one in literals.inputs if one.name in used]
    head = [*_docstring(goal), "", FIRST_LINE, "", "", _signature(inputs)]
    lines, firsts = list(head), {}
    for number, body in bodies.items():
        lines.append(f"{_INDENT}# cell {number}")
        firsts[number] = len(lines) + 1 - _leading(cells[number])
        lines += body
    return WrittenCode("\n".join(lines) + "\n", firsts, frozenset(used))


def _leading(code: str) -> int:
    """The empty lines at a cell's beginning, which are left out."""
    return len(code) - len(code.lstrip("\n"))


def _docstring(goal: str) -> list[str]:
    said = " ".join(goal.split()).replace("\\", "\\\\").replace('"""', "'''")
    return [f'"""{said.rstrip(chr(34))}"""']


def _signature(inputs: Sequence[SkillInput]) -> str:
    named = [
        f"{one.name}: {_TYPES.get(one.type, 'str')}"
        + ("" if one.default is None else f" = {one.default if one.type in _TYPES else str(one.default)!r}")
        for one in inputs
    ]
    return f"def run(page{', *, ' if named else ''}{', '.join(named)}):"


def _indented(code: str) -> list[str]:
    """A cell's lines in a function; those that begin inside of a text stay as they are."""
    inside = {
        line
        for node in ast.walk(parsed(code))
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    return [
        line if number in inside or not line.strip() else f"{_INDENT}{line}"
        for number, line in enumerate(code.split("\n"), 1)
    ]


def _with_inputs(code: str, literals: Literals, used: set[str], *, returns: bool) -> str:
    """The code with inputs in place of the texts that they were, and its last expression returned."""
    tree = parsed(code)
    lines = [line.encode() for line in code.split("\n")]
    changes: list[tuple[int, int, int, str]] = []
    for node in _texts(tree):
        written = _expression(str(node.value), literals, used)
        if written is not None and node.end_lineno == node.lineno and node.end_col_offset is not None:
            changes.append((node.lineno, node.col_offset, node.end_col_offset, written))
    last = tree.body[-1] if tree.body else None
    if returns and isinstance(last, ast.Expr):
        changes.append((last.lineno, last.col_offset, last.col_offset, "return "))
    for line, start, end, written in sorted(changes, reverse=True):
        lines[line - 1] = lines[line - 1][:start] + written.encode() + lines[line - 1][end:]
    return b"\n".join(lines).decode()


def _texts(node: ast.AST) -> Iterator[ast.Constant]:
    """The texts that are values; a key names a column, and those within formatted texts have no place of their own."""
    keys = (
        node.keys if isinstance(node, ast.Dict) else [node.slice] if isinstance(node, ast.Subscript) else []
    )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant) and child in keys:
            continue
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "sb.secret":
            continue  # an input that names a secret would let anybody choose one
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child
        elif not isinstance(child, ast.JoinedStr):
            yield from _texts(child)


def _expression(text: str, literals: Literals, used: set[str]) -> str | None:
    """A text as an expression over inputs; None where it has none."""
    template = literals.template(text)
    found = list(placeholders(template))
    if not found:
        return None
    used |= {one.name for one in found if one.kind == "input"}
    one = found[0]
    if _PIECE.fullmatch(template):
        if one.kind == "secret":
            return f"sb.secret({one.name!r})"
        kind = next((each.type for each in literals.inputs if each.name == one.name), "str")
        return f"str({one.name})" if kind in _TYPES else one.name
    if any(one.kind == "secret" for one in found):
        return None
    parts = [_part(piece) for piece in _PIECE.split(template) if piece]
    return ast.unparse(ast.fix_missing_locations(ast.JoinedStr(parts)))


def _part(piece: str) -> ast.expr:
    name = next((one.name for one in placeholders(piece)), None)
    if name is None:
        return ast.Constant(unescape(piece))
    return ast.FormattedValue(ast.Name(name, ast.Load()), conversion=-1)
