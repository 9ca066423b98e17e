"""Where the cells of a frame came from: which element of which page, and the selector that finds it another day."""

from __future__ import annotations

import itertools
import operator
import secrets
import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.validation import Problem
from skillbook.perception.collections import Cell, Row
from skillbook.perception.escape import LONGEST_NAME, clean, quote
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records.nearest_record import names_of, unit_at
from skillbook.perception.records.record_pieces import is_name
from skillbook.perception.records.record_table import record_role
from skillbook.perception.selectors import Selector, build_locator, find_within
from skillbook.perception.selectors.grammar import Name


class RowNames:
    """What the rows of one role on a page are called, so that no other row is."""

    def __init__(self, snapshot: BaseSnapshot, role: str) -> None:
        self._role = role
        self._numbers: dict[int, int] = {}
        self._said: dict[int, list[str]] = {}
        self._named: Counter[str] = Counter()
        around: list[int] = []
        for at in range(len(snapshot)):
            while around and at >= snapshot.ends[around[-1]]:
                around.pop()
            if row_role(snapshot, at) == role:
                around.append(at)
                self._numbers[at] = len(self._numbers) + 1
                self._said[at] = []
            if around:
                self._said[around[-1]] += _texts(snapshot, at)
        self._rows_with = Counter(text for texts in self._said.values() for text in set(texts))

    def scope(self, snapshot: BaseSnapshot, row: int) -> Selector:
        """A selector of what is around the cells of a row: by a text that no other row has, else its place.

        That is what names its record; a price only where no other text does.
        """
        names = self._names(snapshot, row)
        named = [text.casefold() for text in names]
        alone = [
            text
            for text in [*named, *self._said[row]]
            if self._rows_with[text] == 1 and len(text) <= LONGEST_NAME
        ]
        written = (_as_written(snapshot, row, text) for text in named if text in alone)
        if found := next(filter(None, written), None):
            return Selector("role", self._role, Name(found))
        if parts := [text for text in names if self._rows_with[text.casefold()] == 0]:
            counts = self._named = self._named or self._count_names(snapshot)
            if part := next((text for text in parts if counts[text] == 1), None):
                return Selector("role", self._role, Name(part))
        written = (
            _as_written(snapshot, row, text) for text in sorted(alone, key=lambda one: not is_name(one))
        )
        if found := next(filter(None, written), None):
            return Selector("role", self._role, Name(found))
        return Selector("role", self._role, nth=self._numbers[row])

    def _names(self, snapshot: BaseSnapshot, row: int) -> list[str]:
        unit = unit_at(snapshot.nodes[row])
        return names_of(unit, unit.pieces)

    def _count_names(self, snapshot: BaseSnapshot) -> Counter[str]:
        """How many rows are called so, by names that are a part of a text."""
        return Counter(text for row in self._said for text in self._names(snapshot, row))


def _texts(snapshot: BaseSnapshot, at: int) -> list[str]:
    """What a selector could know a node by, without regard to case: its name, and the texts in it together."""
    name = snapshot.folded_names[at]
    several = snapshot.ends[at] > at + 2
    together = clean(snapshot.text_of(at)).casefold() if several else ""
    return [text for text in (name, together) if text]


def _as_written(snapshot: BaseSnapshot, row: int, folded: str) -> str:
    """A text of a row as the page has it; empty where no single node says it."""
    inside = range(row + 1, snapshot.ends[row])
    return next((name for at in inside if (name := snapshot.clean_names[at]).casefold() == folded), "")


# The values may not hold their keys, or no snapshot would ever be forgotten.
_names: WeakKeyDictionary[BaseSnapshot, dict[str, RowNames]] = WeakKeyDictionary()


def cell_selector(node: Node) -> str:
    """The selector of a cell: which of its role it is in its row; empty where it is in no row.

    node: what says the cell's text.
    """
    snapshot = node.snapshot
    row = next((at for at in _around(node) if row_role(snapshot, at)), None)
    if row is None:
        return str(build_locator(node)) if node.actionable else ""
    role = row_role(snapshot, row)
    known = _names.setdefault(snapshot, {})
    names = known.get(role) or known.setdefault(role, RowNames(snapshot, role))
    scope = names.scope(snapshot, row)
    if row == node.index:
        return str(scope) if scope.nth else ""
    by_role = [] if node.role == "text" else [Selector("role", node.role)]
    for selector in (*by_role, Selector("text")):
        found = find_within(snapshot, selector, row)
        if node.index in found:
            nth = found.index(node.index) + 1
            return str(replace(selector, within=scope, nth=nth if len(found) > 1 else None))
    return ""


def row_role(snapshot: BaseSnapshot, index: int) -> str:
    """The role by which a selector knows a row; empty where a node is none."""
    return "option" if snapshot.columns.role[index] == "option" else record_role(snapshot, index)


def _around(node: Node) -> Sequence[int]:
    return [node.index, *(outer.index for outer in node.ancestors)]


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

    @classmethod
    def around(cls, row: Node) -> Source:
        """Where a row was, of which nothing is said."""
        document = row.snapshot.columns.document_at(row.index)
        path = row.parent.path if row.parent else ""
        return cls("", document.url, document.key, None, path, row.snapshot.taken_at, "", document.lang)

    @property
    def where(self) -> dict[str, Any]:
        """The document and the place in it, as a line of a file has them."""
        return {
            "url": self.url,
            "document": self.document,
            "path": self.path,
            "time": self.taken_at,
            "lang": self.lang,
        }

    def __repr__(self) -> str:
        return f"<Source {quote(self.text, 40)} [ref={self.ref}] {self.url}>"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What a person wants to know of it: names and texts."""
        return [
            ("The page said", self.text),
            ("Address", self.url),
            ("Selector", self.selector or self.path),
            ("Read", datetime.fromtimestamp(self.taken_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")),
        ]


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
