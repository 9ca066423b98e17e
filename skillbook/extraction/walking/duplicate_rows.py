"""Rows that come more than once: left out by key or content where the caller wants that, and always counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.problems import Problem
from skillbook.extraction.walking.partial_result import says
from skillbook.perception.collections import Row


@dataclass(frozen=True)
class NoRepeats:
    """Which rows count as the same.

    wanted: whether rows are left out at all.
    keys: the columns that name a row; without, rows are the same that say the same in every column.
    """

    wanted: bool = False
    keys: Sequence[str] = ()

    @classmethod
    def of(cls, unique: bool | str | Sequence[str], columns: Sequence[str]) -> NoRepeats:
        """From a caller's `unique`.

        Raises ExtractionError: no such column.
        """
        if isinstance(unique, bool):
            return cls(unique)
        keys = [unique] if isinstance(unique, str) else list(unique)
        lost = [key for key in keys if key not in columns]
        if lost:
            known = ", ".join(map(repr, columns))
            raise ExtractionError(f"unique names {lost[0]!r}, which is no column", hint=f"there are {known}")
        return cls(bool(keys), keys)

    def leave_out(self, columns: Sequence[str], rows: Sequence[Row]) -> tuple[list[Row], list[Problem]]:
        """The rows without those that come again, and where such a one says something else than the first."""
        if not self.wanted:
            return list(rows), []
        places = [list(columns).index(key) for key in self.keys]
        first: dict[tuple[object, ...], int] = {}
        kept: list[Row] = []
        problems: list[Problem] = []
        for row in rows:
            name = tuple(cell.text if (cell := row.cells[at]) else None for at in places) or says(row)
            # Rows without a key can't be told to be the same.
            known = first.setdefault(name, len(kept)) if any(name) else len(kept)
            if known == len(kept):
                kept.append(row)
                continue
            for column, one, other in zip(columns, kept[known].cells, row.cells, strict=True):
                before, again = (cell.text if cell else None for cell in (one, other))
                if before != again:
                    named = ", ".join(f"{key}={text!r}" for key, text in zip(self.keys, name, strict=True))
                    what = f"another row with {named} was left out, which says {again!r}"
                    problems.append(Problem(known, column, before, what))
        return kept, problems

    def notes(self, repeated: int, left_out: int, problems: Sequence[Problem]) -> list[str]:
        """What was left out, or could be."""
        by = f"the same {', '.join(self.keys)}" if self.keys else "the same content"
        if left_out:
            others = len({problem.row for problem in problems})
            differ = f"; for {others:,} of those kept they say something else: see `report`" if others else ""
            return [f"{counted(left_out)} with {by} as earlier ones left out{differ}"]
        if repeated and not self.wanted:
            verb = "says" if repeated == 1 else "say"
            return [
                f"{counted(repeated)} {verb} what rows of earlier pages say; `unique=` leaves such rows out"
            ]
        return []


def counted(rows: int) -> str:
    """A number of rows."""
    return f"{rows:,} {'row' if rows == 1 else 'rows'}"
