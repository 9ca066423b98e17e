"""Reading rows from the first page to the last: what is wished, the first page, and the walk from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import Completeness, assess, claims_of
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.reading.example import plan_by_example
from skillbook.extraction.reading.example_values import plan_by_values
from skillbook.extraction.reading.fields import FieldsPlan, parse_fields
from skillbook.extraction.reading.plans import CollectionPlan, Place, Plan, known_collections, main_collection
from skillbook.extraction.reading.schema import Mapper, Schema, plan_by_schema
from skillbook.extraction.walking.big_tables import BlockSource
from skillbook.extraction.walking.nothing_found import found_nothing
from skillbook.extraction.walking.pagers import find_next
from skillbook.extraction.walking.pagination import Harvest, PageWalk, Progress, Walked
from skillbook.extraction.walking.scrolling import Scroller
from skillbook.extraction.walking.stop_rules import MET, Pace, Stop
from skillbook.perception.collections import Row
from skillbook.perception.roles import TABLES
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref

MAX_PAGES = 50


@dataclass(frozen=True)
class Wish:
    """What to read, and how far.

    Parameters
    ----------
    fields, example, schema, within, mapper : which rows and columns; see `skillbook.extract`.
    scroll, following, max_pages, stop, pace : how to go on from the first page.
    progress : called with pages and rows so far.
    """

    fields: Mapping[str, str] | Sequence[str] | None = None
    example: Any = None
    schema: Schema | None = None
    within: str | None = None
    mapper: Mapper | None = None
    scroll: bool = False
    following: str | bool | None = None
    max_pages: int | None = None
    stop: Stop = field(default_factory=Stop)
    pace: Pace = field(default_factory=Pace)
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.fields, self.example, self.schema)) > 1:
            raise ExtractionError(
                "give one of fields, example and schema", hint="they say the same in different ways"
            )
        if self.limit < 1:
            raise ExtractionError(f"max_pages={self.limit} reads nothing", hint="give at least 1")

    @property
    def limit(self) -> int:
        """How many pages are read at most."""
        return MAX_PAGES if self.max_pages is None else self.max_pages

    async def plan(self, snapshot: Snapshot) -> tuple[Plan, str]:
        """How to read the rows, and what they are called."""
        place = Place.of(snapshot, self.within)
        if self.fields is not None:
            return FieldsPlan(parse_fields(self.fields), place), ""
        if (example := self.example) is not None:
            refs = [example] if isinstance(example, str) else example
            return plan_by_values(snapshot, example, place) or plan_by_example(snapshot, refs, place), ""
        if (schema := self.schema) is not None:
            named = getattr(schema, "__name__", None) or getattr(schema, "name", None) or "the schema"
            return await plan_by_schema(snapshot, schema, place, self.mapper), named
        collection = main_collection(snapshot, place.nodes(snapshot))
        return CollectionPlan.of(collection, place), collection.name


@dataclass
class FirstPage:
    """The page as it is at first, with its rows.

    Attributes
    ----------
    source, snapshot : the page.
    plan, name : how its rows are read, and what they are called.
    rows : all that it shows.
    claims : what the page claims to have of them; those claimed last count.
    """

    source: BlockSource
    snapshot: Snapshot
    plan: Plan
    name: str
    rows: Sequence[Row]
    claims: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    async def read(cls, source: PageSource, wish: Wish, harvest: Harvest) -> FirstPage:
        """Read it.

        Raises
        ------
        ExtractionError : it has no such rows.
        """
        blocks = BlockSource.into(harvest, source, wish.progress)
        snapshot = await blocks.snapshot()
        plan, name = await wish.plan(snapshot)
        harvest.columns = plan.columns
        rows = plan.read(snapshot)
        if not harvest.add(rows):
            if isinstance(plan, FieldsPlan):
                raise plan.missing(snapshot)
            raise ExtractionError("no rows found", hint=known_collections(snapshot))
        if wish.progress:
            wish.progress(1, len(rows))
        if wish.within is None and wish.example is None and (said := found_nothing(snapshot, rows)):
            blocks.faults.append(
                f"the page says “{said}”: these rows may be of another list (`within=` names one)"
            )
        return cls(blocks, snapshot, plan, name, rows)

    def lasting(self, way: str | bool | None) -> str | bool | None:
        """The way to the next page as later pages have it, too: a ref becomes a selector."""
        return str(build_locator(self.snapshot[way])) if isinstance(way, str) and is_ref(way) else way

    async def read_on(self, wish: Wish, harvest: Harvest, crops: KeptCrops | None = None) -> Completeness:
        """Read what comes after the rows that it shows."""
        self.claims = _claims(
            self.snapshot, self.plan, self.rows, harvest.notes, [] if wish.scroll else self.source.faults
        )
        walk = _Walk(self, wish, harvest, crops)
        walked = await walk.read()
        if wish.stop.until is not None and walked.stopped != MET:
            harvest.notes.append("`until` was not met")
        unread = "" if wish.following else find_next(self.snapshot, True, self.rows).unread
        return walk.assessed(walked, unread)


def _claims(
    snapshot: Snapshot, plan: Plan, rows: Sequence[Row], notes: list[str], faults: list[str]
) -> dict[str, int]:
    """What the page claims to have of the rows; notes and faults of a whole collection are added to these."""
    claims = claims_of(snapshot, rows)
    if isinstance(plan, FieldsPlan):
        notes += plan.doubts(snapshot, rows)
    found = plan.find(snapshot) if isinstance(plan, CollectionPlan) and plan.whole else None
    if found is None:
        return claims
    notes += found.notes
    faults += found.faults
    if found.width:
        claims["columns"] = max(found.width, claims.get("columns", 0))
    return claims


@dataclass
class _Walk:
    """Reads what comes after the rows that a page shows at first."""

    first: FirstPage
    wish: Wish
    harvest: Harvest
    crops: KeptCrops | None = None

    async def read(self) -> Walked:
        """Scroll, or go from page to page, or both: then every page is scrolled."""
        first, wish, harvest = self.first, self.wish, self.harvest
        following, snapshot = wish.following, first.snapshot
        ended = Walked("")
        if wish.scroll:
            scroller = Scroller(
                first.source,
                first.plan,
                harvest,
                first.claims,
                max_screens=None if following else wish.max_pages,
                max_loads=0 if following else wish.limit,
                progress=wish.progress,
                stop=Stop() if following else wish.stop,
            )
            ended = await scroller.read()
            harvest.restart()
            snapshot = await first.source.snapshot()
        if not following:
            return ended
        faults = list(ended.faults)

        async def read_page(page: Snapshot) -> Sequence[Row]:
            rows = first.plan.read(page)
            faults.extend([*_other_columns(first.plan, page), *self._other_claims(page, rows)])
            if not wish.scroll or not rows:
                return rows
            part = Harvest(columns=harvest.columns, log=harvest.log, pages=harvest.pages + 1)
            scroller = Scroller(
                first.source, first.plan, part, claims_of(page, rows), max_screens=None, max_loads=0
            )
            faults.extend((await scroller.read()).faults)
            return in_columns(harvest.columns, part)

        shown = first.plan.read(snapshot)
        walk = PageWalk(
            first.source,
            read_page,
            harvest,
            following,
            wish.limit,
            wish.progress,
            wish.stop,
            wish.pace,
            self.crops,
        )
        walked = await walk.go(snapshot, shown)
        return replace(walked, more=walked.more or ended.more, faults=faults)

    def assessed(self, walked: Walked, unfollowed: str) -> Completeness:
        """Whether all was read; `unfollowed` says that there is a way to the next page that wasn't wanted."""
        columns = self.harvest.columns
        plan = self.first.plan
        whole = isinstance(plan, CollectionPlan) and plan.whole
        return assess(
            pages=self.harvest.pages,
            rows=len(self.harvest.rows),
            columns=len(columns) if whole else None,
            claims=self.first.claims,
            stopped=walked.stopped,
            more=walked.more or unfollowed,
            opened=walked.page,
            faults=[*self.first.source.faults, *walked.faults],
            as_wished=walked.stopped == MET,
        )

    def _other_claims(self, page: Snapshot, rows: Sequence[Row]) -> list[str]:
        """What says that a later page claims other numbers of rows or pages; those claimed last count."""
        now = claims_of(page, rows)
        said = [
            f"the page said {before:,} {name} at first and {now[name]:,} later: rows may have moved between pages"
            for name in ("rows", "pages")
            if (before := self.first.claims.get(name)) is not None and now.get(name, before) != before
        ]
        claimed = {name: count for name, count in now.items() if name in {"rows", "pages"}}
        self.first.claims = {**self.first.claims, **claimed}
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
