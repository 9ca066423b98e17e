"""Every table, grid, list and set of cards of a page as frames: what `sb.tables` does on the I/O thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.make import empty_frame, frame_of
from skillbook.extraction.frames.row_log import RowLog
from skillbook.extraction.garbage import collecting_later
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Place, alike_controls
from skillbook.extraction.walking.big_tables import BlockSource, rows_in_blocks
from skillbook.extraction.walking.extract_options import Progress
from skillbook.extraction.walking.page_numbers import more_beside, more_in_view
from skillbook.extraction.walking.pagers import owner_of_next
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.limits import READ_SECONDS
from skillbook.perception.collections import Collection, EmptyTable, empty_tables
from skillbook.perception.roles import TABLES
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.page_rest import FEW_ROWS, STILL_LOADING

_MOST_ASKED = 8
"""Tables of which the page is asked whether it loads more."""

if TYPE_CHECKING:
    import pandas as pd

    Frames = list[pd.DataFrame]
else:
    Frames = list


class Tables(Frames):
    """The frames of a page; a list without any says why.

    frames: in the order in which they are given out.
    complete: whether nothing says that the page has tables that weren't read. Each frame knows this of itself.
    """

    def __init__(self, frames: Iterable[pd.DataFrame] = (), reason: str = "", complete: bool = True) -> None:
        super().__init__(frames)
        self.reason = reason
        self.complete = complete and all(frame.skillbook.complete for frame in self)

    def __repr__(self) -> str:
        return super().__repr__() if self else f"<Tables: none; {self.reason}>"

    @classmethod
    def none_in(cls, snapshot: Snapshot, within: str | None, loading: str) -> Tables:
        """No tables, with the reason for it."""
        place = f"{within!r}" if within else "the page"
        few = "" if within else alike_controls(snapshot)
        if loading:
            return cls((), f"{place} had none when it was read; {loading}", complete=False)
        if not any(snapshot.columns.name):
            return cls((), "the page shows no text", complete=False)
        if few:
            return cls((), f"{few} with sb.extract", complete=False)
        none = f"{place} has no table, list or cards"
        if not within and "canvas" in snapshot.columns.role:
            return cls((), f"{none}; what is drawn on a canvas isn't read", complete=False)
        return cls((), none)


async def read_tables(
    source: PageSource,
    *,
    typed: bool = True,
    within: str | None = None,
    page: Any = None,
    progress: Progress | None = None,
    so_far: PartialResult | None = None,
    wait: float = READ_SECONDS,
) -> Tables:
    """Every table, grid, list and set of cards of a page as frames: tables first, then by size."""
    kept = so_far or PartialResult()
    blocks = BlockSource.into(kept, source, progress)

    async def count(snapshot: Snapshot) -> int:
        """How many rows the biggest list has; none where a table has no rows yet."""
        try:
            found, empty = _collections(snapshot, within)
        except ExtractionError:
            return 0
        return 0 if empty else max((each.count for each in found), default=0)

    snapshot, loading = await blocks.read_settled(count, wait)
    found, _ = _collections(snapshot, within)
    leads_on = {each.node.index: await more_in_view(source, each.rows) for each in found[:_MOST_ASKED]}
    return await asyncio.to_thread(
        tables_from,
        snapshot,
        typed=typed,
        within=within,
        page=page,
        faults=blocks.faults,
        log=kept.log,
        loading=loading,
        all_loading=loading != STILL_LOADING,
        leads_on=leads_on,
    )


def _collections(snapshot: Snapshot, within: str | None) -> tuple[list[Collection], list[EmptyTable]]:
    """The collections of the page, or of a part of it, and the tables there that have headers only."""
    nodes = Place.of(snapshot, within).nodes(snapshot)
    if nodes is None:
        found = [each for each in collections_in(snapshot, None) if not each.minor]
        return found, empty_tables(snapshot)
    found = collections_in(snapshot, nodes)
    spans = [range(node.index, snapshot.ends[node.index]) for node in nodes]
    empty = empty_tables(snapshot)
    return found, [table for table in empty if any(table.node.index in span for span in spans)]


def tables_from(
    snapshot: Snapshot,
    *,
    typed: bool = True,
    within: str | None = None,
    page: Any = None,
    faults: Sequence[str] = (),
    log: RowLog | None = None,
    loading: str = "",
    all_loading: bool = False,
    leads_on: Mapping[int, str] | None = None,
) -> Tables:
    """Every collection of a snapshot as a frame, without navigation; tables without rows are empty frames.

    within: only those in a part of the page, which may be navigation.
    faults: those of tables that were read in blocks.
    loading: why tables without rows, or with few, may not be all there yet; "" where nothing says so.
    all_loading: so may tables with many rows, which may be those of before an act.
    leads_on: what says that more rows come as the page is scrolled, by the table's index.
    """
    with collecting_later():
        return _tables_from(snapshot, typed, within, page, faults, log, loading, all_loading, leads_on or {})


def _tables_from(
    snapshot: Snapshot,
    typed: bool,
    within: str | None,
    page: Any,
    faults: Sequence[str],
    log: RowLog | None,
    loading: str,
    all_loading: bool,
    leads_on: Mapping[int, str],
) -> Tables:
    found, empty = _collections(snapshot, within)
    paged, unread = owner_of_next(snapshot, [each.rows for each in found]) or (None, "")
    logged = max(found, key=rows_in_blocks, default=None)
    frames = []
    for place, each in enumerate(found):
        in_blocks = rows_in_blocks(each) > 0
        frame = frame_of(
            each,
            typed=typed,
            page=page,
            faults=[
                *(faults if in_blocks else ()),
                *([loading] if loading and (all_loading or each.count < FEW_ROWS) else []),
            ],
            more=unread
            if place == paged
            else more_beside(snapshot, each.rows) or leads_on.get(each.node.index, ""),
            others=[other.rows for other in found if other is not each],
            run=log.run if log is not None and in_blocks and each is logged else "",
        )
        if log is not None and in_blocks and each is logged:
            log.end(frame.skillbook.origin.completeness)
        frames.append((each.node.index if each.kind in TABLES else len(snapshot), frame))
    frames += [(table.node.index, empty_frame(table, page, loading)) for table in empty]
    if not frames:
        return Tables.none_in(snapshot, within, loading)
    return Tables(frame for _, frame in sorted(frames, key=itemgetter(0)))
