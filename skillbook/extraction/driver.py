"""One extraction on a page's driver, from its first page to its last: what `sb.extract`, agents and skills call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.frames.completeness import Completeness, claims_of, expected, partial
from skillbook.extraction.frames.crops import KeptCrops
from skillbook.extraction.frames.dtypes import check_types
from skillbook.extraction.frames.make import make_frame
from skillbook.extraction.frames.odd_rows import without_sum_rows
from skillbook.extraction.garbage import collecting_later
from skillbook.extraction.json_answers.behind_table import AnswerRows, answers_behind, find_behind, hint_of
from skillbook.extraction.readable_page import PageSource, answering
from skillbook.extraction.reading.plans import CollectionPlan
from skillbook.extraction.walking.details import Details
from skillbook.extraction.walking.extract_options import ExtractKeywords, ExtractOptions, Fields
from skillbook.extraction.walking.first_page import FirstPage, plan_of
from skillbook.extraction.walking.for_each import EachOption
from skillbook.extraction.walking.nothing_found import NoRows
from skillbook.extraction.walking.pagers import find_next
from skillbook.extraction.walking.partial_result import NoRepeats, PartialResult
from skillbook.perception.collections import Row
from skillbook.perception.escape import quote
from skillbook.perception.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas as pd

PREVIEW_ROWS = 5
PREVIEW = "a preview"


async def extract_frame(
    source: PageSource,
    /,
    fields: Fields = None,
    *,
    so_far: PartialResult | None = None,
    page: Any = None,
    **keywords: Unpack[ExtractKeywords],
) -> pd.DataFrame:
    """Rows of a page, and of those after it, as a frame; see `skillbook.extract`.

    so_far: takes the rows and columns as they come, so that they are kept when the call is cancelled.
    page: the `Page` on which cells can be shown again.
    Raises ExtractionError: nothing to extract, or the walk failed; its `frame` then has the rows so far.
    """
    options = ExtractOptions(fields, **keywords)
    source = answering(source, options.selectors)
    so_far = PartialResult() if so_far is None else so_far
    each_option = None if options.for_each is None else EachOption.of(options.for_each)
    if options.source == "network":
        return await _from_answers(source, options, so_far, page)
    if each_option is None:
        first = await FirstPage.read(source, options, so_far)
        if page is not None:
            so_far.notes += await _hints(source, first)
    else:
        first = await each_option.begin(source, options, so_far)
    options = replace(options, next=first.lasting(options.next))
    if isinstance(first.plan, NoRows):
        none = replace(options, types=None, parse_dates=())
        return _FrameMaker(none, so_far, NoRepeats(), "", page).frame(await first.read_on(none, so_far))
    check_types(options.types, so_far.columns)
    maker = _FrameMaker(options, so_far, NoRepeats.of(options.unique, so_far.columns), first.name, page)
    if options.preview:
        return maker.preview(first)
    details = options.details
    behind = Details.of(details, options.follow, first.plan.columns, first.rows) if details else None
    maker.crops = kept = await KeptCrops.begin(source, first.rows, options.scroll) if options.crops else None
    try:
        if each_option is None:
            read = await first.read_on(options, so_far, kept)
        else:
            read = await each_option.read(source, first, options, so_far, kept)
        if behind is not None:
            read = await behind.read(source, first.snapshot, so_far, options, read)
    except SkillbookError as error:
        failed = _stopped(so_far, error)
        read = partial(so_far.pages, len(so_far.rows), error.message, first.claims)
        failed.frame = maker.frame(read, early=True)  # type: ignore[attr-defined]
        raise failed from error
    return maker.frame(read)


async def _hints(source: Any, first: FirstPage) -> list[str]:
    """That an answer of the page's server has the rows, where its network is watched anyway."""
    network = getattr(source, "network", None)
    if network is None or not network.on or isinstance(first.plan, NoRows):
        return []
    behind = await find_behind(source, first.plan.columns, first.rows)
    return [] if behind is None else [hint_of(behind)]


async def _from_answers(
    source: Any, options: ExtractOptions, so_far: PartialResult, page: Any
) -> pd.DataFrame:
    """The rows of the answer behind the page's; those of the page where there is none."""

    async def read() -> FirstPage:
        so_far.forget([])
        return await FirstPage.read(source, options, so_far)

    first, found = await answers_behind(source, read, options)
    maker = _FrameMaker(options, so_far, NoRepeats(), first.name, page)
    if isinstance(found, str):
        so_far.notes.append(f"read from the page, not from the network: {found}")
        return maker.frame(await first.read_on(options, so_far))
    return maker.of_answers(found)


@dataclass
class _FrameMaker:
    """Makes a frame of what was read."""

    options: ExtractOptions
    so_far: PartialResult
    repeats: NoRepeats
    name: str
    page: Any = None
    crops: KeptCrops | None = None

    def frame(self, completeness: Completeness, *, early: bool = False) -> pd.DataFrame:
        """The rows but those that are left out, and what is known to be wrong with them; `early`: an error ended it."""
        with collecting_later():
            return self._frame(completeness, early)

    def _frame(self, completeness: Completeness, early: bool) -> pd.DataFrame:
        so_far = self.so_far
        items, sums = without_sum_rows(so_far.rows, so_far.columns)
        kept, problems = self.repeats.leave_out(so_far.columns, items)
        left_out = len(items) - len(kept)
        notes = [
            *so_far.notes,
            *sums,
            *self.repeats.notes(so_far.repeated, left_out, problems),
            *(self.crops.notes if self.crops else []),
            *(check.says for check in completeness.evidence.of("text") if not check.holds),
        ]
        noted = replace(completeness, notes=notes)
        run = so_far.end(noted, early=early)
        shots = {at: shot for at, row in enumerate(kept) if self.crops and (shot := self.crops.of(row))}
        return self._make(so_far.columns, kept, problems=problems, completeness=noted, run=run, crops=shots)

    def _chosen(self, columns: Sequence[str], rows: Sequence[Row]) -> tuple[Sequence[str], Sequence[Row]]:
        """The columns that were wanted, in that order."""
        wanted = self.options.columns
        if not wanted:
            return columns, rows
        if lost := [name for name in wanted if name not in columns]:
            known = ", ".join(map(repr, columns))
            more = (
                "" if self.options.scroll else "; scroll=True brings those into view that aren't rendered yet"
            )
            raise ExtractionError(f"the rows have no column {lost[0]!r}", hint=f"there are {known}{more}")
        places = [list(columns).index(name) for name in wanted]
        return wanted, [Row(row.node, [row.cells[at] for at in places]) for row in rows]

    def preview(self, first: FirstPage) -> pd.DataFrame:
        """The first few rows, with what would be read."""
        return self._make(
            first.plan.columns, first.rows[:PREVIEW_ROWS], completeness=_previewed(first, self.options)
        )

    def of_answers(self, found: AnswerRows) -> pd.DataFrame:
        """Rows of answers, whose numbers are written as JSON writes them."""
        run, options = self.so_far.end(found.completeness), self.options
        maker = replace(self, options=replace(options, thousands=","))
        # What is asked for by the caller is read out of the texts, as on a page.
        is_read = options.schema is not None or options.types or not options.typed or options.parse_dates
        wanted = {name: found.known[name] for name in options.columns or found.columns if name in found.known}
        known = None if is_read else wanted
        return maker._make(found.columns, found.rows, completeness=found.completeness, run=run, known=known)

    def _make(self, columns: Sequence[str], rows: Sequence[Row], **more: Any) -> pd.DataFrame:
        options = self.options
        names = ("typed", "types", "schema", "na_values", "thousands", "parse_dates")
        given: dict[str, Any] = {name: getattr(options, name) for name in names}
        columns, rows = self._chosen(columns, rows)
        return make_frame(columns, rows, name=self.name, page=self.page, **given, **more)


async def read_rows(snapshot: Snapshot, options: ExtractOptions) -> tuple[Sequence[str], list[Row]]:
    """The columns and rows that an extraction finds in one snapshot."""
    plan, _ = await plan_of(options, snapshot)
    return plan.columns, list(plan.read(snapshot))


def _previewed(first: FirstPage, options: ExtractOptions) -> Completeness:
    """What a preview shows, and from where its columns would be read."""
    plan, snapshot, rows, following = first.plan, first.snapshot, first.rows, options.next
    shown = min(len(rows), PREVIEW_ROWS)
    notes = []
    if isinstance(plan, CollectionPlan):
        notes.append(
            f"rows of the {plan.kind} {quote(plan.name, 40)}" if plan.name else f"rows of a {plan.kind}"
        )
        pairs = zip(plan.columns, plan.fields, strict=True)
        notes += [
            f"{column!r} is the page's {field!r}" for column, field in pairs if column != field and field
        ]
        notes += plan.notes
    link = find_next(snapshot, following or True, rows, 1)
    if not following:
        notes += [link.unread] if link.unread else []
    elif link.control is not None:
        notes.append(f"the way to the next page is {link.control.role} {quote(link.control.name, 40)}")
    else:
        notes.append(f"the next page is {link.address}" if link.address else link.why)
    reason = f"{PREVIEW}: {shown:,} of the {len(rows):,} rows that the page shows"
    return Completeness(False, reason, expected(claims_of(snapshot, rows)), notes)


def _stopped(so_far: PartialResult, error: SkillbookError) -> ExtractionError:
    return ExtractionError(
        f"stopped after {so_far.pages} pages and {len(so_far.rows)} rows: {error.message}",
        hint="`error.frame` has the rows so far",
        pages=so_far.pages,
        rows=len(so_far.rows),
        cause=error.code,
    )
