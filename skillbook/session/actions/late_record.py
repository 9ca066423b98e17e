"""Waits, before a form is filled in or sent, for the record that the action before brings into it."""

from __future__ import annotations

import time
from typing import Any

from skillbook.errors import SkillbookError
from skillbook.perception.nodes import Node
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.protocol.snapshot import Activity
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.page.answers_awaited import ANSWER_SECONDS
from skillbook.session.page.filled_fields import sets, value_of
from skillbook.session.page.last_act import (
    RECORD_SECONDS,
    TEXT_ROLES,
    LastAct,
    form_of,
    text_fields,
)
from skillbook.session.page.page_reader import PageReader

_SLICE_SECONDS = 0.1
_FIELDS: dict[str, Any] = {"roles": list(TEXT_ROLES)}


def act_before(page: PageReader) -> LastAct:
    """What an action has to leave behind of the page before it."""
    latest = page.latest if page.read_after == page.actions else None
    values = None if latest is None else {one.ref or "": value_of(one) for one in text_fields(latest.nodes)}
    return LastAct(page.url, page.snapshots.highest, values)


def act_after(before: LastAct, action: PreparedAction, *, navigated: bool) -> LastAct | None:
    """What an action may still bring; None if it only filled something in."""
    node = action.target.node if action.target else None
    if node is not None and sets(COMMANDS[action.command], node):
        return None
    followed = node is not None and node.role == "link"
    return LastAct(before.url, before.highest, before.values, navigated, followed)


async def await_record(page: PageReader, spec: Command, target: Resolved, seconds: float | None) -> bool:
    """Wait, before a form is filled in or sent, for the record that the last act brings; whether there was a wait.

    Parameters
    ----------
    page : where.
    spec, target : what is to be done, on which element.
    seconds : how long at most.
    """
    act, node, started = page.last_act, target.node, time.monotonic()
    if node is None or started - act.at > ANSWER_SECONDS:
        return False
    fills, sends = sets(spec, node), _may_send(spec, node)
    if not (sends or (fills and not act.filled)):
        return False
    most = ANSWER_SECONDS if seconds is None else min(seconds, ANSWER_SECONDS)
    waited = False
    try:
        if not await _may_wait(page, act):
            return False
        while True:
            snapshot = await page.snapshot()
            elapsed = time.monotonic() - started
            if target.ref not in snapshot or elapsed >= most:
                return waited
            form = form_of(snapshot[target.ref], page.filled.held, sends=sends)
            if not act.may_bring(form) or (elapsed >= RECORD_SECONDS and not act.is_pending(snapshot)):
                return waited
            waited = True
            # Values that a script sets are no change that is reported.
            await page.changed_since(snapshot, min(most - elapsed, _SLICE_SECONDS))
    except SkillbookError:
        return waited  # what is done next says why the page can't be read
    finally:
        act.filled = act.filled or fills


async def _may_wait(page: PageReader, act: LastAct) -> bool:
    """Whether the whole page has to be looked at, by its text fields alone."""
    data = await page.run("find_elements", page.snapshots.parts_wanted(()) | {"query": _FIELDS})
    part = page.part_of(data)
    if part is None:
        # There are fields in frames, or very many: each look is a walk of the page, so something must be on its way.
        activity = Activity.model_validate(data["activity"]) if data.get("activity") else None
        return act.navigated or act.followed or page.url != act.url or act.is_busy(activity)
    texts = text_fields(part.nodes)
    if act.navigated and not act.is_pending(part):
        texts = [one for one in texts if "form" in one.extra]
    # Of several forms one may show what is new, and another one not yet.
    return any(act.may_change(part, [one], len(texts)) for one in texts)


def _may_send(spec: Command, node: Node) -> bool:
    """Whether an action may send the form that a button is in; one that opens something doesn't."""
    presses = spec.activates or spec.submits or spec.presses_keys
    opens = "haspopup" in node.extra or {"expanded", "collapsed"} & set(node.states)
    return presses and node.role == "button" and not opens
