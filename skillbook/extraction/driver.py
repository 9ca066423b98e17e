"""Extraction on a page's driver: what sessions, agents and skills call on the I/O thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.frames.completeness import Completeness, claims_of, partial
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.frames.dtypes import check_types
from skillbook.extraction.frames.make import empty_frame, frame_of, make_frame
from skillbook.extraction.frames.row_log import RowLog
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.reading.plans import (
    CollectionPlan,
)
from skillbook.extraction.reading.schema import Mapper, Schema
from skillbook.extraction.walking.big_tables import BlockSource, rows_in_blocks
from skillbook.extraction.walking.details import Details
from skillbook.extraction.walking.duplicate_rows import NoRepeats
from skillbook.extraction.walking.for_each import ForEach, Sweep
from skillbook.extraction.walking.pagers import find_next, owner_of_next
from skillbook.extraction.walking.pagination import Harvest, Progress
from skillbook.extraction.walking.stop_rules import Pace, Stop, Until
from skillbook.extraction.walking.walk import FirstPage, Wish
from skillbook.perception.collections import Collection, EmptyTable, Row, empty_tables, find_collections
from skillbook.perception.escape import clean, quote
from skillbook.perception.roles import TABLES
from skillbook.perception.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd

PREVIEW_ROWS = 5
PREVIEW = "a preview"


async def read_tables(
    source: PageSource,
    *,
    typed: bool = True,
    page: Any = None,
    progress: Progress | None = None,
    harvest: Harvest | None = None,
) -> list[pd.DataFrame]:
    """Every table, grid, list and set of cards of a page as frames: tables first, then by size."""
    kept = harvest or Harvest()
    blocks = BlockSource.into(kept, source, progress)
    snapshot = await blocks.snapshot()
    return await asyncio.to_thread(
        tables_from, snapshot, typed=typed, page=page, faults=blocks.faults, log=kept.log
    )


def tables_from(
    snapshot: Snapshot,
    *,
    typed: bool = True,
    page: Any = None,
    faults: Sequence[str] = (),
    log: RowLog | None = None,
) -> list[pd.DataFrame]:
    """Every collection of a snapshot as a frame, without navigation; tables without rows are empty frames.

    Parameters
    ----------
    faults : those of tables that were read in blocks.
    log : has the rows of the biggest of these.
    """
    found = [collection for collection in find_collections(snapshot) if not collection.minor]
    paged, unread = owner_of_next(snapshot, [each.rows for each in found]) or (None, "")
    logged = max(found, key=rows_in_blocks, default=None)
    frames = []
    for place, each in enumerate(found):
        in_blocks = rows_in_blocks(each) > 0
        frame = frame_of(
            each,
            typed=typed,
            page=page,
            faults=faults if in_blocks else (),
            more=unread if place == paged else "",
            run=log.run if log is not None and in_blocks and each is logged else "",
        )
        if log is not None and in_blocks and each is logged:
            log.end(frame.skillbook.origin.completeness)
        frames.append((each.node.index if each.kind in TABLES else len(snapshot), frame))
    frames += [(table.node.index, empty_frame(table, page)) for table in _without_rows(snapshot, found)]
    return [frame for _, frame in sorted(frames, key=itemgetter(0))]


def _without_rows(snapshot: Snapshot, found: Sequence[Collection]) -> list[EmptyTable]:
    """Tables that have headers only, and aren't the headers of others, of which not all columns may be rendered."""
    heads = [set(map(clean, each.fields)) for each in found]
    return [
        table
        for table in empty_tables(snapshot, {each.node.index for each in found})
        if not any(2 * len(set(table.fields) & known) >= len(table.fields) for known in heads)
    ]


async def extract_frame(
    source: PageSource,
    fields: Mapping[str, str] | Sequence[str] | None = None,
    *,
    example: Any = None,
    schema: Schema | None = None,
    within: str | None = None,
    scroll: bool = False,
    next: str | bool | None = None,
    max_pages: int | None = None,
    preview: bool = False,
    until: Until | None = None,
    pause: float = 0.0,
    unique: bool | str | Sequence[str] = False,
    typed: bool = True,
    types: Mapping[str, type] | None = None,
    progress: Progress | None = None,
    mapper: Mapper | None = None,
    crops: bool = False,
    details: Mapping[str, str] | None = None,
    follow: str | None = None,
    for_each: ForEach | None = None,
    harvest: Harvest | None = None,
    page: Any = None,
) -> pd.DataFrame:
    """Rows of a page, and of those after it, as a frame; see `skillbook.extract`.

    Parameters
    ----------
    harvest : takes the rows and columns as they come, so that they are kept when the call is cancelled.
    mapper : maps a schema's fields where names and types don't decide.
    page : the `Page` on which cells can be shown again.

    Raises
    ------
    ExtractionError : nothing to extract, or the walk failed; its `frame` then has the rows so far.
    """
    wish = Wish(
        fields, example, schema, within, mapper, scroll, next, max_pages, Stop(until), Pace(pause), progress
    )
    harvest = Harvest() if harvest is None else harvest
    sweep = None if for_each is None else Sweep.of(for_each)
    if sweep is None:
        first = await FirstPage.read(source, wish, harvest)
    else:
        first = await sweep.begin(source, wish, harvest, list(details or ()))
    wish = replace(wish, following=first.lasting(next))
    check_types(types, harvest.columns)
    shown = {"name": first.name, "typed": typed, "page": page, "types": types, "schema": schema}
    if preview:
        told = _previewed(first, wish)
        return make_frame(first.plan.columns, first.rows[:PREVIEW_ROWS], **shown, completeness=told)
    behind = Details.of(details, follow, first.plan.columns, first.rows) if details else None
    kept = await KeptCrops.begin(source, first.rows, scroll) if crops else None
    result = _Result(harvest, NoRepeats.of(unique, harvest.columns), shown, kept)
    try:
        if sweep is None:
            read = await first.read_on(wish, harvest, kept)
        else:
            read = await sweep.read(source, first, wish, harvest, kept)
        if behind is not None:
            read = await behind.read(source, first.snapshot, harvest, wish, read)
    except SkillbookError as error:
        failed = _stopped(harvest, error)
        read = partial(harvest.pages, len(harvest.rows), error.message, first.claims)
        failed.frame = result.frame(read)  # type: ignore[attr-defined]
        raise failed from error
    return result.frame(read)


@dataclass(frozen=True)
class _Result:
    """Makes a frame of what was harvested."""

    harvest: Harvest
    repeats: NoRepeats
    shown: Mapping[str, Any]
    crops: KeptCrops | None = None

    def frame(self, completeness: Completeness) -> pd.DataFrame:
        """The rows without those that are left out, with what is known to be wrong with them."""
        harvest = self.harvest
        kept, problems = self.repeats.leave_out(harvest.columns, harvest.rows)
        left_out = len(harvest.rows) - len(kept)
        told = replace(
            completeness,
            notes=[
                *harvest.notes,
                *self.repeats.notes(harvest.repeated, left_out, problems),
                *(self.crops.notes if self.crops else []),
            ],
        )
        run = harvest.end(told)
        shots = {at: shot for at, row in enumerate(kept) if self.crops and (shot := self.crops.of(row))}
        return make_frame(
            harvest.columns, kept, **self.shown, problems=problems, completeness=told, run=run, crops=shots
        )


async def read_rows(
    snapshot: Snapshot,
    fields: Mapping[str, str] | Sequence[str] | None,
    example: Any,
    schema: Schema | None,
    within: str | None,
    mapper: Mapper | None,
) -> tuple[Sequence[str], list[Row]]:
    """The columns and rows that an extraction finds in one snapshot."""
    plan, _ = await Wish(fields, example, schema, within, mapper).plan(snapshot)
    return plan.columns, list(plan.read(snapshot))


def _previewed(first: FirstPage, wish: Wish) -> Completeness:
    """What a preview shows, and from where its columns would be read."""
    plan, snapshot, rows, following = first.plan, first.snapshot, first.rows, wish.following
    shown = min(len(rows), PREVIEW_ROWS)
    notes = []
    if isinstance(plan, CollectionPlan):
        notes.append(
            f"rows of the {plan.kind} {quote(plan.name, 40)}" if plan.name else f"rows of a {plan.kind}"
        )
        pairs = zip(plan.columns, plan.fields, strict=True)
        notes += [f"{column!r} is the page's {field!r}" for column, field in pairs if column != field]
    link = find_next(snapshot, following or True, rows, 1)
    if not following:
        notes += [link.unread] if link.unread else []
    elif link.control is not None:
        notes.append(f"the way to the next page is {link.control.role} {quote(link.control.name, 40)}")
    else:
        notes.append(f"the next page is {link.address}" if link.address else link.why)
    said = f"{PREVIEW}: {shown:,} of the {len(rows):,} rows that the page shows"
    return Completeness(False, said, claims_of(snapshot, rows), notes)


def _stopped(harvest: Harvest, error: SkillbookError) -> ExtractionError:
    return ExtractionError(
        f"stopped after {harvest.pages} pages and {len(harvest.rows)} rows: {error.message}",
        hint="`error.frame` has the rows so far",
        pages=harvest.pages,
        rows=len(harvest.rows),
        cause=error.code,
    )
