"""Whether a page still gets what it shows, after an act or by itself; then reading waits, as acting does.

A snapshot says what still goes on (`Snapshot.activity`), so a page at rest costs no further question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.perception.collections import has_blank_rows_only
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.page.page_reader import UNREADABLE, PageReader

ANSWER_SECONDS = 3.0
"""How long at most."""
SLICE_SECONDS = 0.25
RENDER_MS = 250
"""Within which a page shows what came, or asks for its list again."""


async def await_answers(page: PageReader, seconds: float = ANSWER_SECONDS) -> None:
    """Wait before a page is read, once after each act; `seconds` at most, and not longer than `ANSWER_SECONDS`."""
    if seconds <= 0 or page.awaited == page.actions or page.requests.asking:
        return
    page.awaited = page.actions
    try:
        await wait_while(seconds_until_shown, page, time.monotonic() + min(seconds, ANSWER_SECONDS))
    except SkillbookError as error:
        if error.code not in UNREADABLE:
            raise


async def wait_while(seconds_left: Callable[[Snapshot], float], page: PageReader, deadline: float) -> None:
    """Wait while a page still shows what was there before, not what an action brings.

    `seconds_left` says after how long to look again, if nothing changes before: 0.0 where all is there.
    """
    while True:
        seen = await page.activity_seen()
        wait, left = seconds_left(seen), deadline - time.monotonic()
        if wait <= 0 or left <= 0:
            return
        await page.changed_since(seen, min(left, wait))


def seconds_until_answered(seen: BaseSnapshot) -> float:
    """What an action requested isn't answered yet."""
    return SLICE_SECONDS if seen.activity is not None and seen.activity.caused else 0.0


def seconds_until_shown(seen: BaseSnapshot) -> float:
    """What an action requested isn't answered yet, or was just now, and the page hasn't changed since."""
    activity = seen.activity
    if activity is None or activity.caused or activity.caused_ms is None:
        return seconds_until_answered(seen)
    has_changed = activity.quiet_ms < activity.caused_ms
    return 0.0 if has_changed else max(RENDER_MS - activity.caused_ms, 0.0) / 1000


READ_SECONDS = 5.0
"""How long reading waits at most for a page that is not at rest."""
STILL_LOADING = "it is still loading"
_QUIET_MS = 250
_STARTS_MS = (
    700  # a filter that waits for a pause in the typing has sent its request by then, and we know of it
)
FEW_ROWS = 3
"""Fewer rows may be what a page shows before the others come."""
_SHOWS_MS = 1_000  # for so long a page that always changes is waited for after an act, or after what it requested came
_SLICE_SECONDS = 0.25
_FRESH_SECONDS = 0.5  # a page that changes all the time is looked at no longer once its rows are there
_LONGEST_MARK = 40  # characters of a text that stands where something isn't there yet
_FEW_NODES = 12  # a head, a logo and a bar that turns
_BUSY = int(State.BUSY)


class Readable(Protocol):
    """A page that can be read and waited for."""

    async def snapshot(self) -> Snapshot:
        """Read the page now."""

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""


async def read_settled(
    page: Readable, count: Callable[[Snapshot], Awaitable[int]], seconds: float = READ_SECONDS
) -> tuple[Snapshot, str]:
    """A page's snapshot once nothing is on its way that may change what is read of it.

    Parameters
    ----------
    page : the page.
    count : how much is read of a snapshot; of nothing, or of fewer than `FEW_ROWS`, the rest may be missing.
    seconds : how long to wait at most.

    Returns
    -------
    The last snapshot, and why it may not show all yet; "" where nothing says so.
    """
    began = time.monotonic()
    deadline = began + seconds
    growth = _Growth()
    few_until = began  # till then it had next to nothing that is read
    while True:
        snapshot = await page.snapshot()
        # A page that shows nothing yet may fill itself from a timer, which nothing reports.
        may_begin = is_changing(snapshot, _SHOWS_MS) and time.monotonic() - began < _SHOWS_MS / 1000
        if not (may_begin or goes_on(snapshot)):
            return snapshot, ""
        amount = await count(snapshot)
        little = amount < FEW_ROWS
        few_until = time.monotonic() if little else few_until
        # A table may come before its pager, and nothing else says that there is more.
        is_fresh = is_changing(snapshot) and time.monotonic() - few_until < _FRESH_SECONDS
        why, grows = unsettled(snapshot, little), growth.goes_on(snapshot)
        left = deadline - time.monotonic()
        if left <= 0 or not (why or grows or is_fresh or (may_begin and not amount)):
            fault = is_fault(snapshot, little) or (grows and growth.was_seen)
            return snapshot, (why or STILL_LOADING) if fault else ""
        await page.changed_since(snapshot, min(left, _SLICE_SECONDS))


class _Growth:
    """Results that come one by one, each with a request of its own.

    Attributes
    ----------
    was_seen : whether a snapshot had more than the one before.
    """

    def __init__(self) -> None:
        self.was_seen = False
        self._grew_at, self._nodes, self._is_under_way = time.monotonic(), 0, False

    def goes_on(self, snapshot: BaseSnapshot) -> bool:
        """Whether more may come after this snapshot, each of which is given once."""
        now = time.monotonic()
        if len(snapshot) > self._nodes > 0:
            self.was_seen, self._grew_at = True, now
        self._nodes = len(snapshot)
        # Between an answer and the next request nothing is open.
        requests = self._is_under_way or has_open_requests(snapshot)
        self._is_under_way = requests and is_changing(snapshot) and now - self._grew_at < _SHOWS_MS / 1000
        return self._is_under_way


async def loaded_snapshot(
    page: PageReader, engine: str = "dom", *, timeout: float | None = None, wait: float = READ_SECONDS
) -> Snapshot:
    """A page's snapshot once it shows what the last act requested; one with next to nothing on it while it is loading.

    Parameters
    ----------
    engine, timeout : as for `PageReader.snapshot`.
    wait : seconds at most.
    """
    deadline = time.monotonic() + wait
    await await_answers(page, wait)
    while True:
        snapshot = await page.snapshot(engine, timeout=timeout)
        left = deadline - time.monotonic()
        # The browser may report what a page requests as it loads a moment after the page is there.
        is_shell = not snapshot.elements and bool(unsettled(snapshot, True))
        if left <= 0 or not _is_bare(snapshot) or not (is_shell or is_fault(snapshot, True)):
            return snapshot
        await page.changed_since(snapshot, min(left, _SLICE_SECONDS))


async def settled_snapshot(page: PageReader, wait: float) -> Snapshot:
    """A page's snapshot once nothing is on its way, for what says how much a page has."""

    async def count(snapshot: Snapshot) -> int:
        return 1 if _is_bare(snapshot) else FEW_ROWS

    snapshot, _ = await read_settled(page, count, wait)
    return snapshot


def _is_bare(snapshot: BaseSnapshot) -> bool:
    return len(snapshot) < _FEW_NODES


def goes_on(snapshot: BaseSnapshot) -> bool:
    """Whether anything in a page may be on its way, whatever is read of it."""
    return bool(unsettled(snapshot, True) or unsettled(snapshot, False))


def unsettled(snapshot: BaseSnapshot, is_little: bool) -> str:
    """Why what is read of a page may not be all yet; "" where nothing says so.

    What an act requests, no snapshot has to know at once: requests are reported by another way than what a page shows,
    and pages request from timers. So a page where somebody has just acted isn't at rest.
    """
    if is_fault(snapshot, is_little):
        return STILL_LOADING
    activity = snapshot.activity
    if activity is None:
        return ""
    if activity.leaving:
        return "changing"
    acted = math.inf if activity.acted_ms is None else activity.acted_ms
    if acted < _STARTS_MS:
        return "changing"
    came = math.inf if activity.caused_ms is None else activity.caused_ms
    return "changing" if is_changing(snapshot) and (is_little or min(acted, came) < _SHOWS_MS) else ""


def is_changing(snapshot: BaseSnapshot, moment_ms: float = _QUIET_MS) -> bool:
    """Whether something in a page changed a moment ago, or an answer came."""
    return snapshot.activity is not None and snapshot.activity.quiet_ms < moment_ms


def has_open_requests(snapshot: BaseSnapshot) -> bool:
    """Whether a page waits for an answer: its results may come one by one, each with a request of its own."""
    return snapshot.activity is not None and bool(snapshot.activity.open_ms)


def is_fault(snapshot: BaseSnapshot, is_little: bool) -> bool:
    """Whether more is known to be on its way than a page that merely changes, such as one with a clock.

    Much that is read may be of before an act, so requests count that it caused. Where little is read, all count, and
    so do marks of what is busy.
    """
    activity = snapshot.activity
    if activity is None:
        return False
    if activity.caused:
        return True
    return is_little and bool(activity.loading or activity.open_ms or says_busy(snapshot))


def says_busy(snapshot: BaseSnapshot) -> bool:
    """Whether a page marks something in it as busy, or says "Loading" in some language where nothing else stands.

    A table whose rows are all blank says so, too.
    """
    columns = snapshot.columns
    if any(flags & _BUSY for flags in set(columns.flags)):
        return True
    texts = (
        name
        for role, name in zip(columns.role, columns.name, strict=True)
        if role in {"text", "progressbar", "status"} and 0 < len(name) <= _LONGEST_MARK
    )
    return any(is_loading_text(text) for text in texts) or has_blank_rows_only(snapshot)


def is_loading_text(text: str) -> bool:
    """Whether a text says nothing but that something is loading."""
    return lexicon.is_all("loading", clean(text))
