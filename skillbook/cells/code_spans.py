"""A cell's code in coloured pieces, line by line, for whoever shows it. Pure; it takes any text."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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

    Parameters
    ----------
    here : whether it belongs to the call at which the cell stands.
    """

    kind: SpanKind
    text: str
    here: bool = False


def spans_by_line(code: str, start: int = 0, end: int = 0) -> list[list[CodeSpan]]:
    """The lines of a code, each as pieces.

    Parameters
    ----------
    start, end : the call at which it stands, in characters; nothing where they are the same.
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
