"""Extraction on a page's driver: what sessions, agents and skills call on the I/O thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.big_tables import BlockSource
from skillbook.extraction.completeness import Completeness, assess, claims_of, partial
from skillbook.extraction.crops import KeptCrops
from skillbook.extraction.dtypes import check_types
from skillbook.extraction.example import plan_by_example
from skillbook.extraction.example_values import plan_by_values
from skillbook.extraction.fields import FieldsPlan, parse_fields
from skillbook.extraction.frames import frame_of, make_frame
from skillbook.extraction.pagers import find_next, has_next_page, owner_of_next
from skillbook.extraction.pagination import Harvest, PageWalk, Progress, Walked
from skillbook.extraction.plans import (
    CollectionPlan,
    Place,
    Plan,
    known_collections,
    main_collection,
)
from skillbook.extraction.repeats import NoRepeats
from skillbook.extraction.schema import Mapper, Schema, plan_by_schema
from skillbook.extraction.scrolling import Scroller
from skillbook.extraction.source import PageSource
from skillbook.extraction.stopping import MET, Pace, Stop, Until
from skillbook.perception.collections import Row, find_collections
from skillbook.perception.escape import quote
from skillbook.perception.roles import TABLES
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref

if TYPE_CHECKING:
    import pandas as pd

MAX_PAGES = 50
PREVIEW_ROWS = 5
PREVIEW = "a preview"
_UNFOLLOWED = "the page has a way to the next one, which `sb.extract(page, next=True)` follows"


async def read_tables(
    source: PageSource,
    *,
    typed: bool = True,
    page: Any = None,
    progress: Progress | None = None,
    harvest: Harvest | None = None,
) -> list[pd.DataFrame]:
    """Every table, grid, list and set of cards of a page as frames: tables first, then by size."""
    blocks = BlockSource.into(harvest or Harvest(), source, progress)
    snapshot = await blocks.snapshot()
    return await asyncio.to_thread(tables_from, snapshot, typed=typed, page=page, faults=blocks.faults)


def tables_from(
    snapshot: Snapshot, *, typed: bool = True, page: Any = None, faults: Sequence[str] = ()
) -> list[pd.DataFrame]:
    """Every collection of a snapshot as a frame, without navigation; `faults` are those of tables read in blocks."""
    found = [collection for collection in find_collections(snapshot) if not collection.minor]
    paged = owner_of_next(snapshot, [each.rows for each in found])
    return [
        frame_of(
            each,
            typed=typed,
            page=page,
            faults=faults if "block" in each.node.extra else (),
            more=_UNFOLLOWED if place == paged else "",
        )
        for place, each in enumerate(found)
    ]


def _checked_limit(max_pages: int | None, *ways: object) -> int:
    """How many pages are read at most, once it is clear that one way at most says what to read."""
    if sum(given is not None for given in ways) > 1:
        raise ExtractionError(
            "give one of fields, example and schema", hint="they say the same in different ways"
        )
    limit = MAX_PAGES if max_pages is None else max_pages
    if limit < 1:
        raise ExtractionError(f"max_pages={limit} reads nothing", hint="give at least 1")
    return limit


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
    limit = _checked_limit(max_pages, fields, example, schema)
    stop, pace = Stop(until), Pace(pause)
    harvest = Harvest() if harvest is None else harvest
    blocks = BlockSource.into(harvest, source, progress)
    snapshot = await blocks.snapshot()
    plan, name = await _plan(snapshot, fields, example, schema, within, mapper)
    harvest.columns = plan.columns
    rows = plan.read(snapshot)
    if not harvest.add(rows):
        raise plan.missing(snapshot) if isinstance(plan, FieldsPlan) else _nothing(snapshot)
    if progress:
        progress(1, len(rows))
    if isinstance(next, str) and is_ref(next):
        next = str(build_locator(snapshot[next]))
    check_types(types, harvest.columns)
    if preview:
        given = {"name": name, "typed": typed, "page": page, "types": types, "schema": schema}
        return make_frame(
            plan.columns, rows[:PREVIEW_ROWS], **given, completeness=_previewed(plan, snapshot, rows, next)
        )
    kept = await KeptCrops.begin(source, rows, scroll) if crops else None
    claims = _claims(snapshot, plan, rows, harvest.notes, [] if scroll else blocks.faults)
    walk = _Walk(blocks, plan, harvest, claims, max_pages, limit, progress, stop, pace, kept)
    shown = {"name": name, "typed": typed, "page": page, "types": types, "schema": schema}
    result = _Result(harvest, NoRepeats.of(unique, plan.columns), shown, kept)
    try:
        walked = await walk.read(snapshot, scroll, next)
    except SkillbookError as error:
        failed = _stopped(harvest, error)
        read = partial(harvest.pages, len(harvest.rows), error.message, walk.claims)
        failed.frame = result.frame(read)  # type: ignore[attr-defined]
        raise failed from error
    if until is not None and walked.stopped != MET:
        harvest.notes.append("`until` was not met")
    unfollowed = not next and has_next_page(snapshot, rows)
    return result.frame(walk.assessed(walked, _UNFOLLOWED if unfollowed else ""))


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


def _claims(
    snapshot: Snapshot, plan: Plan, rows: Sequence[Row], notes: list[str], faults: list[str]
) -> dict[str, int]:
    """What the page claims to have of the rows; notes and faults of a whole collection are added to these."""
    claims = claims_of(snapshot, rows)
    found = plan.find(snapshot) if isinstance(plan, CollectionPlan) and plan.whole else None
    if found is None:
        return claims
    notes += found.notes
    faults += found.faults
    if found.width:
        claims["columns"] = max(found.width, claims.get("columns", 0))
    return claims


async def read_rows(
    snapshot: Snapshot,
    fields: Mapping[str, str] | Sequence[str] | None,
    example: Any,
    schema: Schema | None,
    within: str | None,
    mapper: Mapper | None,
) -> tuple[Sequence[str], list[Row]]:
    """The columns and rows that an extraction finds in one snapshot."""
    plan, _ = await _plan(snapshot, fields, example, schema, within, mapper)
    return plan.columns, list(plan.read(snapshot))


@dataclass
class _Walk:
    """Reads what comes after the rows that a page shows at first."""

    source: BlockSource
    plan: Plan
    harvest: Harvest
    claims: Mapping[str, int]
    max_pages: int | None
    limit: int
    progress: Progress | None
    stop: Stop
    pace: Pace
    crops: KeptCrops | None = None

    async def read(self, snapshot: Snapshot, scroll: bool, following: str | bool | None) -> Walked:
        """Scroll, or go from page to page, or both: then every page is scrolled."""
        ended = Walked("")
        if scroll:
            scroller = Scroller(
                self.source,
                self.plan,
                self.harvest,
                self.claims,
                max_screens=None if following else self.max_pages,
                max_loads=0 if following else self.limit,
                progress=self.progress,
                stop=Stop() if following else self.stop,
            )
            ended = await scroller.read()
            self.harvest.restart()
            snapshot = await self.source.snapshot()
        if not following:
            return ended
        faults = list(ended.faults)

        async def read_page(page: Snapshot) -> Sequence[Row]:
            rows = self.plan.read(page)
            faults.extend([*_other_columns(self.plan, page), *self._other_claims(page, rows)])
            if not scroll or not rows:
                return rows
            columns, log = self.harvest.columns, self.harvest.log
            part = Harvest(columns=columns, log=log, pages=self.harvest.pages + 1)
            scroller = Scroller(
                self.source, self.plan, part, claims_of(page, rows), max_screens=None, max_loads=0
            )
            faults.extend((await scroller.read()).faults)
            return in_columns(self.harvest.columns, part)

        shown = self.plan.read(snapshot)
        walk = PageWalk(
            self.source, read_page, self.harvest, following, self.limit, self.progress, self.stop, self.pace,
            self.crops,
        )  # fmt: skip
        walked = await walk.go(snapshot, shown)
        return replace(walked, more=walked.more or ended.more, faults=faults)

    def assessed(self, walked: Walked, unfollowed: str) -> Completeness:
        """Whether all was read; `unfollowed` says that there is a way to the next page that wasn't wanted."""
        columns = self.harvest.columns
        whole = isinstance(self.plan, CollectionPlan) and self.plan.whole
        return assess(
            pages=self.harvest.pages,
            rows=len(self.harvest.rows),
            columns=len(columns) if whole else None,
            claims=self.claims,
            stopped=walked.stopped,
            more=walked.more or unfollowed,
            opened=walked.page,
            faults=[*self.source.faults, *walked.faults],
            as_wished=walked.stopped == MET,
        )

    def _other_claims(self, page: Snapshot, rows: Sequence[Row]) -> list[str]:
        """What says that a later page claims other numbers of rows or pages; those claimed last count."""
        now = claims_of(page, rows)
        said = [
            f"the page said {before:,} {name} at first and {now[name]:,} later: rows may have moved between pages"
            for name in ("rows", "pages")
            if (before := self.claims.get(name)) is not None and now.get(name, before) != before
        ]
        self.claims = {**self.claims, **{name: now[name] for name in ("rows", "pages") if name in now}}
        return said


def _other_columns(plan: Plan, page: Snapshot) -> list[str]:
    """What says that a table has lost columns since the first page, or got others."""
    if not isinstance(plan, CollectionPlan) or not plan.whole:
        return []
    table = plan.find(page)
    if table is None or table.kind not in TABLES or table.places:
        return []
    places = plan.places_in(table)
    lost = [name for name, place in zip(plan.columns, places, strict=True) if place is None]
    new = [name for place, name in enumerate(table.fields) if place not in places]
    said = [f"without {', '.join(map(repr, lost))}"] * bool(lost) + [
        f"with {', '.join(map(repr, new))}"
    ] * bool(new)
    return [f"a later page has other columns: {' and '.join(said)}"] if said else []


def in_columns(columns: Sequence[str], part: Harvest) -> list[Row]:
    """A page's rows with the columns of the pages before it."""
    if list(part.columns) == list(columns):
        return part.rows
    at = {name: place for place, name in enumerate(part.columns)}
    return [
        Row(row.node, [row.cells[at[name]] if name in at else None for name in columns]) for row in part.rows
    ]


def _previewed(
    plan: Plan, snapshot: Snapshot, rows: Sequence[Row], following: str | bool | None
) -> Completeness:
    """What a preview shows, and from where its columns would be read."""
    shown = min(len(rows), PREVIEW_ROWS)
    notes = []
    if isinstance(plan, CollectionPlan):
        notes.append(
            f"rows of the {plan.kind} {quote(plan.name, 40)}" if plan.name else f"rows of a {plan.kind}"
        )
        pairs = zip(plan.columns, plan.fields, strict=True)
        notes += [f"{column!r} is the page's {field!r}" for column, field in pairs if column != field]
    way = find_next(snapshot, following, rows, 1) if following else None
    if way is not None and way.control is not None:
        notes.append(f"the way to the next page is {way.control.role} {quote(way.control.name, 40)}")
    elif way is not None:
        notes.append(way.why)
    elif has_next_page(snapshot, rows):
        notes.append(_UNFOLLOWED)
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


def _nothing(snapshot: Snapshot) -> ExtractionError:
    return ExtractionError("no rows found", hint=known_collections(snapshot))


async def _plan(
    snapshot: Snapshot,
    fields: Mapping[str, str] | Sequence[str] | None,
    example: Any,
    schema: Schema | None,
    within: str | None,
    mapper: Mapper | None,
) -> tuple[Plan, str]:
    """How to read the rows, and what they are called."""
    place = Place.of(snapshot, within)
    if fields is not None:
        return FieldsPlan(parse_fields(fields), place), ""
    if example is not None:
        refs = [example] if isinstance(example, str) else example
        return plan_by_values(snapshot, example, place) or plan_by_example(snapshot, refs, place), ""
    if schema is not None:
        named = getattr(schema, "__name__", None) or getattr(schema, "name", None) or "the schema"
        return await plan_by_schema(snapshot, schema, place, mapper), named
    collection = main_collection(snapshot, place.nodes(snapshot))
    return CollectionPlan.of(collection, place), collection.name
