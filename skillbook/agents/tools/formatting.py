"""Putting what happened into words for the model: short, and page text fenced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillbook.agents.context import RunContext
from skillbook.agents.fence import fence, fence_page
from skillbook.perception.diff import compare
from skillbook.protocol.snapshot import State

if TYPE_CHECKING:
    from skillbook.perception.nodes import AnySnapshot
    from skillbook.session.actions.result import ActionResult

PAGE_TOKENS = 4000
CHANGES = "What changed:\n"
"""What stands before what an action changed."""
_ANSWER_CHARACTERS = 4000
_DIFF_CHARACTERS = 6000
_BUSY = int(State.BUSY)


def page_text(snapshot: Any, mode: str = "full", budget: int = PAGE_TOKENS) -> str:
    """A page as the model sees it: address, title and the fenced tree."""
    text = snapshot.text(budget=budget, mode=mode)
    return fence_page(snapshot.url, snapshot.title, text)


def record_action(context: RunContext, result: ActionResult) -> None:
    """Note an action's outcome for the step's record."""
    notes = context.notes
    notes.url, notes.changed = result.url, result.changed
    notes.after = context.page.latest
    notes.summary = str(result)
    notes.extra |= {
        "node": result.target,
        "opened_tabs": result.opened_tabs,
        "dialog": result.dialog,
        "path": result.path,
    }


def after_action(context: RunContext, result: ActionResult) -> str:
    """What an action did, with what changed on the page or the new page."""
    parts = [f"{result.command}: done."]
    if "answer" in result.data:
        waits = "It fills in a form, which waits to be sent." if result.data["waits"] else ""
        parts.append(waits or f"It answered:\n{fence(str(result.data['answer'])[:_ANSWER_CHARACTERS])}")
    if result.opened_tabs:
        parts.append(f"It opened tabs {', '.join(map(str, result.opened_tabs))}: `tabs` switches to one.")
    latest, diff = context.page.latest, result.diff
    if latest is not None:
        latest = context.visible_to_ai(latest)
    if diff is not None:
        newer, older = context.visible_to_ai(diff.newer), context.visible_to_ai(diff.older)
        if newer is not diff.newer or older is not diff.older:
            diff = compare(older, newer)
    if result.dialog is not None:
        parts.append(
            f"A {result.dialog.kind} dialog holds the page; answer it with `handle_dialog`. It says:"
        )
        parts.append(fence(result.dialog.message))
    elif latest is not None and (result.navigated or (diff is not None and diff.navigated)):
        parts.append("The page is now:")
        parts.append(page_text(latest))
    elif diff is None or latest is None:
        parts.append(f"The page can't be read at the moment. Its address: {fence(result.url)}")
    elif diff.empty:
        parts.append("Nothing on the page changed.")
    else:
        changes = diff.text()
        if len(changes) > _DIFF_CHARACTERS:
            parts.append("Much of the page changed. It is now:")
            parts.append(page_text(latest))
        else:
            parts.append(f"{CHANGES}{fence(changes)}")
    if result.notes:
        parts.append(
            f"Fields that the page has changed since they were filled: {fence('; '.join(result.notes))}"
        )
    if latest is not None and result.dialog is None and (result.busy or is_busy(latest)):
        parts.append("The page is still busy: `wait_for` idle reads it when it is done.")
    return "\n".join(parts)


def is_busy(snapshot: AnySnapshot) -> bool:
    """Whether a page says of something in it that it is not done yet."""
    return any(flags & _BUSY for flags in snapshot.columns.flags)
