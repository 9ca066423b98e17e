"""What an action causes a moment later belongs to what it did: menus, suggestions, animations, answers to requests."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from skillbook.errors import CommandTimeout, SkillbookError
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State
from skillbook.session.actions.result import ActionResult

REST_SECONDS = 2.0
"""So long a page is waited for that doesn't come to rest; most have half a second after what was done in them."""
_LEAST = 0.1
_BUSY = int(State.BUSY)


async def at_rest(page: Any, run: str | None, seconds: float = REST_SECONDS) -> None:
    """Wait until nothing changes any more and nothing is requested, in the document that is there then.

    Parameters
    ----------
    page : the driver of a page.
    run : the agent run's key in the journal.
    seconds : how long at most.
    """
    try:
        await page.wait_for(idle=True, timeout=max(seconds, _LEAST), actor="agent", run=run)
    except CommandTimeout:
        return  # a clock, or a page that asks its server all the time
    except SkillbookError:
        with suppress(SkillbookError):  # it went elsewhere meanwhile; whether it can be read is seen then
            await page.wait_for(load=True, actor="agent", run=run)


async def with_late_changes(page: Any, result: ActionResult, *, run: str | None) -> ActionResult:
    """The result of an agent's action once the page is at rest: what it shows by then counts.

    Parameters
    ----------
    page : the driver of its page.
    run : the agent run's key in the journal.
    """
    if result.dialog is not None or page.closed:
        return result
    diff = result.diff
    after = await _snapshot_at_rest(page, run, was_busy=diff is not None and is_busy(diff.older))
    if after is None or diff is None:
        return result
    late = after.diff(diff.older)
    return replace(
        result,
        diff=late,
        changed=result.changed or not late.empty,
        navigated=result.navigated or late.navigated,
        url=after.url,
    )


async def _snapshot_at_rest(page: Any, run: str | None, *, was_busy: bool) -> Snapshot | None:
    """The page once it is at rest and no longer says that it is busy; None where it can't be read."""
    end = time.monotonic() + REST_SECONDS
    while True:
        await at_rest(page, run, end - time.monotonic())
        await page.requests.decided()
        after: Snapshot | None = await page.snapshot_if_readable()
        if after is None or was_busy or not is_busy(after) or not await _goes_on(page, after, end):
            return after


async def _goes_on(page: Any, seen: Snapshot, end: float) -> bool:
    """Wait until a page differs from what was seen; False where it doesn't in time."""
    try:
        return bool(await page.changed_since(seen, end - time.monotonic()))
    except SkillbookError:
        return False


def is_busy(snapshot: BaseSnapshot) -> bool:
    """Whether a page says of something in it that it is not done yet."""
    return any(flags & _BUSY for flags in snapshot.columns.flags)
