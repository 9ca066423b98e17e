"""The rows of an extraction as they come in: they stay there if something fails; those that come twice are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.row_log import RowLog
from skillbook.extraction.frames.validation import Problem
from skillbook.extraction.garbage import collecting_later
from skillbook.perception.collections import Row
from skillbook.perception.escape import counted
from skillbook.perception.snapshot import Snapshot


@dataclass
class PartialResult:
    """Rows as they come in; what there is stays there when something fails.

    A page that shows the rows before it and more (a list that grows) adds only what is new; a page that was seen
    before adds nothing; otherwise rows are kept even if they say the same.

    page_again: the number of the earlier page that showed the last rows; 0 for none.
    repeated: how many rows say just what rows of earlier pages say.
    notes: what else is worth knowing, such as what was waited for between pages; a sentence each.
    log: where rows are kept while they are read; None for nowhere.
    gather: puts what a scroll has read so far into the rows; does nothing where nothing is scrolled.
    awaits: what is waited for just now, in words; "" while rows are read.
    interrupted: gives the page as far as it was read, where that was in blocks and something stopped it.
    """

    rows: list[Row] = field(default_factory=list)
    pages: int = 0
    columns: Sequence[str] = ()
    saw_last_again: bool = False
    page_again: int = 0
    repeated: int = 0
    notes: list[str] = field(default_factory=list)
    grew: bool = False
    awaits: str = "the page"
    log: RowLog | None = None
    gather: Callable[[], None] = lambda: None
    interrupted: Callable[[], Snapshot | None] = lambda: None
    _counted: tuple[int, int] = (0, 0)
    _seen: dict[tuple[object, ...], int] = field(default_factory=dict)
    _rows_seen: set[tuple[object, ...]] = field(default_factory=set)
    _says: list[tuple[object, ...]] = field(default_factory=list)

    def count(self, pages: int, rows: int) -> None:
        """Take the pages or screens and the rows so far, as `progress=` gets them; a scroll's rows come at its end."""
        self._counted, self.awaits = (pages, rows), ""

    def so_far(self) -> tuple[int, int, str]:
        """How many pages and rows were read, and what is waited for."""
        pages, rows = self._counted
        return max(pages, self.pages), max(rows, len(self.rows)), self.awaits

    def add(self, rows: Sequence[Row]) -> int:
        """Take a page's rows; returns how many are new."""
        with collecting_later():
            return self._add(rows)

    def _add(self, rows: Sequence[Row]) -> int:
        texts = [says(row) for row in rows]
        whole = tuple(texts)
        self.page_again = self._seen.get(whole, 0) if rows else 0
        self.saw_last_again = bool(rows) and texts == self._says
        if not rows or self.page_again:
            return 0
        known = len(self._says)
        self.grew = bool(self._says) and known <= len(texts) and texts[:known] == self._says
        fresh = rows[known:] if self.grew else rows
        self._says = texts
        self.rows += fresh
        self.pages += 1
        self._seen[whole] = self.pages
        new = texts[known:] if self.grew else texts
        self.repeated += sum(text in self._rows_seen for text in new)
        self._rows_seen.update(new)
        if self.log is not None:
            end = len(self.rows)
            self.log.add("page", self.pages, self.columns, fresh, range(end - len(fresh), end))
        return len(fresh)

    def end(self, completeness: Completeness, *, early: bool = False) -> str:
        """The reading is over, or was ended early by an error or an interrupt; returns what names it."""
        if self.log is None:
            return ""
        self.log.end(completeness, early=early)
        return self.log.run

    def forget(self, columns: Sequence[str]) -> None:
        """Begin anew, with other columns."""
        self.columns, self.pages, self.repeated = columns, 0, 0
        self.rows, self._says = [], []
        self._seen, self._rows_seen = {}, set()

    def restart(self) -> None:
        """Take the rows there are for one page's, after it was scrolled."""
        self._says = [says(row) for row in self.rows]
        self._seen = {tuple(self._says): self.pages}
        self._rows_seen = set(self._says)


def says(row: Row) -> tuple[object, ...]:
    """What a row says, to compare it with others."""
    return tuple([cell and (cell.text, cell.href) for cell in row.cells])


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
            return [f"{counted(left_out, 'row')} with {by} as earlier ones left out{differ}"]
        if repeated and not self.wanted:
            rows = counted(repeated, "row says", "rows say")
            return [f"{rows} what rows of earlier pages say; `unique=` leaves such rows out"]
        return []
