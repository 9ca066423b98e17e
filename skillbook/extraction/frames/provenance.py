"""Where each cell of a frame came from.

A frame carries it in `attrs`, as a string that knows more: pandas copies, compares and writes `attrs` as it likes,
and sees a string only. Rows are known by index label, so filtering and sorting keep it; a frame that was written
to a file and read again, or put together from several, has lost it.
"""

from __future__ import annotations

import itertools
import operator
import secrets
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.extraction.frames.cell_selectors import cell_selector
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.validation import Problem
from skillbook.perception.collections import Cell, Row
from skillbook.perception.escape import quote

KEY = "skillbook"
_numbers = itertools.count(1)


def new_run() -> str:
    """A name for an extraction, unlike every other one's; names sort by time."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"


@dataclass(frozen=True)
class Source:
    """Where one cell came from.

    text: what the page said.
    url, document: the document, by address and key.
    ref: the element, while the document lives.
    path: the roles around it, outermost first.
    taken_at: when it was read, in seconds since 1970.
    selector: names the element on the page as it was read, by a text of its row (`cell in row 'Part 3' nth 2`); empty
        where no selector does, and for rows that `sb.recover` gave back.
    lang: the language that the document names (BCP 47), or "".
    """

    text: str
    url: str
    document: str
    ref: str | None
    path: str
    taken_at: float
    selector: str = ""
    lang: str = ""

    def __repr__(self) -> str:
        return f"<Source {quote(self.text, 40)} [ref={self.ref}] {self.url}>"


class KeptCell(Cell):
    """A cell that was written to a file and read again: its source is all that is left of the page."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        super().__init__(source.text)
        self.source = source

    @property
    def ref(self) -> str | None:
        """The ref of the element, while its document lives."""
        return self.source.ref


def lang_of(rows: Sequence[Row]) -> str:
    """The language of the document that the first row is of, "" where it names none."""
    for cell in rows[0].cells if rows else ():
        if isinstance(cell, KeptCell):
            return cell.source.lang
        if cell is not None and cell.node is not None:
            return cell.node.snapshot.columns.document_at(cell.node.index).lang
    return ""


def source_of(cell: Cell) -> Source | None:
    """Where a cell came from; None where the page has no element for it."""
    if isinstance(cell, KeptCell):
        return cell.source
    if (node := cell.node) is None:
        return None
    document = node.snapshot.columns.document_at(node.index)
    taken_at, selector = node.snapshot.taken_at, cell_selector(node)
    return Source(
        cell.text, document.url, document.key, cell.ref, node.path, taken_at, selector, document.lang
    )


@dataclass(frozen=True)
class Origin:
    """The rows that a frame was made of; its labels are places in `rows`, and `values` is the frame as it was then.

    `crops` are screenshots of rows, by their place, where those were wanted.
    """

    columns: Sequence[str]
    rows: Sequence[Row] = field(repr=False)
    name: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    page: Any = field(default=None, repr=False)
    completeness: Completeness = field(default_factory=Completeness)
    run: str = ""
    values: Any = field(default=None, repr=False, compare=False)
    problems: Sequence[Problem] = ()
    crops: Mapping[int, bytes] = field(default_factory=dict, repr=False, compare=False)

    def renamed(self, names: Mapping[str, str]) -> Origin:
        """The same rows under other names of their columns, by the ones that they have here."""

        def named(given: Mapping[str, str]) -> dict[str, str]:
            return {names.get(column, column): value for column, value in given.items()}

        return replace(
            self,
            columns=tuple(names.get(column, column) for column in self.columns),
            units=named(self.units),
            rules=named(self.rules),
            values=self.values.rename(columns=names),
            problems=[replace(each, column=names.get(each.column, each.column)) for each in self.problems],
        )

    def cell(self, label: Hashable, column: str) -> Cell | None:
        """The cell that a label and a column name.

        Raises KeyError: the frame that was extracted had no such row or column.
        """
        if column not in self.columns:
            raise KeyError(column)
        try:
            place = operator.index(label)  # type: ignore[arg-type]
        except TypeError:
            raise KeyError(label) from None
        if not 0 <= place < len(self.rows):
            raise KeyError(label)
        cell: Cell | None = self.rows[place].cells[list(self.columns).index(column)]
        return cell

    def source(self, label: Hashable, column: str) -> Source | None:
        """Where a cell came from; None where the page had no such field in that row."""
        cell = self.cell(label, column)
        return None if cell is None else source_of(cell)


class OriginKey(str):
    """A string that carries an `Origin`; copies carry the same one."""

    __slots__ = ("origin",)
    origin: Origin

    @classmethod
    def of(cls, origin: Origin) -> OriginKey:
        """A key for an origin, unlike every other one."""
        key = cls(f"extraction {next(_numbers)}")
        key.origin = origin
        return key

    def __copy__(self) -> OriginKey:
        return self

    def __deepcopy__(self, _: Any) -> OriginKey:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)
