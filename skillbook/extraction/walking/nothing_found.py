"""Why a page shows no rows: it says that there are none, or the site is busy, has failed or wants a sign-in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus

from skillbook import lexicon
from skillbook.extraction.frames.completeness import MOST_TEXTS
from skillbook.extraction.frames.validation import is_pandera, kinds_of
from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.reading.fields import FieldSpec, parse_fields
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Place, best_field
from skillbook.extraction.walking.extract_options import ExtractOptions
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.limits import ENDING_SECONDS, READ_SECONDS
from skillbook.perception.collections import EmptyTable, Row, empty_tables
from skillbook.perception.collections.belonging import is_aside
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.page.act_requests import ActRequests

LONGEST_WAIT = 120.0
_LONGEST_SENTENCE = 200  # characters
MOST_TRIES = 3
"""Waits for one page, and pages in a row that fail: after that no more are opened."""
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


@dataclass(frozen=True)
class Obstacle:
    """Why a page is no page of rows.

    Parameters
    ----------
    why : what it is, in words.
    is_busy : whether it may be gone after a while.
    seconds : how long the page or its server asks to wait; None where neither says.
    """

    why: str
    is_busy: bool = False
    seconds: float | None = None

    async def wait(self, so_far: PartialResult, waited: int, before: str) -> bool:
        """Wait as long as is asked for; False where that is too long, or too often for what it is before."""
        # waited at first where the page says nothing; then twice as long each time
        seconds = READ_SECONDS * 2**waited if self.seconds is None else self.seconds
        if not self.is_busy or waited >= MOST_TRIES or seconds > LONGEST_WAIT:
            return False
        so_far.notes.append(f"waited {seconds:g} s before {before}: {self.why}")
        so_far.awaits = f"{before}, {seconds:g} s: {self.why}"
        await asyncio.sleep(seconds)
        return True


async def obstacle_on(
    page: PageReading, snapshot: Snapshot, was_signed_in: bool, *, is_new: bool = True
) -> Obstacle | None:
    """What stands in the way of reading a page that was just opened; None where nothing does.

    is_new: it is another document than the one before, with a status of its own.
    was_signed_in: the first page had no password field, so that one on a later page asks to sign in.
    """
    status = await page.status() if is_new else 0
    if status in _BUSY:
        asked = await page.retry_after()
        # The header has whole seconds: its 0 is less than one.
        seconds = seconds_to_wait(snapshot) if asked is None else max(asked, ENDING_SECONDS)
        too_long = (
            f" and asks to wait {seconds:g} s" if seconds is not None and seconds > LONGEST_WAIT else ""
        )
        return Obstacle(f"the site answered {named(status)}{too_long}", True, seconds)
    if status >= HTTPStatus.BAD_REQUEST:
        return Obstacle(f"the site answered {named(status)}")
    if was_signed_in and has_password_field(snapshot):
        return Obstacle("the page asks to sign in")
    return None


def busy_message_in(snapshot: Snapshot) -> Obstacle | None:
    """What a page says that has no new rows because it was asked too often; None where it says no such thing."""
    for text in _short_texts(snapshot):
        if lexicon.matches("too_many_requests", text):
            return Obstacle(f"the page says {text[:80]!r}", True, seconds_to_wait(snapshot))
    return None


def new_message_in(snapshot: Snapshot, before: Snapshot) -> str:
    """What a page says since it was last looked at that something failed; "" where it says no such thing."""
    known = set(_short_texts(before))
    errors = (
        text
        for text in _short_texts(snapshot)
        if text not in known and any(lexicon.matches(meaning, text) for meaning in ("error", "error_page"))
    )
    return next((f"the page says {text[:80]!r}" for text in errors), "")


def answer_failed(requests: ActRequests) -> Obstacle | None:
    """What the first request that failed came to, which a page's script sent for more rows; None where none did."""
    if not requests.failed:
        return None
    first = requests.failed[0]
    what = f"was answered {named(first.status)}" if first.status else f"broke ({first.error})"
    others = len(requests.failed) - 1
    more = f", and {others:,} more failed" if others else ""
    return Obstacle(f"a request for more {what}: {first.method} {first.url}{more}", first.status in _BUSY)


def has_password_field(snapshot: Snapshot) -> bool:
    """Whether there is a field for a password or another secret."""
    return any(flags & State.SECRET for flags in snapshot.columns.flags)


def named(status: int) -> str:
    """A status with its name."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def seconds_to_wait(snapshot: Snapshot) -> float | None:
    """After how many seconds a page says that it answers again."""
    for text in _short_texts(snapshot):
        if match := _when().search(lexicon.fold(text)):
            number, unit = match["number"] or match["first"], match["minutes"] or match["minutes_first"]
            return int(number) * (60.0 if unit else 1.0)
    return None


@cache
def _when() -> re.Pattern[str]:
    wait, minute = lexicon.alternation("wait_for"), lexicon.alternation("minute")
    second = lexicon.alternation("second")

    def time(number: str, minutes: str) -> str:
        return rf"(?P<{number}>(?<!\d)\d{{1,4}})\s*(?:(?P<{minutes}>m\b|{minute})|s\b|{second})"

    gap = r"[^.!?\d]{0,20}?"
    return re.compile(rf"{wait}{gap}{time('number', 'minutes')}|{time('first', 'minutes_first')}{gap}{wait}")


def _short_texts(snapshot: Snapshot) -> list[str]:
    columns = snapshot.columns
    texts = [columns.name[at] for at, role in enumerate(columns.role) if role == "text"][:MOST_TEXTS]
    return [clean(text) for text in texts if 0 < len(text) <= _LONGEST_SENTENCE]


_SAYING = {"heading", "status", "alert", "paragraph", "generic", "text", "strong", "emphasis"}
_LONGEST = 140  # characters; what is longer speaks of something else, too
_ASIDE = words("navigation banner contentinfo complementary dialog alertdialog search listbox")
_ZEROS = re.compile(r"\D{0,12}\b0\D{1,6}0\D{1,8}0\b")
"""Showing 0 to 0 of 0."""
_ZERO = re.compile(r"\W*0 ")
_FEW_WORDS = re.compile(r"(?: [^\s,.;:!]+){0,3} ")
_FRONT, _FIRST_PART = 12, 60  # characters
_PHRASE = 12  # characters; what is shorter says it at the front only


def says_nothing_found(text: str) -> bool:
    """Whether a short text says that a search or a list has nothing; a question doesn't."""
    folded = lexicon.fold(text)
    if len(folded) > _LONGEST or "?" in folded:
        return False
    if _ZEROS.match(folded):
        return True
    hits = lexicon.find(folded)
    counts = [hit.start for hit in hits if hit.meaning == "results"]
    none = [hit.end for hit in hits if hit.meaning == "none" and hit.start <= _FRONT]
    zero = _ZERO.match(folded)
    none += [zero.end() - 1] if zero else []
    if any(start >= end and _FEW_WORDS.fullmatch(folded[end:start]) for end in none for start in counts):
        return True
    phrases = (hit for hit in hits if hit.meaning == "nothing_found")
    return any(hit.start <= (_FIRST_PART if _is_phrase(folded, hit) else _FRONT) for hit in phrases)


def _is_phrase(folded: str, hit: lexicon.Hit) -> bool:
    return hit.end - hit.start >= _PHRASE or not folded[hit.start : hit.end].isascii()


def found_nothing(snapshot: BaseSnapshot, rows: Sequence[Row], within: Sequence[Node] | None = None) -> str:
    """The words in which a page, or a part of it, says beside these rows that it found nothing; "" where it doesn't.

    What a page's frame says (its head, foot, sides and dialogs) is of something else, such as a cart.
    """
    parts = (
        [(0, len(snapshot))] if within is None else [(one.index, snapshot.ends[one.index]) for one in within]
    )
    return next((message for part in parts if (message := _said_in(snapshot, rows, *part))), "")


def _said_in(snapshot: BaseSnapshot, rows: Sequence[Row], at: int, end: int) -> str:
    columns, ends = snapshot.columns, snapshot.ends
    skipped = {row.node.index for row in rows}
    first = rows[0].node.index if rows else None
    while at < end:
        role = columns.role[at]
        if at in skipped or role in _ASIDE:
            at = ends[at]
            continue
        holds_rows = first is not None and at < first < ends[at]
        if role in _SAYING and not holds_rows and ends[at] - at < _LONGEST and _is_seen(snapshot, at):
            text = clean(columns.name[at]) if role == "text" else clean(snapshot.text_of(at))
            if says_nothing_found(text) and not (first is not None and is_aside(snapshot, at, first)):
                return text
        at += 1
    return ""


def _is_seen(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether people see words: pages keep what they say of an empty list ready, and don't show it."""
    columns = snapshot.columns
    texts = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return not texts or not all(columns.flags[at] & State.UNSEEN for at in texts)


@dataclass(frozen=True)
class NoRows:
    """The plan of a page without rows.

    columns: those that the rows would have; empty where nothing says which.
    table: has the headers and no rows; None where words say it.
    """

    columns: Sequence[str]
    says: str
    table: EmptyTable | None = None

    def read(self, snapshot: Snapshot) -> list[Row]:
        """None, for a page that shows rows has another plan."""
        return []


def no_rows(snapshot: Snapshot, options: ExtractOptions) -> NoRows | None:
    """The plan of a page that is sure to have none of the rows; None where others may be meant.

    A table without rows is the one that is meant if it has the wanted columns, or if nothing else has rows. Words say
    it only if nothing else has rows.
    """
    if options.example is not None:
        return None
    nodes = Place.of(snapshot, options.within).nodes(snapshot)
    specs = None if options.fields is None else parse_fields(options.fields)
    tables = [table for table in empty_tables(snapshot) if _is_in(snapshot, nodes, table.node.index)]
    others = [each for each in collections_in(snapshot, nodes) if nodes is not None or not each.minor]
    fitting = [table for table in tables if _has_columns(table, specs, sure=bool(others))]
    if len(fitting) == 1:
        columns = fitting[0].fields if specs is None and options.schema is None else _columns(options, specs)
        return NoRows(columns, str(fitting[0]), fitting[0])
    if tables or others:
        return None
    message = found_nothing(snapshot, [], nodes)
    return NoRows(_columns(options, specs), f"the page says {quote(message, 80)}") if message else None


def _columns(options: ExtractOptions, specs: Sequence[FieldSpec] | None) -> list[str]:
    if specs is not None:
        return [spec.column for spec in specs]
    schema = options.schema
    if schema is None:
        return list(options.columns or [])
    return list(kinds_of(schema) if is_pandera(schema) else schema.model_fields)


def _has_columns(table: EmptyTable, specs: Sequence[FieldSpec] | None, *, sure: bool) -> bool:
    """Whether a table has the wanted columns, or `sure` isn't needed and nothing says that it lacks one."""
    if specs is None:
        return not sure
    if sure and not all(spec.is_only_label for spec in specs):
        return False
    return all(best_field(table.fields, spec.label) is not None for spec in specs if spec.is_only_label)


def _is_in(snapshot: Snapshot, nodes: Sequence[Node] | None, index: int) -> bool:
    return nodes is None or any(node.index <= index < snapshot.ends[node.index] for node in nodes)
