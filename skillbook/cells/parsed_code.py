"""The tree of a cell's text, what is wrong with it, and the same in coloured pieces. Pure."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

MOST_TRIES = 20


def parsed(code: str) -> ast.Module:
    """The tree of a text.

    CPython before 3.11.9 and 3.12.3 counts the depth of all threads' trees together, and raises SystemError where
    another thread builds one at the same moment: https://github.com/python/cpython/issues/106905.

    Raises SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    for _ in range(MOST_TRIES):
        try:
            return ast.parse(code)
        except SystemError:
            continue
    return ast.parse(code)


_SHOWN = 5


@dataclass(frozen=True)
class Fault:
    """What is wrong in a cell's text; lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str

    def shown(self, code: str) -> str:
        """The message with the line, and carets below what it is about."""
        lines = code.split("\n")
        if not 1 <= self.line <= len(lines):
            return f"line {self.line}: {self.message}"
        text = lines[self.line - 1]
        end = self.end_column if self.end_line == self.line else len(text) + 1
        marks = " " * (self.column - 1) + "^" * max(1, end - self.column)
        return f"line {self.line}: {self.message}\n    {text}\n    {marks}"


def show_faults(faults: Sequence[Fault], code: str) -> str:
    """The first faults, one below the other."""
    more = f"\n… and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return "\n".join(fault.shown(code) for fault in faults[:_SHOWN]) + more


SpanKind = Literal["", "keyword", "builtin", "string", "number", "comment"]

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>[bfruBFRU]{0,2}(?:
        \"{3}(?:\\[\s\S]|[^\\])*?(?:\"{3}|\Z) | '{3}(?:\\[\s\S]|[^\\])*?(?:'{3}|\Z)
      | \"(?:\\.|[^\"\\\n])*\"? | '(?:\\.|[^'\\\n])*'? ))
  | (?P<number>\d[\w.]*)
  | (?P<name>[^\W\d]\w*)
  | (?P<other>[\s\S])
    """,
    re.VERBOSE,
)
_KINDS: dict[str, SpanKind] = {"comment": "comment", "string": "string", "number": "number"}
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower()) | {"page", "sb"}


@dataclass(frozen=True)
class CodeSpan:
    """Some text of one kind.

    here: whether it belongs to the call at which the cell stands.
    """

    kind: SpanKind
    text: str
    here: bool = False


def spans_by_line(code: str, start: int = 0, end: int = 0) -> list[list[CodeSpan]]:
    """The lines of a code, each as pieces.

    start, end: the call at which it stands, in characters; nothing where they are the same.
    """
    lines: list[list[CodeSpan]] = [[]]
    for kind, at, text in _pieces(code):
        for bit, here in _cut(text, start - at, end - at):
            for number, part in enumerate(bit.split("\n")):
                if number:
                    lines.append([])
                last = lines[-1][-1] if lines[-1] else None
                if last is not None and (last.kind, last.here) == (kind, here):
                    lines[-1][-1] = CodeSpan(kind, last.text + part, here)
                elif part:
                    lines[-1].append(CodeSpan(kind, part, here))
    return lines


def _pieces(code: str) -> Iterator[tuple[SpanKind, int, str]]:
    for found in _TOKEN.finditer(code):
        text, kind = found[0], found.lastgroup
        if kind == "name":
            known: SpanKind = "keyword" if keyword.iskeyword(text) else "builtin" if text in _BUILTINS else ""
            yield known, found.start(), text
        else:
            yield _KINDS.get(kind or "", ""), found.start(), text


def _cut(text: str, start: int, end: int) -> Iterator[tuple[str, bool]]:
    """A text in up to three parts: before, within and after a range."""
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    for part, here in ((text[:start], False), (text[start:end], True), (text[end:], False)):
        if part:
            yield part, here
