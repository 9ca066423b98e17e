"""What is wrong with a cell, with the line and marks below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
