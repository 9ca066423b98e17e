"""Reading rows from the first page to the last: what is wished, the first page, and the walk from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.frames.completeness import Completeness, assess, claims_of
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.frames.evidence import TextLaw
from skillbook.extraction.frames.make import claims_of_empty
from skillbook.extraction.readable_page import PageSource
from skillbook.extraction.reading.example import plan_by_example, plan_by_values
from skillbook.extraction.reading.fields import FieldsPlan, parse_fields
from skillbook.extraction.reading.plans import (
    CollectionPlan,
    Place,
    Plan,
    alike_elsewhere,
    known_collections,
    main_collection,
)
from skillbook.extraction.reading.schema import plan_by_schema
from skillbook.extraction.walking.big_tables import BlockSource
from skillbook.extraction.walking.extract_options import MET, ExtractOptions
from skillbook.extraction.walking.nothing_found import NoRows, found_nothing, no_rows
from skillbook.extraction.walking.page_numbers import more_beside, more_in_view
from skillbook.extraction.walking.pagers import find_next, pages_before
from skillbook.extraction.walking.pagination import Pages
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.extraction.walking.scrolling import Scroll
from skillbook.extraction.walking.walk import Walked
from skillbook.perception.collections import Row, find_collections
from skillbook.perception.roles import TABLES
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref


async def plan_of(options: ExtractOptions, snapshot: Snapshot) -> tuple[Plan, str]:
    """How to read the rows, and what they are called."""
    place = Place.of(snapshot, options.within)
    if options.fields is not None:
        return FieldsPlan(parse_fields(options.fields), place), ""
    if (example := options.example) is not None:
        refs = [example] if isinstance(example, str) else example
        return plan_by_values(snapshot, example, place) or plan_by_example(snapshot, refs, place), ""
    if (schema := options.schema) is not None:
        named = getattr(schema, "__name__", None) or getattr(schema, "name", None) or "the schema"
        return await plan_by_schema(snapshot, schema, place, options.mapper), named
    collection = main_collection(snapshot, place.nodes(snapshot))
    return CollectionPlan.of(collection, place), collection.name


async def _plan_or_no_rows(options: ExtractOptions, snapshot: Snapshot) -> tuple[Plan, str]:
    """How to read the rows; for a page that says that it has none, that."""
    try:
        plan, name = await plan_of(options, snapshot)
        if not isinstance(plan, FieldsPlan) or plan.read(snapshot):
            return plan, name
        raise plan.missing(snapshot)
    except ExtractionError:
        if options.for_each is None and (none := no_rows(snapshot, options)) is not None:
            return none, ""
        raise


async def _count(options: ExtractOptions, snapshot: Snapshot) -> int:
    """How many of the rows that are wanted a page shows."""
    try:
        plan, _ = await plan_of(replace(options, mapper=None), snapshot)
        return len(plan.read(snapshot))
    except SkillbookError:
        return 0


@dataclass
class FirstPage:
    """The page as it is at first, with its rows.

    claims: what the page claims to have of them; those claimed last count.
    began: what says that the list has pages before it.
    """

    source: BlockSource
    snapshot: Snapshot
    plan: Plan
    name: str
    rows: Sequence[Row]
    claims: Mapping[str, int] = field(default_factory=dict)
    texts: TextLaw = field(default_factory=TextLaw)
    began: str = ""

    @classmethod
    async def read(cls, source: PageSource, options: ExtractOptions, so_far: PartialResult) -> FirstPage:
        """Read it.

        Raises ExtractionError: it has no such rows.
        """
        blocks = BlockSource.into(so_far, source, options.progress)
        snapshot, loading = await blocks.read_settled(partial(_count, options), options.wait)
        blocks.faults += [loading] if loading else []
        plan, name = await _plan_or_no_rows(options, snapshot)
        so_far.columns = plan.columns
        rows = plan.read(snapshot)
        if isinstance(plan, NoRows):
            so_far.notes.append(plan.says)
            claims, message = claims_of_empty(plan.table) if plan.table else ({}, "")
            blocks.faults += [message] if message else []
            return cls(blocks, snapshot, plan, name, rows, claims)
        began = ""
        if options.goes_back:
            seen = PartialResult()
            seen.add(rows)
            back = Pages(
                source=blocks, plan=plan, so_far=seen, options=options, snapshot=snapshot, shown=rows
            )
            open_now, began = await back.to_first()
            rows = rows if open_now is snapshot else plan.read(open_now)
            snapshot = open_now
        wanted = options.rows or range(len(rows))
        if not (so_far.add(rows[wanted.start : wanted.stop]) or rows):
            raise ExtractionError("no rows found", hint=known_collections(snapshot))
        if options.progress:
            options.progress(1, len(rows))
        if options.within is None and options.example is None and (message := found_nothing(snapshot, rows)):
            blocks.faults.append(
                f"the page says “{message}”: these rows may be of another list (`within=` names one)"
            )
        return cls(blocks, snapshot, plan, name, rows, began=began)

    def lasting(self, way: str | bool | None) -> str | bool | None:
        """The way to the next page as later pages have it, too: a ref becomes a selector."""
        return str(build_locator(self.snapshot[way])) if isinstance(way, str) and is_ref(way) else way

    async def read_on(
        self, options: ExtractOptions, so_far: PartialResult, crops: KeptCrops | None = None
    ) -> Completeness:
        """Read what comes after the rows that it shows."""
        if isinstance(self.plan, NoRows):
            faults = self.source.faults
            return assess(
                pages=1, rows=0, columns=None, claims=self.claims, stopped="", more="", faults=faults
            )
        self.claims = _claims(
            self.snapshot, self.plan, self.rows, so_far.notes, [] if options.scroll else self.source.faults
        )
        if isinstance(self.plan, CollectionPlan):
            so_far.notes += self.plan.notes
            self.source.faults += self.plan.faults
        self.note_texts(options, self.snapshot, self.rows)
        if not options.goes_back:
            self.began = pages_before(self.snapshot, self.rows, self.claims).doubt
        if options.within is None and isinstance(self.plan, CollectionPlan):
            found = self.plan.find(self.snapshot)
            self.source.faults += alike_elsewhere(self.snapshot, found) if found else []
        walk = _Walk(self, options, so_far, crops)
        walked = await walk.read()
        if options.stop.until is not None and walked.stopped != MET:
            so_far.notes.append("`until` was not met")
        if isinstance(self.plan, FieldsPlan):
            so_far.notes += self.plan.blanks(so_far.rows)
        so_far.notes += self.texts.notes
        unread = "" if options.next else find_next(self.snapshot, True, self.rows).unread
        unread = unread or ("" if options.next or options.scroll else more_beside(self.snapshot, self.rows))
        if not (unread or options.next or options.scroll or so_far.rows == []):
            unread = await more_in_view(self.source, self.rows)
        return walk.assessed(walked, unread).checked(*self.texts.checks())

    def note_texts(
        self, options: ExtractOptions, page: Snapshot, rows: Sequence[Row], *, scrolled: bool = False
    ) -> None:
        """Look where the texts of a page went: all of its list, or those of what was chosen."""
        plan = self.plan
        if not isinstance(plan, CollectionPlan):
            self.texts.add_cells(page, rows, scrolled=scrolled)
        elif (found := plan.find(page)) is None:
            return
        elif options.columns or not plan.whole:
            chosen = zip(plan.columns, plan.places_in(found), strict=True)
            wanted = options.columns or plan.columns
            places = [place for name, place in chosen if place is not None and name in wanted]
            self.texts.add_chosen(found, places, find_collections(page), scrolled=scrolled)
        else:
            self.texts.add(replace(found, rows=rows), find_collections(page), scrolled=scrolled)


def _claims(
    snapshot: Snapshot, plan: Plan, rows: Sequence[Row], notes: list[str], faults: list[str]
) -> dict[str, int]:
    """What the page claims to have of the rows; notes and faults of a whole collection are added to these."""
    claims = claims_of(snapshot, rows, _others(snapshot, rows))
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


def _others(snapshot: Snapshot, rows: Sequence[Row]) -> list[Sequence[Row]]:
    """The rows of collections that these rows are none of, and none of whose rows holds any."""
    nodes = {row.node.index for row in rows}
    ends = snapshot.ends
    first, last = (rows[0].node.index, rows[-1].node.index) if rows else (0, 0)
    return [
        each.rows
        for each in find_collections(snapshot)
        if not each.minor
        and nodes.isdisjoint(row.node.index for row in each.rows)
        and not any(row.node.index <= first < ends[row.node.index] for row in each.rows)
        and not first <= each.rows[0].node.index < ends[last]
    ]


@dataclass
class _Walk:
    """Reads what comes after the rows that a page shows at first."""

    first: FirstPage
    options: ExtractOptions
    so_far: PartialResult
    crops: KeptCrops | None = None
    faults: list[str] = field(default_factory=list)

    async def read(self) -> Walked:
        """Scroll, or go from page to page, or both: then every page is scrolled."""
        first, options, so_far = self.first, self.options, self.so_far
        ended, snapshot = Walked(""), first.snapshot
        if options.scroll:
            ended = await self._scroll(so_far, first.claims, options).run()
            so_far.restart()
            snapshot = await first.source.snapshot()
        if not options.next:
            return ended
        self.faults = [*ended.faults, *(ended.failed or ())]
        pages = Pages(
            source=first.source,
            plan=first.plan,
            so_far=so_far,
            options=options,
            snapshot=snapshot,
            shown=first.plan.read(snapshot),
            each=self._page,
            crops=self.crops,
        )
        walked = await pages.run()
        return replace(walked, more=walked.more or ended.more, faults=[*self.faults, *walked.faults])

    def _scroll(self, so_far: PartialResult, claims: Mapping[str, int], options: ExtractOptions) -> Scroll:
        first, seen = self.first, partial(self.first.note_texts, self.options, scrolled=True)
        return Scroll(
            source=first.source, plan=first.plan, so_far=so_far, options=options, claims=claims, seen=seen
        )

    async def _page(self, page: Snapshot, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows of a later page, also those that are scrolled to."""
        first, so_far = self.first, self.so_far
        self.faults += [*_other_columns(first.plan, page), *self._other_claims(page, rows)]
        first.note_texts(self.options, page, rows)
        if not self.options.scroll or not rows:
            return rows
        part = PartialResult(columns=so_far.columns, log=so_far.log, pages=so_far.pages + 1)
        scrolled = await self._scroll(part, claims_of(page, rows), replace(self.options, progress=None)).run()
        self.faults += [*scrolled.faults, *(scrolled.failed or ())]
        return in_columns(so_far.columns, part)

    def assessed(self, walked: Walked, unfollowed: str) -> Completeness:
        """Whether all was read; `unfollowed` says that there is a way to the next page that wasn't wanted."""
        columns = self.so_far.columns
        plan = self.first.plan
        whole = isinstance(plan, CollectionPlan) and plan.whole and not self.options.columns
        rows, before, stopped, more = len(self.so_far.rows), 0, walked.stopped, walked.more or unfollowed
        as_wished = stopped == MET
        if (wanted := self.options.rows) is not None:
            before = wanted.start
            if rows >= len(wanted):
                stopped, as_wished = f"rows {before:,} to {wanted.stop - 1:,} were wanted", True
            elif not self.options.scroll:
                more = more or "scroll=True brings rows into view"
        claims = dict(self.first.claims)
        if walked.fills_room:
            claims.pop("about", None)
        return assess(
            pages=self.so_far.pages,
            rows=rows,
            before=before,
            columns=len(columns) if whole else None,
            claims=claims,
            stopped=stopped,
            more=more,
            opened=walked.page,
            faults=[*self.first.source.faults, *walked.faults],
            as_wished=as_wished,
            began=self.first.began,
            failed=walked.failed,
        )

    def _other_claims(self, page: Snapshot, rows: Sequence[Row]) -> list[str]:
        """What says that a later page claims other numbers of rows or pages; those claimed last count."""
        now = claims_of(page, rows, _others(page, rows))
        faults = [
            f"the page said {before:,} {name} at first and {now[name]:,} later: rows may have moved between pages"
            for name in ("rows", "pages")
            if (before := self.first.claims.get(name)) is not None and now.get(name, before) != before
        ]
        claimed = {name: count for name, count in now.items() if name in {"rows", "pages"}}
        self.first.claims = {**self.first.claims, **claimed}
        return faults


def _other_columns(plan: Plan, page: Snapshot) -> list[str]:
    """What says that a table has lost columns since the first page, or got others; labelled items may lack some."""
    if not isinstance(plan, CollectionPlan) or not plan.whole:
        return []
    table = plan.find(page)
    if table is None or (table.kind not in TABLES and not table.labelled) or table.places:
        return []
    places = plan.places_in(table)
    pairs = zip(plan.columns, places, strict=True)
    lost = [name for name, place in pairs if place is None and not table.labelled]
    new = [name for place, name in enumerate(table.fields) if place not in places]
    changes = [f"without {', '.join(map(repr, lost))}"] * bool(lost) + [
        f"with {', '.join(map(repr, new))}"
    ] * bool(new)
    return [f"a later page has other columns: {' and '.join(changes)}"] if changes else []


def in_columns(columns: Sequence[str], part: PartialResult) -> list[Row]:
    """A page's rows with the columns of the pages before it."""
    if list(part.columns) == list(columns):
        return part.rows
    at = {name: place for place, name in enumerate(part.columns)}
    return [
        Row(row.node, [row.cells[at[name]] if name in at else None for name in columns]) for row in part.rows
    ]
