"""Putting what happened into words for the model: short, and page text fenced."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from skillbook.agents.fence import fence, fence_page
from skillbook.agents.state.run_context import RunContext
from skillbook.perception.diff import SnapshotDiff, compare
from skillbook.perception.diff.snapshot_diff import short
from skillbook.protocol.snapshot import State
from skillbook.session.page.page_rest import marks_busy

if TYPE_CHECKING:
    from skillbook.session.actions.result import ActionResult
    from skillbook.session.page.act_requests import ActRequests

PAGE_TOKENS = 4000
_PAGE_TOKENS_FOR_CODE = 3000
"""Code names elements by selectors, so its pages need few refs, and it searches in a loop what is left out."""
CHANGES = "What changed:\n"
"""What stands before what an action changed."""
_ANSWER_CHARACTERS = 4000
_DIFF_CHARACTERS = 6000
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_SENT_LINES = 2
_PATH_CHARACTERS = 100


def page_text(context: RunContext, snapshot: Any, mode: str = "full") -> str:
    """A page as the model sees it, which knows it from now on: address, title and the fenced tree."""
    context.see(snapshot)
    if context.cells is None or context.outside_names is not None:  # calls name elements by refs
        text = snapshot.text(budget=PAGE_TOKENS, mode=mode)
    else:
        text = snapshot.text(budget=_PAGE_TOKENS_FOR_CODE, mode=mode, refs="needed")
    return fence_page(snapshot.url, snapshot.title, text)


def record_action(context: RunContext, result: ActionResult) -> None:
    """Note an action's outcome for the step's record."""
    notes = context.notes
    notes.url, notes.changed = result.url, result.changed
    if result.act is not None:
        note_act(context, result.act)
    notes.after = context.page.latest
    notes.summary, notes.value = str(result), result
    notes.extra |= {
        "node": result.target,
        "opened_tabs": result.opened_tabs,
        "dialog": result.dialog,
        "path": result.path,
        "files": result.paths,
        "requests": result.requests,
        "failed": list(result.failed),
        "metrics": result.measured[1] if result.measured else None,
    }


def note_act(context: RunContext, act: ActRequests) -> None:
    """Note what became of an act's requests: the call isn't done where these weren't."""
    context.notes.act, context.notes.error = act, act.error


def after_action(context: RunContext, result: ActionResult) -> str:
    """What an action did, with what changed on the page since the model saw it, or the new page."""
    parts = [_first_line(result)]
    if "answer" in result.data:
        waits = "It fills in a form, which waits to be sent." if result.data["waits"] else ""
        parts.append(waits or f"It answered:\n{fence(str(result.data['answer'])[:_ANSWER_CHARACTERS])}")
    if sent := _sent(result):
        parts.append(f"It sent:\n{fence(sent)}")
    if result.opened_tabs:
        parts.append(f"It opened tabs {', '.join(map(str, result.opened_tabs))}: `tabs` switches to one.")
    latest = context.page.latest
    if latest is not None:
        latest = context.visible_to_ai(latest)
    diff = _diff_since_seen(context, result)
    if result.dialog is not None:
        parts.append(
            f"A {result.dialog.kind} dialog holds the page; answer it with `handle_dialog`. It says:"
        )
        parts.append(fence(result.dialog.message))
    elif latest is not None and (result.navigated or (diff is not None and diff.navigated)):
        parts.append("The page is now:")
        parts.append(page_text(context, latest))
    elif diff is None or latest is None:
        parts.append(f"The page can't be read at the moment. Its address: {fence(result.url)}")
    elif diff.empty:
        parts.append(_nothing_changed(diff, result))
    else:
        parts.append(_changes(context, diff))
    if result.notes:
        parts.append(
            f"Fields that the page has changed since they were filled: {fence('; '.join(result.notes))}"
        )
    if latest is not None and result.dialog is None and (result.waits_for or marks_busy(latest)):
        parts.append("The page is still busy: `wait_for` idle reads it when it is done.")
        parts += [f"It waits for: {fence(result.waits_for)}"] if result.waits_for else []
    return "\n".join(parts)


def _first_line(result: ActionResult) -> str:
    """Whether an action was done, as its requests have it."""
    if result.refused:
        some = "some of what it sends" if result.act is not None and result.act.sent else "what it sends"
        return f"{result.command}: NOT done: {some} was refused."
    if result.failed:
        return f"{result.command}: the page got the input, but what it requested FAILED.\n{fence(result.problem)}"
    return f"{result.command}: done."


def _sent(result: ActionResult) -> str:
    """What an action sent that may have changed something, in at most two lines; what only read says nothing new."""
    sent = [
        each
        for each in result.requests
        if each.is_sent and each.method not in _READING and not each.by_itself
    ]
    lines = [f"{each.method} {_path(each.url)} {each.ending}" for each in sent]
    more = f" (and {len(lines) - _SENT_LINES} more)" if len(lines) > _SENT_LINES else ""
    return "\n".join(lines[:_SENT_LINES]) + more


def _path(url: str) -> str:
    path = urlsplit(url).path
    return path if len(path) <= _PATH_CHARACTERS else f"{path[:_PATH_CHARACTERS]}…"


def _diff_since_seen(context: RunContext, result: ActionResult) -> SnapshotDiff | None:
    """What changed since the model saw the page, which may have changed between two of its calls, too."""
    if result.diff is None:
        return None
    newer, older = context.visible_to_ai(result.diff.newer), context.visible_to_ai(result.diff.older)
    seen = context.seen
    if seen is not None and seen.main.key == older.main.key:
        older = seen
    if newer is result.diff.newer and older is result.diff.older:
        return result.diff
    return compare(older, newer)


def _changes(context: RunContext, diff: SnapshotDiff) -> str:
    changes = diff.text()
    if len(changes) > _DIFF_CHARACTERS:
        return f"Much of the page changed. It is now:\n{page_text(context, diff.newer)}"
    context.see(diff.newer)
    return f"{CHANGES}{fence(changes)}"


def _nothing_changed(diff: SnapshotDiff, result: ActionResult) -> str:
    """Say that the page has the same content, and what an action did to it nevertheless."""
    newer, older = diff.newer, diff.older
    target = result.target.ref if result.target is not None else None
    focused = next((node for node in newer.elements if node.flags & State.FOCUSED), None)
    is_elsewhere = focused is not None and focused.ref != target
    before = older[focused.ref] if focused is not None and focused.ref and focused.ref in older else None
    if focused is not None and is_elsewhere and not (before is not None and _has_focus(before)):
        return f"Nothing on the page changed, but the focus is now on:\n{fence(short(newer, focused.index))}"
    is_there = target is not None and target in newer and target in older
    if target is not None and is_there and _place(newer[target]) != _place(older[target]):
        return "Nothing on the page changed, but the element is at another place now."
    if target is not None and is_there and newer[target].classes != older[target].classes:
        marks = " ".join(newer[target].classes) or "none"
        return f"Only how the element looks changed, as that of a chosen option does. Its classes:\n{fence(marks)}"
    return "Nothing on the page changed."


def _has_focus(node: Any) -> bool:
    return bool(node.flags & State.FOCUSED)


def _place(node: Any) -> tuple[float, float]:
    """Where an element is in what it is in, whatever was scrolled."""
    outer = next((each.box for each in node.ancestors if each.ref), None)
    at = (outer.x, outer.y) if outer is not None else (0, 0)
    return node.box.x - at[0], node.box.y - at[1]


_CALL = re.compile(r"(`?)\b(?:page|sb|browser)\.([a-z_]+)\(([^()]*)\)(`?)")
_TOOL = re.compile(r"`([a-z_]+)`")


def with_calls(words: str, name_call: Callable[[str, list[str]], str | None]) -> str:
    """A hint with other words in place of its calls.

    name_call: called with a method's name and arguments; what stands in its place, or None to leave the call.
    """

    def named(found: re.Match[str]) -> str:
        arguments = [each.strip() for each in found[3].split(",") if each.strip() not in {"", "page"}]
        call = name_call(found[2], arguments)
        return found[0] if call is None else f"{found[1]}{call}{found[4]}"

    return _CALL.sub(named, words)


_CODE = re.compile(r"(?:^|[\s`(@])(?:page|sb|browser|skill|run)\.[a-z_]+")
_CLAUSES = re.compile(r"(; |, or |(?<=[.`]) (?=[A-Z]))")


def without_code(words: str) -> str:
    """A hint without its clauses of code: where nobody writes any, they help nobody."""
    clauses = _CLAUSES.split(words)
    kept = [at for at in range(0, len(clauses), 2) if not _CODE.search(clauses[at])]
    return "".join("".join(clauses[max(at - 1, 0) : at + 1]) if at != kept[0] else clauses[at] for at in kept)


def as_tools(words: str, names: Mapping[str, str]) -> str:
    """A hint with names of tools in place of its calls, and of the names that the tools have here.

    names: what each tool is called by whoever gets the hint.
    """
    calls = with_calls(words, lambda method, arguments: _tool_call(names.get(method), arguments))
    return _TOOL.sub(lambda found: f"`{names.get(found[1], found[1])}`", calls)


def _tool_call(name: str | None, arguments: list[str]) -> str | None:
    """A call by the tool's name, with the arguments that the hint names: `extract` with next=True."""
    named = ", ".join(each for each in arguments if "=" in each)
    return f"{name} with {named}" if name is not None and named else name
