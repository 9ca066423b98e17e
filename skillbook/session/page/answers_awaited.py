"""Waits for what the last act requested: until that comes, a page shows what was there before."""

from __future__ import annotations

import time
from collections.abc import Callable

from skillbook.errors import SkillbookError
from skillbook.perception.nodes import BaseSnapshot
from skillbook.perception.snapshot import Snapshot
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
