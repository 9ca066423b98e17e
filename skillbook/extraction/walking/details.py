"""Fields of the pages behind rows: each row's link is opened in a tab of its own, one after the other."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urldefrag, urljoin

from skillbook.errors import (
    ConnectionLost,
    ExtractionError,
    NoMatch,
    SkillbookError,
    Stopped,
)
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.provenance import KeptCell, source_of
from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.reading.fields import FieldSpec, parse_fields
from skillbook.extraction.reading.plans import read_attribute
from skillbook.extraction.walking.extract_options import ExtractOptions, Pace, Progress
from skillbook.extraction.walking.nothing_found import (
    LONGEST_WAIT,
    MOST_TRIES,
    has_password_field,
    obstacle_on,
)
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.perception.collections import Cell, Row, cell_text
from skillbook.perception.escape import MOST_NAMED, clean, quote
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import CELLS, words
from skillbook.perception.selectors import build_locator, find_all, find_within
from skillbook.perception.snapshot import Snapshot

_LABELS = words("columnheader rowheader term")


def values_labelled(snapshot: BaseSnapshot, label: str) -> list[Cell]:
    """What stands after a label, of each place where it is one.

    A label is all that an element says, or what stands before a colon in a text. Cells of a table are a label and its
    value where they are alone in their row, or the first is a row's header.

    label: the whole label, without regard to case and to a colon at its end.
    """
    wanted = _folded(label)
    found: dict[int, Cell] = {}
    for index, name in enumerate(snapshot.folded_names):
        if not name.startswith(wanted):
            continue
        if _folded(name) == wanted:
            value = _value_after(snapshot, index)
            if value is not None:
                found.setdefault(value, Cell(cell_text(snapshot, value), snapshot, value))
        elif snapshot.columns.role[index] == "text":
            before, colon, rest = snapshot.clean_names[index].partition(":")
            if colon and _folded(before) == wanted and rest.strip():
                found.setdefault(index, Cell(rest.strip(), snapshot, index))
    return list(found.values())


def _value_after(snapshot: BaseSnapshot, index: int) -> int | None:
    """The next thing that says something, beside the label or beside what the label is all of."""
    roles = snapshot.columns.role
    at, label = index, clean(snapshot.columns.name[index])
    while (parent := snapshot.parents[at]) >= 0 and roles[at] != "columnheader":
        after = next(_saying(snapshot, at, parent), None)
        if after is not None:
            cells = [child for child in snapshot.child_indexes(parent) if roles[child] in CELLS]
            alone = at not in cells or roles[at] == "rowheader" or len(cells) == 2
            return after if alone and roles[after] not in _LABELS else None
        if clean(cell_text(snapshot, parent)) != label:
            return None
        at = parent
    return None


def _saying(snapshot: BaseSnapshot, at: int, parent: int) -> Iterator[int]:
    """What comes after a node in its parent, and says something."""
    after = snapshot.ends[at]
    while after < snapshot.ends[parent]:
        if cell_text(snapshot, after):
            yield after
        after = snapshot.ends[after]


def _folded(text: str) -> str:
    return clean(text).casefold().rstrip(" :：*")


class TabBeside:
    """A tab in the background, beside the page with the rows, which stays as it is.

    pace: how long to rest between pages; never less than the site's robots.txt or hints ask for.
    """

    def __init__(self, browser: Any, pace: Pace) -> None:
        self._browser = browser
        self._pace = pace
        self._tab: Any = None

    async def open(self, url: str) -> PageReading:
        """Go to an address, in the same tab each time."""
        delay = await self._browser.crawl_delay(url)
        await self._pace.rest(min(delay, LONGEST_WAIT))
        if self._tab is None or self._tab.closed:
            self._tab = await self._browser.open(url, active=False)
        else:
            await self._tab.act("goto", url=url)
        tab: PageReading = self._tab
        return tab

    async def close(self) -> None:
        """Close it."""
        if self._tab is not None and not self._tab.closed:
            await self._browser.close_page(self._tab)


@dataclass
class Details:
    """What to read of the page behind each row.

    follow: the row's link: a column, or a selector inside the row; None where there is only one.
    notes: what is worth knowing of the pages, a sentence each.
    """

    specs: Sequence[FieldSpec]
    follow: FieldSpec | None = None
    notes: list[str] = field(default_factory=list)
    _lost: Counter[str] = field(default_factory=Counter)
    _several: Counter[str] = field(default_factory=Counter)
    _read: int = 0

    @classmethod
    def of(
        cls, details: Mapping[str, str], follow: str | None, columns: Sequence[str], rows: Sequence[Row]
    ) -> Details:
        """From the caller's wishes, and the rows of the first page.

        Raises ExtractionError, SelectorSyntaxError: a column is there already, a field isn't one, no row has a link, or
            one has several.
        """
        specs = parse_fields(details)
        if taken := [spec.column for spec in specs if spec.column in columns]:
            raise ExtractionError(
                f"details= has the column {taken[0]!r}, which the rows have too", hint="call it otherwise"
            )
        wished = cls(specs, FieldSpec.parse("follow", follow) if follow else None)
        addresses = [wished.address(columns, row) for row in rows]
        if not any(addresses):
            raise ExtractionError(
                "no row has a link to another page to read details of",
                hint="rows that scripts open have none; name a link with follow=",
            )
        return wished

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [spec.column for spec in self.specs]

    def address(self, columns: Sequence[str], row: Row) -> str | None:
        """Where a row's link goes; None where it has none that leads to another page.

        Raises ExtractionError: it has several.
        """
        snapshot, first = row.node.snapshot, row.node.index
        places = range(first, snapshot.ends[first])
        if self.follow is not None and self.follow.label in columns:
            cell = row.cells[list(columns).index(self.follow.label)]
            link = cell.link if cell else None
            places = range(0) if link is None else range(link.index, link.index + 1)
        elif self.follow is not None and self.follow.selector is not None:
            found = find_within(snapshot, self.follow.selector, first)
            places = range(found[0], snapshot.ends[found[0]]) if found else range(0)
        page = snapshot.columns.document_at(first).url
        links: dict[str, Node] = {}
        for at in places:
            if href := snapshot.columns.extra.get(at, {}).get("href"):
                url = urldefrag(urljoin(page, href))[0]
                if url.startswith(("http://", "https://")) and url != urldefrag(page)[0]:
                    links.setdefault(url, snapshot.nodes[at])
        if len(links) > 1:
            named = ", ".join(quote(node.label, 40) for node in list(links.values())[:MOST_NAMED])
            raise ExtractionError(
                f"a row has links to {len(links)} pages ({named})",
                hint="name the one to follow: follow=, a column of the rows or a selector inside each",
            )
        return next(iter(links), None)

    async def read(
        self, source: Any, page: Snapshot, so_far: PartialResult, options: ExtractOptions, whole: Completeness
    ) -> Completeness:
        """Open each row's page and put its fields into the row.

        so_far: has the rows, and gets the columns.
        options: how long to rest between pages, and what is called with pages and rows so far.
        """
        tab = TabBeside(source.browser, options.pace)
        try:
            faults = await self._read_all(tab, so_far, not has_password_field(page), options.progress)
        finally:
            await asyncio.shield(tab.close())
        so_far.notes += self.notes
        reason = "; ".join([whole.reason, f"{self._read:,} pages behind them", *faults])
        return replace(whole, complete=whole.complete and not faults, reason=reason)

    async def _read_all(
        self, tab: TabBeside, so_far: PartialResult, signed_in: bool, progress: Progress | None
    ) -> list[str]:
        """The same; returns what is missing."""
        known = list(so_far.columns)
        urls = [self.address(known, row) for row in so_far.rows]
        blank: list[KeptCell | None] = [None] * len(self.specs)
        so_far.columns = [*known, *self.columns]
        so_far.rows[:] = [Row(row.node, [*row.cells, *blank]) for row in so_far.rows]
        seen: dict[str, Sequence[KeptCell | None] | str] = {}
        failures: list[str] = []
        for at, url in enumerate(urls):
            if url is None or len(failures) >= MOST_TRIES:
                continue
            if url not in seen:
                seen[url] = await self._page(tab, url, so_far, signed_in)
                failures = [*failures, url] if isinstance(seen[url], str) else []
            found = seen[url]
            if not isinstance(found, str):
                row = so_far.rows[at]
                so_far.rows[at] = Row(row.node, [*row.cells[: len(known)], *found])
                if so_far.log is not None:
                    so_far.log.add_details(self.columns, found, at)
            if progress:
                progress(so_far.pages + len(seen), len(so_far.rows))
        return self._faults(urls, seen)

    async def _page(
        self, tab: TabBeside, url: str, so_far: PartialResult, signed_in: bool
    ) -> Sequence[KeptCell | None] | str:
        """The fields of a page; in words why there are none."""
        waited = 0
        while True:
            try:
                page = await tab.open(url)
                await page.settled("rest")
                snapshot = await page.snapshot()
                obstacle = await obstacle_on(page, snapshot, signed_in)
                if obstacle is None:
                    return await self._fields(page, snapshot)
            except (Stopped, ConnectionLost, ExtractionError):
                raise
            except SkillbookError as error:
                return clean(error.message).rstrip(".")
            if not await obstacle.wait(so_far, waited, url):
                return obstacle.why
            waited += 1

    async def _fields(self, page: PageReading, snapshot: Snapshot) -> Sequence[KeptCell | None]:
        found = [_find(snapshot, spec) for spec in self.specs]
        for spec, nodes in zip(self.specs, found, strict=True):
            if len(nodes) > 1 and not self._read:
                raise _several(spec, nodes, snapshot)
            self._several[spec.column] += len(nodes) > 1
            self._lost[spec.column] += not nodes
        self._read += 1
        return [
            _kept(spec, nodes[0]) if len(nodes) == 1 else None
            for spec, nodes in zip(self.specs, found, strict=True)
        ]

    def _faults(self, urls: Sequence[str | None], seen: Mapping[str, object]) -> list[str]:
        """What is missing, in words."""
        faults = []
        if without := sum(url is None for url in urls):
            faults.append(f"{without:,} rows have no link to follow")
        failed = {url: why for url, why in seen.items() if isinstance(why, str)}
        if failed:
            sample = "; ".join(f"{url}: {why}" for url, why in list(failed.items())[:MOST_NAMED])
            faults.append(f"{len(failed):,} of {len(seen):,} pages could not be read ({sample})")
        if unopened := len({url for url in urls if url is not None} - set(seen)):
            faults.append(f"{unopened:,} pages were not opened after {MOST_TRIES} in a row had failed")
        for column in self.columns:
            if self._several[column]:
                faults.append(f"{column!r} names several elements on {self._several[column]:,} pages")
            if self._read and self._lost[column] == self._read:
                faults.append(f"no page has the field {column!r}")
            elif self._lost[column]:
                self.notes.append(f"{self._lost[column]:,} of {self._read:,} pages don't have {column!r}")
        return faults


def _find(snapshot: Snapshot, spec: FieldSpec) -> list[Cell]:
    """What a field names on a page; of several what is in its main part, if that is one."""
    found: list[Cell] = []
    if spec.selector is not None and not spec.is_only_label:
        found = [Cell.of(cell_text(snapshot, node.index), node) for node in find_all(snapshot, spec.selector)]
    if not found and spec.is_bare:
        found = values_labelled(snapshot, spec.label)
    if len(found) > 1:
        main = [cell for cell in found if cell.node and any(up.role == "main" for up in cell.node.ancestors)]
        found = main if len(main) == 1 else found
    return found


def _kept(spec: FieldSpec, found: Cell) -> KeptCell | None:
    """A field without the page that it was on: thousands of pages would not fit into memory."""
    if (node := found.node) is None:
        return None
    cell = read_attribute(node, spec.attribute, found.text)
    source = source_of(cell) if cell is not None else None
    if source is None:
        return None
    return KeptCell(source if source.selector else replace(source, selector=_locator(node)))


def _locator(node: Node) -> str:
    try:
        return str(build_locator(node))
    except NoMatch:
        return ""


def _several(spec: FieldSpec, found: Sequence[Cell], snapshot: Snapshot) -> ExtractionError:
    named = ", ".join(quote(cell.text, 40) for cell in found[:MOST_NAMED])
    return ExtractionError(
        f"{len(found)} elements of {snapshot.url} match {spec.label!r} for {spec.column!r}: {named}",
        hint="say what it is in, or which one: `heading in main`, `heading nth 1`",
        selector=spec.label,
        count=len(found),
    )
