"""The rows that a page shows, read from the JSON answer that it got them from, with the rows after them."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from skillbook.errors import SkillbookError
from skillbook.extraction.frames.completeness import Completeness, claims_of
from skillbook.extraction.frames.dtypes import Typed
from skillbook.extraction.frames.provenance import KeptCell, Source
from skillbook.extraction.json_answers.json_rows import (
    MOST_LISTS,
    RecordList,
    Scalar,
    ScreenMatch,
    key_of,
    list_at,
    match_screen,
    record_lists,
    same,
    sure_field,
)
from skillbook.extraction.walking.extract_options import ExtractOptions
from skillbook.extraction.walking.first_page import FirstPage
from skillbook.extraction.walking.page_numbers import CURSORS, PAGES, ROWS
from skillbook.extraction.walking.pagers import find_next
from skillbook.perception.collections import Row
from skillbook.perception.escape import counted
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.secrets import MASK
from skillbook.session.page.network_driver import PageNetwork
from skillbook.session.page.request_log import LoggedRequest

if TYPE_CHECKING:
    import pandas as pd

_SIZES = frozenset(
    ["limit", "perpage", "pagesize", "size", "count", "take", "top", "rows", "length", "maxresults"]
)
_ENDS = frozenset({"endrow", "end", "to"})
_STARTS = ROWS | {"startrow", "startindex"}
MOST_ROWS = 10_000
"""Rows that one answer is asked for."""


def _is_in(name: str, names: frozenset[str]) -> bool:
    return name.lower() in names or key_of(name) in {key_of(each) for each in names}


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def with_query(url: str, **changed: str) -> str:
    """An address with other parameters."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode(query_of(url) | changed), fragment=""))


def is_first(url: str) -> bool:
    """Whether an address is that of the first records, as far as its parameters say."""
    for name, value in query_of(url).items():
        if _is_in(name, _STARTS) and value not in {"", "0"}:
            return False
        if _is_in(name, PAGES) and value not in {"", "0", "1"}:
            return False
        if _is_in(name, CURSORS) and value:
            return False
    return True


def larger(url: str, rows: int) -> str | None:
    """The same address for so many rows at once; None where it doesn't say how many it wants."""
    query = query_of(url)
    ends = [name for name in query if _is_in(name, _ENDS) and query[name].isdigit()]
    starts = [name for name in query if _is_in(name, _STARTS) and query[name].isdigit()]
    if ends and starts:
        return with_query(url, **{ends[0]: str(int(query[starts[0]]) + rows)})
    sizes = [name for name in query if _is_in(name, _SIZES) and query[name].isdigit()]
    return with_query(url, **{sizes[0]: str(rows)}) if len(sizes) == 1 else None


def following(url: str, answer: RecordList) -> Iterator[str]:
    """Addresses that may be of the records after an answer's, the surest first; all differ in the query alone."""
    yield from _linked(url, answer)
    query, count = query_of(url), len(answer.items)
    numbered = {name: int(value) for name, value in query.items() if value.isdigit()}
    ends = [name for name in numbered if _is_in(name, _ENDS)]
    for name, value in numbered.items():
        if _is_in(name, _STARTS):
            changed = {name: str(value + count)} | {end: str(numbered[end] + count) for end in ends}
            yield with_query(url, **changed)
        elif _is_in(name, PAGES):
            yield with_query(url, **{name: str(value + 1)})
    if any(_is_in(name, PAGES | _STARTS | CURSORS) for name in query):
        return
    for path, number in answer.around.items():
        name = path.rpartition(".")[2]
        if isinstance(number, bool) or not isinstance(number, int):
            continue
        if _is_in(name, PAGES):
            yield with_query(url, **{name: str(number + 1)})
        elif _is_in(name, _STARTS):
            yield with_query(url, **{name: str(number + count)})


def _linked(url: str, answer: RecordList) -> Iterator[str]:
    here = urlsplit(url)
    marks = []
    for path, value in answer.around.items():
        if not isinstance(value, str) or not value:
            continue
        name = key_of(path)
        if "prev" in name or "first" in name or "last" in name or "self" in name:
            continue
        there = urlsplit(urljoin(url, value))
        if "?" in value and (there.scheme, there.netloc, there.path) == (here.scheme, here.netloc, here.path):
            if there.query != here.query:
                yield urlunsplit(there._replace(fragment=""))
        elif "cursor" in name or "token" in name or key_of(path.rpartition(".")[2]) in {"next", "after"}:
            marks.append(value)
    names = [name for name in query_of(url) if _is_in(name, CURSORS)] or ["cursor"]
    for mark in marks:
        yield with_query(url, **{names[0]: mark})


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")


def typed_values(values: Sequence[Scalar]) -> Typed:
    """A column of JSON values; ISO dates become dates, and values of several kinds texts."""
    return Typed(_series(values))


def _series(values: Sequence[Any]) -> pd.Series[Any]:
    import pandas as pd

    given = [value for value in values if value is not None]
    kinds = {type(value) for value in given}
    is_whole = len(given) == len(values)
    if kinds == {bool}:
        return pd.Series(values, dtype="bool" if is_whole else "boolean")
    if kinds == {int} and max(abs(int(value)) for value in given) < 2**63:
        return pd.Series(values, dtype="int64" if is_whole else "Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    if kinds == {str} and all(_DAY.fullmatch(str(value)) for value in given):
        dates = pd.to_datetime(pd.Series(values), errors="coerce", format="ISO8601", utc=_has_zone(given))
        if dates.notna().sum() == len(given):
            return dates
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pd.Series(texts, dtype="str")


def _has_zone(values: Sequence[Scalar]) -> bool:
    return any(re.search(r"(?:Z|[+-]\d{2}:?\d{2})$", str(value)[10:]) for value in values)


_BY_SCRIPT = frozenset({"Fetch", "XHR"})


class AnsweredPage(Protocol):
    """A page whose network can be watched."""

    network: PageNetwork

    @property
    def url(self) -> str:
        """Its address."""

    async def run(self, command: str, params: Any) -> Any:
        """Send a command."""

    async def act(self, command: str, target: Any = None, **params: Any) -> Any:
        """Do something on the page."""


@dataclass(frozen=True)
class Answer:
    """A list of records that an address answered with."""

    url: str
    found: RecordList
    headers: dict[str, str]

    @property
    def totals(self) -> set[int]:
        """How many records there are, as far as the answer says so."""
        numbers = {
            self.headers.get("x-total-count", ""),
            self.headers.get("content-range", "").rpartition("/")[2],
        }
        return self.found.totals | {int(each) for each in numbers if each.isdigit()}


@dataclass(frozen=True)
class Behind:
    """The answer that the screen's rows came from."""

    entry: LoggedRequest
    answer: Answer
    match: ScreenMatch


@dataclass
class AnswerRows:
    """Rows of answers, as they are read."""

    columns: list[str]
    rows: list[Row] = field(default_factory=list)
    completeness: Completeness = field(default_factory=Completeness)
    known: dict[str, Typed] = field(default_factory=dict)


async def find_behind(page: AnsweredPage, columns: Sequence[str], rows: Sequence[Row]) -> Behind | None:
    """The newest answer whose records are the screen's rows; None where there is none."""
    texts = [[cell.text if cell else None for cell in row.cells] for row in rows]
    for entry in _candidates(page.network, page.url):
        try:
            answer = json.loads(await page.network.body(entry.n, raw=True))
        except (SkillbookError, ValueError):
            continue
        for found in record_lists(answer):
            match = await asyncio.to_thread(match_screen, columns, texts, found.records)
            if match is not None:
                headers = {name.lower(): value for name, value in entry.seen.headers.items()}
                return Behind(entry, Answer(entry.seen.url, found, headers), match)
    return None


def _candidates(network: PageNetwork, url: str) -> list[LoggedRequest]:
    """The JSON answers that the document of an address got by script, the newest first."""
    entries = list(reversed(network.log.entries))
    address = url.partition("#")[0]
    documents = [entry.seen.document for entry in entries if entry.seen.resource_type == "Document"]
    named = [entry.seen.document for entry in entries if entry.seen.url.partition("#")[0] == address]
    wanted = (named or documents or [""])[0]
    found = [
        entry
        for entry in entries
        if entry.seen.document == wanted
        and entry.seen.method == "GET"
        and entry.seen.status == 200
        and entry.seen.resource_type in _BY_SCRIPT
        and "json" in entry.seen.mime
    ]
    return found[:MOST_LISTS]


def hint_of(behind: Behind) -> str:
    """What a frame that was read from the screen says of the answer behind it."""
    totals = behind.answer.totals
    many = f"all {max(totals):,} of them" if len(totals) == 1 else "what it has"
    return f"the rows came from the page's request {behind.entry.n}: source='network' reads {many} from there"


async def read_behind(
    page: AnsweredPage, first: FirstPage, behind: Behind, options: ExtractOptions
) -> AnswerRows | str:
    """All rows of the answer behind the screen's; or why they can't be the screen's list."""
    claimed = claims_of(first.snapshot, first.rows).get("rows")
    totals = behind.answer.totals
    if claimed is not None and totals and claimed not in totals:
        return f"the page says {claimed:,} rows and the answer {max(totals):,}: the page chooses among them"
    reader = _Reader(page, behind.entry, options, first.snapshot, claimed)
    answers = await reader.read(behind.answer)
    return _rows_of(first, behind, answers, reader)


class _Reader:
    """Reads the answers after one, with the page's session."""

    def __init__(
        self,
        page: AnsweredPage,
        entry: LoggedRequest,
        options: ExtractOptions,
        shown: Snapshot,
        claimed: int | None,
    ) -> None:
        self._page, self._entry, self._options, self._shown = page, entry, options, shown
        self.claimed = claimed
        self.requests = 0
        self.ended = False
        self.stopped = ""

    def total(self, answers: Sequence[Answer]) -> int | None:
        """How many records there are; None where nothing says so, or two things are said."""
        totals = set().union(*(each.totals for each in answers)) or (
            {self.claimed} if self.claimed else set()
        )
        return next(iter(totals)) if len(totals) == 1 else None

    async def read(self, first: Answer) -> list[Answer]:
        """The first answer, or the same for more rows, and those after it."""
        answers = [first]
        total = self.total(answers)
        if total is not None and len(first.found.items) >= total:
            return answers
        answers = [await self._larger(first, total)]
        while not self._is_enough(answers):
            if self.requests >= self._options.limit:
                self.stopped = f"max_pages={self._options.limit}"
                break
            later = await self._next(answers)
            if later is None:
                break
            if not later.found.items:
                self.ended = True
                break
            answers.append(later)
        return answers

    def _is_enough(self, answers: Sequence[Answer]) -> bool:
        total = self.total(answers)
        return total is not None and sum(len(each.found.items) for each in answers) >= total

    async def _larger(self, first: Answer, total: int | None) -> Answer:
        """The first answer with as many rows as it may have; itself where the server gives no more at once."""
        wanted = min(total or MOST_ROWS, MOST_ROWS)
        url = larger(first.url, wanted)
        if url is None or not is_first(first.url):
            return first
        found = await self._fetch(url, first.found.path)
        items = first.found.items
        if found is None or len(found.found.items) <= len(items):
            return first
        is_same = all(same(one, other) for one, other in zip(items, found.found.items, strict=False))
        return found if is_same else first

    async def _next(self, answers: Sequence[Answer]) -> Answer | None:
        """The answer after these, whichever address has it; None where none has new records."""
        last = answers[-1]
        seen = {json.dumps(item, sort_keys=True) for answer in answers for item in answer.found.items}
        for url in dict.fromkeys(following(last.url, last.found)):
            found = await self._fetch(url, last.found.path)
            if found is None:
                continue
            new = [json.dumps(item, sort_keys=True) for item in found.found.items]
            if not new or seen.isdisjoint(new):
                return found
            self.stopped = "the next answer has records that came before"
        return None

    async def _fetch(self, url: str, path: str) -> Answer | None:
        await self._options.pace.rest_on(self._shown)
        if MASK in url:
            self.stopped = "the address has a secret in it"
            return None
        self.requests += 1
        try:
            data = await self._page.run("fetch_alike", {"id": self._entry.seen.id, "url": url})
        except SkillbookError as error:
            self.stopped = error.message
            return None
        if data["status"] != 200:
            self.stopped = f"the server answered {data['status']}"
            return None
        try:
            answer = json.loads(data["body"])
        except ValueError:
            is_masked = MASK in data["body"]
            self.stopped = "an answer has a secret's value in it" if is_masked else "an answer was no JSON"
            return None
        found = list_at(answer, path)
        headers = {each["name"].lower(): each["value"] for each in data["headers"]}
        return None if found is None else Answer(url, found, headers)


def _rows_of(first: FirstPage, behind: Behind, answers: Sequence[Answer], reader: _Reader) -> AnswerRows:
    records = [record for answer in answers for record in answer.found.records]
    notes, missing = [], []
    fields: dict[str, str] = {}
    for place, column in enumerate(first.plan.columns):
        known = behind.match.fields.get(column)
        sure = sure_field(column, known, records) if known else None
        if sure is not None:
            fields[column] = sure
            if column != sure:
                notes.append(f"{column!r} is the answer's {sure!r}")
        elif len({cell.text if (cell := row.cells[place]) else "" for row in first.rows}) > 1 or known:
            missing.append(f"column {column!r} isn't surely in the answer, and is left out")
    now, node = time.time(), first.rows[0].node
    made = AnswerRows(list(fields))
    for answer in answers:
        for place, record in enumerate(answer.found.records):
            cells = [_cell(answer, place, name, record.get(name), now) for name in fields.values()]
            made.rows.append(Row(node, cells))
    for column, name in fields.items():
        made.known[column] = typed_values([record.get(name) for record in records])
    others = [name for name in records[0] if name not in fields.values()]
    notes += [f"the answers also have {', '.join(others)}"] if others else []
    made.completeness = _assessed(first, answers, reader, missing, notes)
    return made


def _cell(answer: Answer, place: int, name: str, value: Scalar, now: float) -> KeptCell | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    path = f"{answer.found.path}[{place}].{name}"
    return KeptCell(Source(text, answer.url, "", None, path, now))


def _assessed(
    first: FirstPage, answers: Sequence[Answer], reader: _Reader, missing: Sequence[str], notes: list[str]
) -> Completeness:
    rows, total = sum(len(each.found.items) for each in answers), reader.total(answers)
    count = len(answers)
    reason = [f"read {counted(count, 'answer')} of the page's server, {rows:,} rows"]
    expected = {} if total is None else {"rows": total}
    more = find_next(first.snapshot, True, first.rows).unread
    is_all_shown = rows == len(first.rows) and not (reader.requests or more)
    if total is not None and rows != total:
        reason.append(f"the answer says {total:,}")
    elif total is None and not (reader.ended or is_all_shown):
        reason.append("nothing says how many there are")
    if reader.stopped and rows != total:
        reason.append(f"stopped: {reader.stopped}")
    complete = (rows == total if total is not None else reader.ended or is_all_shown) and not missing
    if len(first.rows) < rows:
        notes.append(f"the page shows {len(first.rows):,} of these rows at the moment")
    return Completeness(complete, "; ".join([*reason, *missing]), expected, notes)


async def answers_behind(
    page: AnsweredPage, read: Callable[[], Awaitable[FirstPage]], options: ExtractOptions
) -> tuple[FirstPage, AnswerRows | str]:
    """The page's rows, and those of the answer behind them; or why they are read from the page alone.

    A page whose answers weren't seen is gone to once more, by a GET of its address.
    """
    if not page.network.on:
        first = await _reopened(page, read)
        behind = await find_behind(page, first.plan.columns, first.rows)
    else:
        first = await read()
        behind = await find_behind(page, first.plan.columns, first.rows)
        if behind is None:
            first = await _reopened(page, read)
            behind = await find_behind(page, first.plan.columns, first.rows)
    if behind is None:
        return first, "no JSON answer surely has the rows that the screen shows, one after the other"
    return first, await read_behind(page, first, behind, options)


async def _reopened(page: AnsweredPage, read: Callable[[], Awaitable[FirstPage]]) -> FirstPage:
    await page.network.begin()
    await page.act("goto", url=page.url)
    return await read()
