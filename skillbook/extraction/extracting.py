"""`sb.tables` and `sb.extract`: blocking for a page of `sb.launch()`, awaitable for one of `sb.aio.launch()`."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from skillbook.errors import ExtractionError, ReadInterrupted
from skillbook.extraction import driver as on_driver
from skillbook.extraction.driver import read_rows
from skillbook.extraction.frames.completeness import IncompleteFrame, count_read, partial
from skillbook.extraction.frames.make import make_frame
from skillbook.extraction.frames.row_log import RowLog, recover_rows
from skillbook.extraction.frames.validation import INVALID, InvalidRows
from skillbook.extraction.page_tables import Tables, read_tables, tables_from
from skillbook.extraction.walking.extract_options import ExtractKeywords, ExtractOptions, Fields, Progress
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.io_thread import io, unshown
from skillbook.limits import READ_SECONDS
from skillbook.session.aio.browser import Page as AioPage
from skillbook.session.arguments import checked_seconds
from skillbook.session.awaited_call import AwaitedCall
from skillbook.session.sync.browser import Page

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


@overload
def tables(
    page: Page,
    *,
    within: str | None = None,
    typed: bool = True,
    progress: Progress | None = None,
    wait: float = READ_SECONDS,
) -> Tables: ...
@overload
def tables(
    page: AioPage,
    *,
    within: str | None = None,
    typed: bool = True,
    progress: Progress | None = None,
    wait: float = READ_SECONDS,
) -> Coroutine[Any, Any, Tables]: ...
def tables(
    page: Page | AioPage,
    *,
    within: str | None = None,
    typed: bool = True,
    progress: Progress | None = None,
    wait: float = READ_SECONDS,
) -> Any:
    """Read every table, grid, list and set of cards on a page as DataFrames, without a model.

    Parameters
    ----------
    page : Page
        The page.
    within : str, optional
        Only those in a part of the page: a selector, a ref, or the name of a table, list, group or frame.
    typed : bool
        Read numbers, dates and booleans; else every cell is text as the page has it.
    progress : function, optional
        Called with 1 and the rows so far while a table of very many rows is read in blocks.
    wait : float
        Seconds at most to wait for tables without rows, or with few, if the page still loads, waits for answers to its
        requests, says that it is busy, or has just changed. After that they aren't complete.

    Returns
    -------
    Tables
        A list of DataFrames: tables in page order, then the other collections, the biggest first; navigation is left
        out unless `within` names it. Each warns (`IncompleteFrame`) if the page claims to have more of it, and
        `df.skillbook.complete` says so. A table without rows has its columns, and `df.skillbook.notes` has what the
        page says in their place. An empty list has its `reason`, and warns if the page loads, is blank, or has links
        or buttons side by side. `sb.recover` returns what was read of the biggest table that is read in blocks.

    Raises
    ------
    ExtractionError
        Nothing on the page matches `within`.

    Examples
    --------
    >>> sb.tables(page)[0]  # doctest: +SKIP
    >>> sb.tables(page, within="region 'Results'")  # doctest: +SKIP
    """
    checked_seconds(wait, "wait")
    so_far = PartialResult(log=_log_of(page))
    coro = read_tables(
        page.driver,
        typed=typed,
        within=within,
        page=page,
        progress=progress or so_far.count,
        so_far=so_far,
        wait=wait,
    )
    try:
        return _on_io(page, coro, None if progress else so_far)
    except KeyboardInterrupt:
        stop = ReadInterrupted("The read was stopped before a table was read whole; call it again.")
        if (snapshot := so_far.interrupted()) is not None:
            frames = tables_from(
                snapshot, typed=typed, within=within, page=page, faults=["interrupted"], log=so_far.log
            )
            stop = ReadInterrupted(
                "The read was stopped; sb.recover() gives back the rows of the biggest table, `error.frames` has all."
            )
            stop.frames = frames  # type: ignore[attr-defined]
        raise stop from None


@overload
def extract(page: Page, fields: Fields = None, **keywords: Unpack[ExtractKeywords]) -> pd.DataFrame: ...
@overload
def extract(
    page: AioPage, fields: Fields = None, **keywords: Unpack[ExtractKeywords]
) -> Coroutine[Any, Any, pd.DataFrame]: ...
def extract(page: Page | AioPage, fields: Fields = None, **keywords: Unpack[ExtractKeywords]) -> Any:
    """Read rows of a page as a DataFrame that knows where each cell came from.

    A field in `fields` is the name of a column that the page has (`"Price"`), or a role selector that is looked for
    inside each row (`"heading"`, `"text ~'€'"`). A suffix takes something else than its text: `@href` (an address),
    `@src` (an image's), `@value` (a field's value), `@ref` (its ref), `@name` (its accessible name), `@text` (its
    text where its name would be taken).

    Parameters
    ----------
    page : Page
        The page.
    fields : dict or list of str, optional
        Column name to field (`{"title": "heading", "price": "text ~'€'", "url": "link@href"}`), or a list of the
        page's columns. Without fields, example and schema: the page's main table, list or cards, whole.
    columns : list of str
        The page's columns that are wanted, by their names; all by default. With `scroll` only these are brought
        into view.
    rows : range, optional
        The rows that are wanted, by their places on the page: `range(100, 120)`; 0 is the first row. With `scroll` a
        list or grid that numbers its rows, or whose rows are equally high, is scrolled straight there; others are
        read from the top to the last wanted row. Not with `next` or `for_each`.
    example : dict, list or str, optional
        What one row says, or two: a dict of column names and the values that the page shows (`{"name": "Dusk Lamp",
        "price": 12}`), a list of such, or values alone; or refs of rows, or of elements in one. Rows like these.
    schema : type or DataFrameSchema, optional
        A pydantic model, or a pandera schema or model (`pip install pandera`), whose fields are matched to the
        page's by name and type; one in doubt is a blank column, with a note. Its types are those of the columns, and
        every row is checked: rows that fail stay, with an `InvalidRows` warning and a line in `df.skillbook.report`
        for each cell.
    within : str, optional
        Where the rows are: a selector, a ref, or the name of a table, list, group or frame, however few rows it
        has. A selector that matches several elements names the rows themselves; lists in several groups become one
        frame, with the groups' names as its column `group`.
    scroll : bool
        Scroll the rows' container, screen by screen, until nothing new comes; a grid that numbers its columns is
        scrolled in both directions. Screens are joined by the rows' numbers, else by what rows say and where they are.
    next : str or True, optional
        The selector of the link to the next page, or True to find it: by its name, by its icon in a pager, or by the
        number after the current page's. The last page stays open, which `df.skillbook.reason` says.
    max_pages : int, optional
        Pages at most, 50 by default; without `next`, screens at most, or 50 times that the page loads more.
    preview : bool
        Only the first five rows that the page shows, without turning pages or scrolling; `df.skillbook.notes`
        says what would be read. Nothing warns that the frame isn't whole.
    until : str or function, optional
        Stop after the page or screen where this holds: a selector that the page matches, or a function of the rows
        so far (a dict of texts for each), which is true then.
    pause : float
        Seconds at least between two pages. Whatever it is, a site that answers 429 or 503, or says that it gets too
        many requests, is waited for as long as the page asks (up to two minutes, three times), and
        `df.skillbook.notes` says so.
    unique : bool, str or list of str
        Leave out rows that came before: True for those with the same content, or the columns that name a row.
        `df.skillbook.notes` counts them; `df.skillbook.report` has what differs in them.
    typed : bool
        Read numbers, dates and booleans; else every cell is text as the page has it.
    types : dict, optional
        Columns that shall be `str`, `bool`, or `decimal.Decimal` with every digit that the page shows (`86.30`).
    na_values : list of str
        More texts that stand for no value, beside "—", "n/a" and such.
    thousands : str, optional
        What separates thousands, "." or ","; found by itself if the page shows it.
    parse_dates : list of str
        Columns that shall be dates: what is none is blank, with a line in `df.skillbook.report`.
    progress : function, optional
        Called with pages and rows so far.
    mapper : function, optional
        Maps a schema's fields if names and types don't decide.
    crops : bool
        Keep a screenshot of each row, taken while it is read, for `df.skillbook.crop`; 50 ms or so each.
    details : dict, optional
        Column name to what to read of the page that each row links to: a selector there, or the label before the
        value (`{"upc": "UPC", "blurb": "paragraph nth 2 in main"}`). The pages are opened in one background tab, one
        after the other, each once, and `pause` seconds apart; the page with the rows stays as it is.
    follow : str, optional
        The link of each row, if there are links to several pages: a column, or a selector inside the row.
    for_each : str or dict, optional
        The selector of a list ("combobox 'Year'"): each of its options is chosen, and its rows are read, with
        the option in the first column; a dict of it and the options to choose if these aren't on the page.
    wait : float
        Seconds at most to wait for rows if there are few or none, and the page still loads, waits for answers to its
        requests, says that it is busy, or has just changed. After that `df.skillbook.complete` is False.
    source : str
        "page", or "network" for the JSON answer that the page got its rows from: all of its rows, by the page's own
        session and GETs only, whatever the page shows of them. A page whose requests weren't seen is gone to again.
        Where no answer surely has the screen's rows, they are read from the page, and `df.skillbook.notes` says so.

    Returns
    -------
    DataFrame
        One row an item. `df.skillbook.complete` says whether that is all that the page claims to have, with
        `df.skillbook.reason` and `df.skillbook.expected`; if it isn't, there is an `IncompleteFrame` warning too.
        `df.skillbook.source(row, column)` says where a cell came from, `df.skillbook.raw` what the page said,
        `df.skillbook.units` currencies, and `df.skillbook.to_csv` exports without formulas.

    Raises
    ------
    ExtractionError
        Nothing fits; or a later page failed, and `error.frame` has the rows so far.
    InvalidParams
        `pause` or `wait` is negative.

    Examples
    --------
    >>> sb.extract(page, {"title": "heading", "url": "link@href"}, next=True)  # doctest: +SKIP
    """
    options = ExtractOptions(fields, **keywords)
    checked_seconds(options.pause, "pause")
    checked_seconds(options.wait, "wait")
    so_far = PartialResult(log=None if options.preview else _log_of(page))
    shown = None if options.progress else so_far
    if shown is not None:
        keywords["progress"] = so_far.count
    coro = on_driver.extract_frame(page.driver, fields, so_far=so_far, page=page, **keywords)
    given = {name: getattr(options, name) for name in ("fields", "within", "scroll", "next", "max_pages")}
    unsaid = [name for name in ("columns", "rows", "details", "for_each") if getattr(options, name)]
    try:
        return _on_io(page, _recorded_as_one_step(page, given, unsaid, coro), shown)
    except KeyboardInterrupt:
        raise _interrupted(so_far, page, options) from None


def _signature() -> inspect.Signature:
    """The keywords with their defaults, as help and completion show them."""
    given = inspect.signature(ExtractOptions).parameters.values()
    keywords = [each.replace(kind=each.KEYWORD_ONLY) for each in given if each.name != "fields"]
    first = [each for each in inspect.signature(extract).parameters.values() if each.kind != each.VAR_KEYWORD]
    return inspect.Signature([*first, *keywords], return_annotation="pd.DataFrame")


extract.__signature__ = _signature()  # type: ignore[attr-defined]


def _interrupted(so_far: PartialResult, page: Page | AioPage, options: ExtractOptions) -> ReadInterrupted:
    """An interrupt with the rows that were read before it, of a page that is scrolled or read in blocks too."""
    io.sync(_gather(so_far))
    if not so_far.rows and (snapshot := so_far.interrupted()) is not None:
        so_far.columns, so_far.rows = io.sync(read_rows(snapshot, options))
    if not so_far.rows:
        return ReadInterrupted("The read was stopped before a row was read; call it again.")
    whole = partial(so_far.pages, len(so_far.rows), "interrupted")
    run = so_far.end(whole, early=True)
    count = count_read(so_far.pages, len(so_far.rows))
    where = "sb.recover() gives them back" if run else "`error.frame` has them"
    stop = ReadInterrupted(f"The read was stopped; it had {count}: {where}.")
    stop.frame = make_frame(  # type: ignore[attr-defined]
        so_far.columns, so_far.rows, typed=options.typed, page=page, completeness=whole, run=run
    )
    return stop


async def _gather(so_far: PartialResult) -> None:
    """On the thread that reads: a call that is cancelled may still be at work."""
    so_far.gather()


def recover(run_id: str | None = None) -> pd.DataFrame:
    """Return the rows that `sb.extract` had read when its kernel died, or whatever else ended it.

    Parameters
    ----------
    run_id : str, optional
        Which extraction, as `df.skillbook.run` and error messages have it; by default the newest that didn't come to
        its end.

    Returns
    -------
    DataFrame
        The rows as far as they were read, as on the page: typed, with where each cell came from, and an
        `IncompleteFrame` warning with the reason why there are no more. The newest 20 extractions are kept, also
        those that ended well (`SKILLBOOK_KEPT_EXTRACTIONS`).

    Raises
    ------
    ExtractionError
        There is no such extraction.

    Examples
    --------
    >>> sb.recover()  # doctest: +SKIP
    """
    kept = recover_rows(run_id)
    return _warned(make_frame(kept.columns, kept.rows, completeness=kept.completeness, run=kept.run))


def _log_of(page: Page | AioPage) -> RowLog:
    return RowLog.of(page.driver.browser.settings, page.driver.url)


async def _recorded_as_one_step(
    page: Page | AioPage, params: Mapping[str, Any], unsaid: Sequence[str], coro: Coroutine[Any, Any, T]
) -> T:
    """An extraction as one step of a recording, whatever it does to turn pages; `unsaid` is what no step can say."""
    if unsaid and page.driver.on_done is not None:
        coro.close()
        raise ExtractionError(
            f"a recorded step can't have {' and '.join(unsaid)}",
            hint="call rec.pause() before it, and rec.start() after it",
        )
    with page.driver.recorded_as("extract", {name: value for name, value in params.items() if value}) as done:
        result = await coro
        frame: Any = result
        done.frame = frame.copy() if hasattr(frame, "columns") else None  # the caller may change theirs
        return result


def _on_io(
    page: Page | AioPage, coro: Coroutine[Any, Any, T], so_far: PartialResult | None
) -> T | Coroutine[Any, Any, T]:
    """The frames, with a warning for those that aren't whole; `so_far` is shown while the caller waits."""
    shown = nullcontext(unshown) if so_far is None else AwaitedCall(so_far)
    if isinstance(page, AioPage):

        async def read() -> T:
            with shown as look:
                result = await io.wait(coro, look)
            return _warned(result)

        return read()
    with shown as look:
        result = io.sync(coro, meanwhile=look)
    return _warned(result)


def _warned(result: T) -> T:
    frames: list[Any] = result if isinstance(result, list) else [result]
    if isinstance(result, Tables) and not (result or result.complete):
        warnings.warn(f"nothing was read: {result.reason}", IncompleteFrame, stacklevel=4)
    for frame in frames:
        known = frame.skillbook
        if not (known.complete or known.reason.startswith(on_driver.PREVIEW)):
            name = f"{known.name}: " if known.name else ""
            warnings.warn(f"{name}{known.reason}", IncompleteFrame, stacklevel=4)
        for note in known.notes:
            if note.endswith(INVALID):
                warnings.warn(note, InvalidRows, stacklevel=4)
    return result
