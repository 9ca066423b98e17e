"""What an extraction is asked for: the arguments of `sb.extract`, among them those by which it stops and rests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from skillbook.errors import ExtractionError, SkillbookError
from skillbook.extraction.reading.fields import split_suffix
from skillbook.extraction.reading.schema import Mapper, Schema
from skillbook.limits import READ_SECONDS
from skillbook.perception.collections import Row
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot

Until = str | Callable[[list[dict[str, str | None]]], object]
"""A selector, or a function of the rows so far: a dict of texts for each."""
MET = "`until` was met"


@dataclass(frozen=True)
class Stop:
    """A condition after which nothing more is read.

    until: a selector that the page matches then, or a function of the rows so far that is true then; None for never.
    """

    until: Until | None = None

    def __post_init__(self) -> None:
        if isinstance(self.until, str):
            parse_selector(self.until)

    def met(self, columns: Sequence[str], rows: Sequence[Row], snapshot: Snapshot) -> bool:
        """Whether it holds now.

        Raises ExtractionError: the function failed.
        """
        if self.until is None:
            return False
        if isinstance(self.until, str):
            return bool(snapshot.find_all(self.until))
        texts = [
            {name: cell.text if cell else None for name, cell in zip(columns, row.cells, strict=False)}
            for row in rows
        ]
        try:
            return bool(self.until(texts))
        except SkillbookError:
            raise
        except Exception as error:
            raise ExtractionError(
                f"the function until= failed: {type(error).__name__}: {error}",
                hint="it gets the rows so far, a dict of texts (None where there is none) for each",
            ) from error


@dataclass
class Pace:
    """Keeps a number of seconds between pages.

    seconds: at least so many from one page to the next.
    """

    seconds: float = 0.0
    _last: float = field(default_factory=time.monotonic)

    async def rest_on(self, page: Snapshot) -> None:
        """Wait until the page after this one may be opened, also by the site's hints."""
        await self.rest(page.hints.crawl_delay if page.hints else 0.0)

    async def rest(self, seconds: float = 0.0) -> None:
        """Wait until the next page may be opened; so many seconds at least after the last one."""
        left = self._last + max(self.seconds, seconds) - time.monotonic()
        if left > 0:
            await asyncio.sleep(left)
        self._last = time.monotonic()


MAX_PAGES = 50
Fields = Mapping[str, str] | Sequence[str] | None
Progress = Callable[[int, int], object]
ForEach = str | Mapping[str, Sequence[str]]
"""The selector of a list; or such a selector and the options to go through."""


class ExtractKeywords(TypedDict, total=False):
    """The keywords of `sb.extract` for type checkers; `ExtractOptions` has what each is without one."""

    columns: Sequence[str]
    rows: range | None
    example: Any
    schema: Schema | None
    within: str | None
    scroll: bool
    next: str | bool | None
    max_pages: int | None
    preview: bool
    until: Until | None
    pause: float
    unique: bool | str | Sequence[str]
    typed: bool
    types: Mapping[str, type] | None
    na_values: Sequence[str]
    thousands: str | None
    parse_dates: Sequence[str]
    progress: Progress | None
    mapper: Mapper | None
    crops: bool
    details: Mapping[str, str] | None
    follow: str | None
    for_each: ForEach | None
    wait: float
    source: Literal["page", "network"]


@dataclass(frozen=True)
class ExtractOptions:
    """What to read, how far, and as what; see `skillbook.extract` for each.

    stop, pace: `until` and `pause` as they are applied.
    """

    fields: Fields = None
    columns: Sequence[str] = ()
    rows: range | None = None
    example: Any = None
    schema: Schema | None = None
    within: str | None = None
    scroll: bool = False
    next: str | bool | None = None
    max_pages: int | None = None
    preview: bool = False
    until: Until | None = None
    pause: float = 0.0
    unique: bool | str | Sequence[str] = False
    typed: bool = True
    types: Mapping[str, type] | None = None
    na_values: Sequence[str] = ()
    thousands: str | None = None
    parse_dates: Sequence[str] = ()
    progress: Progress | None = None
    mapper: Mapper | None = None
    crops: bool = False
    details: Mapping[str, str] | None = None
    follow: str | None = None
    for_each: ForEach | None = None
    wait: float = READ_SECONDS
    source: Literal["page", "network"] = "page"
    stop: Stop = field(init=False, repr=False)
    pace: Pace = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.fields, self.example, self.schema)) > 1:
            raise ExtractionError(
                "fields=, example= and schema= each say what the columns are",
                hint="leave out all but one; schema= also checks each row",
            )
        others = ("fields", "example", "schema", "details", "for_each")
        if self.columns and (given := [name for name in others if getattr(self, name) is not None]):
            raise ExtractionError(
                f"columns= and {given[0]}= both say what the columns are", hint="give one of them"
            )
        if isinstance(self.columns, str):
            object.__setattr__(self, "columns", [self.columns])
        self._check_rows()
        self._check_source()
        if self.limit < 1:
            raise ExtractionError(f"max_pages={self.limit} reads nothing", hint="give at least 1")
        object.__setattr__(self, "stop", Stop(self.until))
        object.__setattr__(self, "pace", Pace(self.pause))

    def _check_rows(self) -> None:
        given: Any = self.rows
        if given is None:
            return
        if not isinstance(given, range) or given.step != 1 or given.start < 0 or not given:
            raise ExtractionError(
                f"rows={given!r} names no rows",
                hint="give a range such as range(100, 120); 0 is the first row",
            )
        if others := [name for name in ("next", "for_each") if getattr(self, name)]:
            raise ExtractionError(
                f"rows= can't be counted over what {others[0]}= opens", hint="give one of them"
            )

    def _check_source(self) -> None:
        if self.source not in {"page", "network"}:
            raise ExtractionError(f"source={self.source!r} isn't known", hint="give 'page' or 'network'")
        others = ("rows", "scroll", "next", "until", "crops", "details", "for_each", "preview", "unique")
        if self.source == "network" and (given := [name for name in others if getattr(self, name)]):
            raise ExtractionError(
                f"source='network' reads all rows at once, without {given[0]}=", hint=f"leave {given[0]}= out"
            )

    @property
    def selectors(self) -> list[str]:
        """Whatever may be a selector in it."""
        fields = self.fields.values() if isinstance(self.fields, Mapping) else self.fields or ()
        each = self.for_each if isinstance(self.for_each, str) else next(iter(self.for_each or ()), None)
        given = [
            *fields,
            *(self.details or {}).values(),
            self.within,
            self.until,
            self.next,
            self.follow,
            each,
        ]
        return [split_suffix(text)[0] for text in given if isinstance(text, str)]

    @property
    def goes_back(self) -> bool:
        """Whether a list that is open at a later page is read from its first one."""
        is_part = self.max_pages is not None or self.until is not None or self.preview
        return self.next is True and self.for_each is None and not is_part

    @property
    def limit(self) -> int:
        """How many pages are read at most."""
        return MAX_PAGES if self.max_pages is None else self.max_pages
