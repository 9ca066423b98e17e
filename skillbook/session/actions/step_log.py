"""What the journal gets to know of a step after its outcome: locator, what the page did, a thumbnail."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from functools import partial
from weakref import WeakKeyDictionary

from skillbook.errors import SkillbookError
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.session.actions.result import ActionResult
from skillbook.session.gateway import Gateway
from skillbook.session.page.page_reader import PageReader

_LINES = 400
"""Tokens of the diff that the journal keeps."""
_LARGEST = 100_000
"""Nodes; on larger pages looking for a locator would hold the next action up."""
_MOMENT_S = 0.25
_PAUSE_S = 0.01
_QUALITY = 60
_WIDTH = 320
"""Pixels of a thumbnail."""
_waiting: WeakKeyDictionary[Gateway, asyncio.TimerHandle] = WeakKeyDictionary()
_tasks: set[asyncio.Task[None]] = set()
_log = logging.getLogger("skillbook.session")


def log_step(
    page: PageReader,
    result: ActionResult,
    before: Snapshot | None,
    actor: Actor,
    selector: str | None = None,
    *,
    unread: bool = False,
) -> None:
    """Add to the action's step where its element is found again and what came of it.

    `selector` is what the page itself found the element by; `unread` says that the page wasn't read after the action.
    """
    gateway = page.browser.gateway
    intent = gateway.take_intent(page.tab.id, result.command)
    if intent is None:
        return
    gateway.journal.later(partial(_note_seen, gateway, intent, result, selector or before, unread))
    if result.act is not None:
        result.act.journaled(gateway.journal, intent)
    wanted = page.browser.settings.thumbnails
    if wanted == "all" or (wanted == "agents" and actor == "agent"):
        task = asyncio.ensure_future(_take_thumbnail(page, intent))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


def _note_seen(
    gateway: Gateway, intent: int, result: ActionResult, before: Snapshot | str | None, unread: bool
) -> None:
    node = result.target
    if isinstance(before, str):
        gateway.journal.note(intent, "locator", gateway.secrets.redact(before))
    elif node is not None and before is not None and len(before.columns.number) <= _LARGEST:
        gateway.journal.note(intent, "locator", gateway.secrets.redact(str(build_locator(node))))
    seen: dict[str, object] = {"url": result.url, "navigated": result.navigated}
    if result.changed or not unread:
        seen["changed"] = result.changed
    if result.dialog is not None:
        seen["dialog"] = result.dialog.message
    if result.diff is not None:
        seen["diff"] = result.diff.text(_LINES)
    gateway.journal.note(
        intent, "observation", json.dumps(gateway.secrets.redact_data(seen), ensure_ascii=False)
    )


def put_off(gateway: Gateway) -> None:
    """Note nothing more meanwhile: an action begins, and finding things out would hold it up."""
    if (waiting := _waiting.pop(gateway, None)) is not None:
        waiting.cancel()


def catch_up_soon(gateway: Gateway) -> None:
    """Note what was put off once nothing has been done for a moment."""
    put_off(gateway)
    _waiting[gateway] = asyncio.get_running_loop().call_later(_MOMENT_S, _catch_up, gateway)


def _catch_up(gateway: Gateway) -> None:
    """Note one step, and the next after whatever else waits for this thread, such as an action that begins."""
    if gateway.journal.note_next():
        _waiting[gateway] = asyncio.get_running_loop().call_later(_PAUSE_S, _catch_up, gateway)


async def _take_thumbnail(page: PageReader, intent: int) -> None:
    """Take a small screenshot in the background; where that fails, the step has none."""
    gateway = page.browser.gateway
    try:
        options = {"format": "jpeg", "quality": _QUALITY, "max_width": _WIDTH}
        data = await gateway.run(page.action("screenshot", options, quiet=True))
        gateway.journal.note(intent, "thumbnail", base64.b64decode(data["data"]))
    except SkillbookError as error:
        _log.debug("no thumbnail of step %s: %s", intent, error)
