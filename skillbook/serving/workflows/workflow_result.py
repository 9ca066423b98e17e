"""What a workflow gave: rows, facts, text or files, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from skillbook.agents import Run
from skillbook.errors import SkillbookError


@dataclass(frozen=True)
class Progress:
    """How far a workflow is, as it said itself.

    done, total: how much of how much; None where it didn't say.
    """

    text: str = ""
    done: float | None = None
    total: float | None = None

    @classmethod
    def of(cls, yielded: object) -> Progress | None:
        """What a yielded value says of progress: a text, or `(done, total)`; None where it is a result."""
        if isinstance(yielded, cls):
            return yielded
        if isinstance(yielded, str):
            return cls(yielded)
        match yielded:
            case (int() | float() as so_far, int() | float() as whole):
                return cls("", so_far, whole)
        return None

    def __str__(self) -> str:
        amount = "" if self.done is None else f"{self.done:g} of {self.total:g}"
        return " ".join(part for part in (self.text, amount) if part)


@dataclass
class WorkflowResult:
    """What a workflow gave.

    value: what its function returned.
    progress: what it said of its progress, in order.
    error: why it failed; None where it didn't.
    elapsed_ms: how long it took.
    """

    name: str
    value: Any = None
    progress: list[Progress] = field(default_factory=list)
    error: Exception | None = None
    elapsed_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether it came to its end."""
        return self.error is None

    @property
    def frame(self) -> pd.DataFrame:
        """Its rows; an empty frame where it gave none."""
        value = self.value.frame if isinstance(self.value, Run) else self.value
        return value if isinstance(value, pd.DataFrame) else pd.DataFrame()

    @property
    def facts(self) -> dict[str, Any]:
        """What it gave by name; empty where it gave no dict."""
        return dict(self.value) if isinstance(self.value, dict) else {}

    @property
    def text(self) -> str:
        """What it gave as text; empty where it gave rows, facts or files."""
        value = self.value.result if isinstance(self.value, Run) else self.value
        structured = value is None or isinstance(value, pd.DataFrame | dict) or bool(self.files)
        return "" if structured else str(value)

    @property
    def files(self) -> list[Path]:
        """The files that it gave."""
        value = self.value
        found = [value] if isinstance(value, Path) else value
        listed = isinstance(found, Sequence) and not isinstance(found, str)
        return list(found) if listed and found and all(isinstance(each, Path) for each in found) else []

    def raise_for_error(self) -> None:
        """Raise the error with which it failed, if it did."""
        if self.error is not None:
            raise self.error

    def __repr__(self) -> str:
        if self.error is not None:
            reason = self.error.message if isinstance(self.error, SkillbookError) else str(self.error)
            return f"<WorkflowResult {self.name} failed: {type(self.error).__name__}: {reason}>"
        return f"<WorkflowResult {self.name}: {self._gave()}>"

    def _gave(self) -> str:
        if isinstance(self.value, Run):
            return repr(self.value)
        if isinstance(self.value, pd.DataFrame):
            return f"frame {len(self.value):,} × {self.value.shape[1]}"
        if self.facts:
            return ", ".join(f"{name} {str(value)[:40]!r}" for name, value in self.facts.items())
        if self.files:
            return ", ".join(path.name for path in self.files)
        return repr(self.text[:80]) if self.text else "nothing"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if isinstance(self.value, pd.DataFrame):
            table = self.value.to_html(max_rows=10)
            bundle["text/html"] = f"<p>{self.name}: {len(self.value):,} rows</p>{table}"
        return bundle
