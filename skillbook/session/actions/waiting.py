"""Waiting until a page shows, or is, what the caller wants."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from skillbook.errors import CommandTimeout, EvaluateRefused, InvalidParams
from skillbook.limits import SHOWN_SECONDS
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.session.page.page_reader import PageReader

IN_SNAPSHOTS = frozenset({"text", "text_gone", "selector"})
NAMES = ("url", "text", "text_gone", "selector", "idle", "load", "function", "seconds", "request")


async def wait_for(
    page: PageReader,
    conditions: Mapping[str, Any],
    timeout: float | None = None,
    *,
    actor: Actor = "person",
    approval: str | None = None,
    run: str | None = None,
) -> Snapshot | None:
    """Wait for exactly one condition; returns the snapshot that shows it, for text and selector.

    actor, approval, run: as for `PageDriver.act`; a function counts as `evaluate` does.
    Raises CommandTimeout: it didn't come true in time. InvalidParams : not exactly one condition.
    Raises EvaluateRefused: a function, where evaluate wasn't allowed. ApprovalRequired : one of an agent or a skill.
    """
    wanted = {name: value for name, value in conditions.items() if value not in (None, False)}
    unknown = wanted.keys() - set(NAMES)
    if len(wanted) != 1 or unknown:
        raise InvalidParams("wait_for takes exactly one condition", hint=f"one of {', '.join(NAMES)}")
    name, value = next(iter(wanted.items()))
    seconds = page.browser.settings.command_timeout if timeout is None else timeout
    if name == "idle":
        answer = await page.settled("rest", seconds, again=True)
        if answer.why:
            raise CommandTimeout(f"not at rest within {seconds:g} s: {answer.why}", url=page.url)
        if answer.state != "unknown":
            return None
        name = "load"  # a page that can't say fails with the reason, or knows at least that it is loaded
    if name == "seconds":
        await asyncio.sleep(value)
    elif name == "request":
        await page.network.wait(str(value), seconds)
    elif name in IN_SNAPSHOTS:
        return await _until_shown(page, name, str(value), seconds)
    else:
        if name == "function" and not page.browser.allow_evaluate:
            raise EvaluateRefused("evaluate isn't allowed in this browser")
        action = page.action(
            "wait_for", {name: value}, actor=actor, run=run, timeout=max(seconds, SHOWN_SECONDS)
        )
        if approval is not None:
            action = page.browser.gateway.redeem(approval, action)
        data = await page.send(action)
        page.moved_to(data["url"], page.title)
    return None


async def _until_shown(page: PageReader, name: str, value: str, seconds: float) -> Snapshot:
    deadline = time.monotonic() + seconds
    while True:
        snapshot = await (page.snapshot_for(value) if name == "selector" else page.snapshot())
        if _holds(snapshot, name, value):
            return snapshot
        if not await page.changed_since(snapshot, deadline - time.monotonic()):
            raise CommandTimeout(
                f"{name.replace('_', ' ')} {value!r}: not seen within {seconds:g} s", url=page.url
            )


def _holds(snapshot: Snapshot, condition: str, value: str) -> bool:
    """Whether a snapshot shows what is waited for: a "selector", a "text", or the lack of one ("text_gone")."""
    if condition == "selector":
        return bool(snapshot.find_all(value))
    return snapshot.has_text(value) == (condition == "text")
