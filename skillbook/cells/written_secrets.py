"""Secrets that a cell's text writes out. Only these exist in a cell: no text that it computes is or names one. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from skillbook.cells.crossing import CellSecret
from skillbook.cells.parsed_code import Fault, parsed
from skillbook.cells.surface import RUN_SKILL
from skillbook.policy.secrets import Secret, literal
from skillbook.protocol.commands import COMMANDS

HANDLES = "secret_"
"""The name by which a loaded cell has its secrets; no cell may say it."""
_NAME = r"[A-Za-z][A-Za-z0-9_.-]*"
_PLACEHOLDER = re.compile(rf"""[rRuU]?(?P<quote>["'])\$\{{secret:(?P<name>{_NAME})\}}(?P=quote)""")
_NOT_VALUES = (ast.JoinedStr, ast.MatchValue, ast.MatchMapping)
"""In a formatted text a placeholder is text, and a pattern takes no other expression."""
_RUN_CODE = frozenset({"exec", "eval", "compile", "__import__", "__builtins__", "builtins"})
_REACH_NAMES = frozenset({"globals", "locals", "vars", "getattr", "setattr", "delattr"})


@dataclass(frozen=True)
class WrittenSecret:
    """A secret that a text writes out, as `"${secret:bank}"` or as `sb.secret("bank")`."""

    name: str
    node: ast.expr


def find_secrets(tree: ast.AST, code: str) -> Iterator[WrittenSecret]:
    """The secrets that a text writes out, each as one whole expression."""
    lines = [line.encode() for line in re.split(r"\r\n|\r|\n", code)]
    yield from _secrets_in(tree, lines)


def _secrets_in(node: ast.AST, lines: list[bytes]) -> Iterator[WrittenSecret]:
    for child in ast.iter_child_nodes(node):
        name = _named(child, lines)
        if name is not None:
            assert isinstance(child, ast.expr)
            yield WrittenSecret(name, child)
        elif not isinstance(child, _NOT_VALUES):
            yield from _secrets_in(child, lines)


def _named(node: ast.AST, lines: list[bytes]) -> str | None:
    """The secret that an expression on one line writes out; None where it is none."""
    if isinstance(node, ast.Call) and _is_secret_call(node) and node.end_lineno == node.lineno:
        (given,) = node.args
        name = given.value if isinstance(given, ast.Constant) else None
        return name if isinstance(name, str) and re.fullmatch(_NAME, name) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.end_lineno == node.lineno:
        # Two texts side by side, or escapes in one, spell a placeholder that nobody sees.
        written = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode(errors="replace")
        found = _PLACEHOLDER.fullmatch(written)
        return found["name"] if found else None
    return None


def _is_secret_call(node: ast.Call) -> bool:
    function = node.func
    is_named = (
        isinstance(function, ast.Attribute)
        and function.attr == "secret"
        and isinstance(function.value, ast.Name)
        and function.value.id == "sb"
    )
    return is_named and len(node.args) == 1 and not node.keywords


def with_handles(code: str) -> tuple[str, frozenset[str]]:
    """A cell's text as the sandbox runs it, and the names of its secrets: each is a name for an object there.

    Every other character stays where it is, so that a place in the one is the same place in the other.

    Raises SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    if "secret" not in code:
        return code, frozenset()
    found = list(find_secrets(parsed(code), code))
    lines = [line.encode() for line in re.split(r"(\r\n|\r|\n)", code)]
    for secret in found:
        node, at = secret.node, 2 * (secret.node.lineno - 1)
        start, end = node.col_offset, node.end_col_offset or 0
        handle = f'{HANDLES}["{secret.name}"]'.encode()
        lines[at] = lines[at][:start] + handle.ljust(end - start) + lines[at][end:]
    return b"".join(lines).decode(), frozenset(secret.name for secret in found)


def spelled_out(code: str) -> str:
    """A cell's text for a kernel, where a secret is what `sb.secret` returns and a placeholder is text.

    Raises SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    lines = [line.encode() for line in re.split(r"(\r\n|\r|\n)", code)]
    found = [secret for secret in find_secrets(parsed(code), code) if isinstance(secret.node, ast.Constant)]
    for secret in sorted(found, key=lambda each: -each.node.col_offset):
        at = 2 * (secret.node.lineno - 1)
        call = f"sb.secret({secret.name!r})".encode()
        lines[at] = lines[at][: secret.node.col_offset] + call + lines[at][secret.node.end_col_offset or 0 :]
    return b"".join(lines).decode()


def find_hidden_code(code: str) -> list[Fault]:
    """What a cell may not say, for its text wouldn't show what it does: code in texts, and secrets by a computed name.

    Raises SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    tree = parsed(code)
    written = {id(inner) for secret in find_secrets(tree, code) for inner in ast.walk(secret.node)}
    return [
        _fault(node, message, code)
        for node in ast.walk(tree)
        if id(node) not in written and (message := _hides(node)) is not None
    ]


def _hides(node: ast.AST) -> str | None:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Import | ast.ImportFrom):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [each.name for each in node.names]
        name = next((each for each in modules if each in _RUN_CODE), "")
    if name in _RUN_CODE and not (isinstance(node, ast.Attribute) and name == "compile"):
        return f"{name!r} is refused: a cell's text has to show all that it runs"
    if name in _REACH_NAMES and isinstance(node, ast.Name):
        return f"{name!r} is refused: write the names out, so that the text shows what is called"
    if name == HANDLES:
        return f"the name {HANDLES!r} can't be used"
    if name == "secret" and isinstance(node, ast.Attribute):
        return 'a secret\'s name is written out: sb.secret("name")'
    return None


def _fault(node: ast.AST, message: str, code: str) -> Fault:
    line, start = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end = getattr(node, "end_col_offset", start) if getattr(node, "end_lineno", line) == line else start + 1
    raw = code.split("\n")[line - 1].encode()
    column, end = (len(raw[:at].decode(errors="ignore")) + 1 for at in (start, end))
    return Fault(line, column, line, end, message)


def typed_args(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments with its secrets as `Secret`, where the tool takes one; all other texts are plain.

    Raises TypeError: a secret stands where the tool takes none.
    """
    spec = COMMANDS.get(tool)
    takes = spec.text_param if spec is not None else None
    typed: dict[str, Any] = {}
    for name, value in args.items():
        if isinstance(value, CellSecret) and name == takes:
            typed[name] = Secret(value.name)
        elif tool == RUN_SKILL and name == "inputs" and isinstance(value, Mapping):
            typed[name] = {
                key: Secret(each.name) if isinstance(each, CellSecret) else each
                for key, each in value.items()
            }
        else:
            typed[name] = value
    if any(isinstance(each, CellSecret) for each in _values(typed)):
        raise TypeError("a secret goes only into `fill`, `type` and a skill's inputs, as it is")
    return typed


def _values(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    yield value
    for each in inner:
        yield from _values(each)


def as_tool_args(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a run's tool takes them from a model: only what is a `Secret` reads as a placeholder."""
    if tool not in COMMANDS and tool != RUN_SKILL:
        return dict(args)
    return {
        name: {key: _written(each) for key, each in value.items()}
        if name == "inputs" and isinstance(value, Mapping)
        else value
        if name in _TARGETS
        else _written(value)
        for name, value in args.items()
    }


_TARGETS = frozenset({"target", "to"})


def _written(value: Any) -> Any:
    if isinstance(value, Secret):
        return str.__str__(value)
    return literal(value) if isinstance(value, str) else value
