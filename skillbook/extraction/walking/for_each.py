"""Rows for each option of a control: "Year" is set to one after the other, and each one's rows are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from skillbook import lexicon
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import Completeness, count_read
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.frames.row_log import Kind, RowLog
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.walking.big_tables import BlockSource
from skillbook.extraction.walking.extract_options import ExtractOptions, ForEach
from skillbook.extraction.walking.first_page import FirstPage, in_columns
from skillbook.extraction.walking.page_numbers import Numbers
from skillbook.extraction.walking.partial_result import PartialResult, says
from skillbook.perception.collections import Cell, Row
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import find_all, find_one
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State

_LISTS = frozenset({"combobox", "listbox"})


@dataclass
class EachOption:
    """Goes through the options of a list.

    options: those to go through; empty for all that the page has, but those that stand for no choice.
    """

    control: str
    options: Sequence[str] = ()
    column: str = ""
    _notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, for_each: ForEach) -> EachOption:
        """From the caller.

        Raises ExtractionError: it names several lists, or none.
        """
        if isinstance(for_each, str):
            return cls(for_each)
        if len(for_each) != 1 or not all(for_each.values()):
            raise ExtractionError(
                "for_each takes one list with its options",
                hint="for_each={\"combobox 'Year'\": ['2023', '2024']}",
            )
        [(control, options)] = for_each.items()
        return cls(control, list(map(str, options)))

    async def begin(self, source: PageSource, options: ExtractOptions, so_far: PartialResult) -> FirstPage:
        """Read the page as it is, for its columns; none of its rows are kept.

        Raises NoMatch, AmbiguousMatch, ExtractionError: the selector names no list, or one without known options.
        """
        log, so_far.log = so_far.log, None
        first = await FirstPage.read(source, options, so_far)
        so_far.log = log
        node = find_one(first.snapshot, self.control)
        if node.role not in _LISTS:
            raise ExtractionError(
                f"for_each={self.control!r} is a {node.role}", hint="give a list, such as \"combobox 'Year'\""
            )
        self.column = clean(node.name) or self.control
        while self.column in {*first.plan.columns, *(options.details or ())}:
            self.column += " 2"
        if not self.options:
            self.options = self._options_of(node)
        so_far.forget([self.column, *first.plan.columns])
        return first

    def _options_of(self, node: Node) -> list[str]:
        inside = node.snapshot.nodes[node.index + 1 : node.snapshot.ends[node.index]]
        named = [
            clean(each.label) for each in inside if each.role == "option" and not each.flags & State.DISABLED
        ]
        options = [
            name for place, name in enumerate(named) if name and not (place == 0 and _chooses_none(name))
        ]
        self._notes += [f"left out the option {quote(name, 40)}" for name in named[:1] if name not in options]
        if not options:
            raise ExtractionError(
                f"the options of {self.control!r} aren't on the page until it is opened",
                hint=f"name them: for_each={{{self.control!r}: ['…', '…']}}",
            )
        if len(set(options)) < len(options):
            raise ExtractionError(f"several options of {self.control!r} are called the same")
        return options

    async def read(
        self,
        source: PageSource,
        first: FirstPage,
        options: ExtractOptions,
        so_far: PartialResult,
        crops: KeptCrops | None,
    ) -> Completeness:
        """Choose each option, and read its rows into what was read; returns whether that is all of them."""
        faults: list[str] = []
        before, shown = [says(row) for row in first.rows], _value(first.snapshot, self.control)
        for option in self.options:
            log = so_far.log and _OptionLog(so_far.log, so_far.pages, self.column)
            part = PartialResult(columns=first.plan.columns, log=log)  # type: ignore[arg-type]
            blocks = BlockSource.into(part, source, options.progress)
            chosen = clean(option).casefold() == shown
            if not chosen:
                await options.pace.rest_on(first.snapshot)
                await source.act("select", self.control, values=[option])
            page = await self._settled(blocks, first, option, options.wait)
            if not chosen and page.rows and [says(row) for row in page.rows] == before:
                faults.append(f"for {option!r} the page shows the same rows as before it was chosen")
            if (number := Numbers.near(page.snapshot, page.rows).current or 1) > 1:
                faults.append(f"for {option!r} the page began with page {number}")
            cell = Cell.of(option, find_one(page.snapshot, self.control))
            if log:
                log.cell = cell
            faults += await self._read_one(page, options, part, option, crops)
            rows = in_columns(list(so_far.columns)[1:], part) if so_far.rows else part.rows
            so_far.columns = so_far.columns if so_far.rows else [self.column, *part.columns]
            so_far.rows += [Row(row.node, [cell, *row.cells]) for row in rows]
            so_far.pages += part.pages
            last = await blocks.snapshot()
            before, shown = [says(row) for row in first.plan.read(last)], _value(last, self.control)
        so_far.notes += self._notes
        counted = f"{len(self.options)} options of {self.column!r}"
        reason = "; ".join([count_read(so_far.pages, len(so_far.rows)), counted, *faults])
        return Completeness(not faults, reason)

    async def _read_one(
        self,
        page: FirstPage,
        options: ExtractOptions,
        part: PartialResult,
        option: str,
        crops: KeptCrops | None,
    ) -> list[str]:
        if not part.add(page.rows):
            self._notes.append(f"no rows for {option!r}")
            return []
        if crops is not None:
            await crops.take(page.source, page.rows)
        whole = await page.read_on(options, part, crops)
        self._notes += [f"{option!r}: {note}" for note in part.notes]
        return [] if whole.complete else [f"for {option!r}: {whole.reason}"]

    async def _settled(
        self,
        blocks: BlockSource,
        first: FirstPage,
        option: str,
        seconds: float,
    ) -> FirstPage:
        """The page once what choosing the option caused is over."""

        async def count(seen: Snapshot) -> int:
            return len(first.plan.read(seen))

        snapshot, loading = await blocks.read_settled(count, seconds)
        blocks.faults += [loading] if loading else []
        if _value(snapshot, self.control) != clean(option).casefold():
            raise ExtractionError(f"{self.control!r} does not show {option!r} after it was chosen")
        return replace(first, source=blocks, snapshot=snapshot, rows=first.plan.read(snapshot))


def _value(snapshot: Snapshot, control: str) -> str:
    """What a list shows; empty where it isn't there."""
    found = find_all(snapshot, control)
    return clean(found[0].value or found[0].text).casefold() if len(found) == 1 else ""


class _OptionLog:
    """Keeps the rows of one option with the option beside them."""

    def __init__(self, log: RowLog, pages: int, column: str) -> None:
        self._log, self._pages, self._column = log, pages, column
        self.cell: Cell | None = None

    def add(
        self, kind: Kind, page: int, columns: Sequence[str], rows: Sequence[Row], keys: Sequence[int]
    ) -> None:
        """Keep rows; see `RowLog.add`."""
        given = [Row(row.node, [self.cell, *row.cells]) for row in rows]
        self._log.add(kind, self._pages + page, [self._column, *columns], given, keys)


def _chooses_none(name: str) -> bool:
    """Whether a list's first entry stands for all or none of the others."""
    return not re.search(r"\w", name) or lexicon.begins("every", name) or lexicon.begins("any_choice", name)
