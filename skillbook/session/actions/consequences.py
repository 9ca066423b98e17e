"""What an action causes beyond its command: dialogs, requests that are held for a decision, changes on the page.

An action's result counts only once these are over: a page that still waits for an answer shows nothing of what the
action did.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from skillbook.errors import DialogBlocked
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.result import ActionResult
from skillbook.session.page.page_reader import PageReader


async def answer_dialogs(page: PageReader, doing: Awaitable[Any], *, navigates: bool) -> Any:
    """An action's outcome, once dialogs on its way that a rule answers are answered."""
    try:
        data = await doing
    except DialogBlocked:
        answer = await page.dialogs.settled()
        if answer is None or not navigates:
            raise
        # The dialog held up a navigation, which went on, or was called off, with the answer.
        await page.run("wait_for", {"load": True})
        title = await page.run("get", {"what": "title"})
        url = await page.run("get", {"what": "url"})
        return {"url": url["value"], "title": title["value"], "elapsed_ms": answer["elapsed_ms"]}
    answer = await page.dialogs.settled()
    if answer is None or not data.get("dialog"):
        return data
    also = {name: data[name] or answer[name] for name in ("changed", "navigated")}
    return {
        **data,
        **also,
        "answered": True,
        "url": answer["url"],
        "opened_tabs": data["opened_tabs"] + answer["opened_tabs"],
    }


async def await_decisions(
    page: PageReader, data: dict[str, Any], before: Snapshot | None, *, navigates: bool
) -> dict[str, Any]:
    """An action's outcome, once the requests that it caused are decided on."""
    await page.requests.after_action()
    if not data.pop("awaits_decision", False) or page.closed:
        return data
    await page.run("wait_for", {"load": True})
    url = (await page.run("get", {"what": "url"}))["value"]
    if navigates:
        return {**data, "url": url, "title": (await page.run("get", {"what": "title"}))["value"]}
    data["busy"] = False
    after = await page.snapshot_if_readable()
    navigated = before is not None and after is not None and after.main.key != before.main.key
    return {**data, "url": url, "navigated": navigated, "changed": data["changed"] or navigated}


async def add_changes(
    page: PageReader, result: ActionResult, before: Snapshot | None, after: Snapshot | None
) -> ActionResult:
    """The result with what differs between the snapshots before and after."""
    blocked = result.dialog is not None and not result.data.get("answered")
    if blocked or before is None or page.closed:
        return result
    after = after or await page.snapshot_if_readable()
    if after is None:
        return result
    diff = after.diff(before)
    return replace(result, diff=diff, changed=result.changed or not diff.empty)
