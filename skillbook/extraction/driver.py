"""Extraction on a page's driver: what sessions, agents and skills call on the I/O thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.completeness import Completeness, assess, claims_of, partial
from skillbook.extraction.example import plan_by_example
from skillbook.extraction.fields import FieldsPlan, parse_fields
from skillbook.extraction.frames import frame_of, make_frame
from skillbook.extraction.pagination import Harvest, Progress, has_next_page, scroll_to_end, walk_pages
from skillbook.extraction.plans import CollectionPlan, Place, Plan, known_collections, main_collection
from skillbook.extraction.schema import Mapper, plan_by_schema
from skillbook.extraction.scrolling import screen_of, scroll_grid
from skillbook.extraction.source import PageSource
from skillbook.perception.collections import find_collections
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel

MAX_PAGES = 50


async def read_tables(source: PageSource, *, typed: bool = True, page: Any = None) -> list[pd.DataFrame]:
    """Every table, grid, list and set of cards of a page as frames: tables first, then by size."""
    return tables_from(await source.snapshot(), typed=typed, page=page)


def tables_from(snapshot: Snapshot, *, typed: bool = True, page: Any = None) -> list[pd.DataFrame]:
    """Every collection of a snapshot as a frame, without navigation."""
    found = find_collections(snapshot)
    return [frame_of(collection, typed=typed, page=page) for collection in found if not collection.minor]


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


async def _scroll_on(
    source: PageSource,
    plan: Plan,
    harvest: Harvest,
    snapshot: Snapshot,
    claims: Mapping[str, int],
    max_pages: int | None,
    limit: int,
    progress: Progress | None,
) -> tuple[str, str]:
    """Read what scrolling brings: of a grid itself, else of the page; why it stopped, and what is left."""
    if screen_of(snapshot, plan):
        return await scroll_grid(source, plan, harvest, claims, max_pages, progress)
    return await scroll_to_end(source, plan, harvest, snapshot, limit, progress)


async def extract_frame(
    source: PageSource,
    fields: Mapping[str, str] | Sequence[str] | None = None,
    *,
    example: Sequence[str] | None = None,
    schema: type[BaseModel] | None = None,
    within: str | None = None,
    scroll: bool = False,
    next: str | bool | None = None,
    max_pages: int | None = None,
    typed: bool = True,
    progress: Progress | None = None,
    mapper: Mapper | None = None,
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
    harvest = Harvest() if harvest is None else harvest
    snapshot = first = await source.snapshot()
    plan, name = await _plan(snapshot, fields, example, schema, within, mapper)
    harvest.columns = plan.columns
    if not harvest.add(plan.read(snapshot)):
        raise plan.missing(snapshot) if isinstance(plan, FieldsPlan) else _nothing(snapshot)
    if progress:
        progress(1, len(harvest.rows))

    claims = claims_of(first, harvest.rows)
    stopped, more = "", ""

    def frame(completeness: Completeness) -> pd.DataFrame:
        shown = {"name": name, "typed": typed, "page": page}
        return make_frame(harvest.columns, harvest.rows, **shown, completeness=completeness)

    try:
        if scroll:
            stopped, more = await _scroll_on(
                source, plan, harvest, snapshot, claims, max_pages, limit, progress
            )
            snapshot = await source.snapshot() if next else snapshot
        if isinstance(next, str) and is_ref(next):
            next = str(build_locator(first[next]))
        if next:
            stopped, more = await walk_pages(source, plan, harvest, snapshot, next, limit, progress)
    except SkillbookError as error:
        failed = _stopped(harvest, error)
        failed.frame = frame(partial(harvest.pages, len(harvest.rows), error.message, claims))  # type: ignore[attr-defined]
        raise failed from error
    if not next and not more and has_next_page(first):
        more = "the page has a way to the next one, which `next=True` follows"
    whole = isinstance(plan, CollectionPlan) and plan.whole
    return frame(
        assess(
            pages=harvest.pages,
            rows=len(harvest.rows),
            columns=len(harvest.columns) if whole else None,
            claims=claims,
            stopped=stopped,
            more=more,
        )
    )


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
    example: Sequence[str] | None,
    schema: type[BaseModel] | None,
    within: str | None,
    mapper: Mapper | None,
) -> tuple[Plan, str]:
    """How to read the rows, and what they are called."""
    place = Place.of(snapshot, within)
    if fields is not None:
        return FieldsPlan(parse_fields(fields), place), ""
    if example is not None:
        return plan_by_example(snapshot, [example] if isinstance(example, str) else example, place), ""
    if schema is not None:
        return await plan_by_schema(snapshot, schema, place, mapper), schema.__name__
    collection = main_collection(snapshot, place.nodes(snapshot))
    return CollectionPlan.of(collection, place), collection.name
