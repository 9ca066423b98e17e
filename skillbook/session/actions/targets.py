"""From what a caller names — a ref, a node, an element, a role selector — to a ref on the page."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeAlias, runtime_checkable

from skillbook.errors import (
    AmbiguousMatch,
    InvalidParams,
    NoMatch,
    SkillbookError,
    StaleRef,
    UnknownRef,
)
from skillbook.perception.nodes import Node
from skillbook.perception.roles import DIALOGS, FIELDS, ITEMS
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.protocol.envelopes import SeenRecord
from skillbook.protocol.refs import is_ref
from skillbook.session.action import Resolved
from skillbook.session.actions.page_search import SEARCH_SECONDS, ListSearch, counts
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.seen_page import node_of, seen_target
from skillbook.session.page.unsettled import (
    ANSWER_SECONDS,
    RENDER_MS,
    SLICE_SECONDS,
    seconds_until_answered,
    seconds_until_shown,
    unsettled,
    wait_while,
)


@runtime_checkable
class HasRef(Protocol):
    """Anything with a ref: a `Node` of a snapshot, or an `Element` of a page."""

    @property
    def ref(self) -> str | None:
        """The ref, if it has one."""


Target: TypeAlias = str | HasRef


Finder: TypeAlias = Callable[[PageReader, Selector], Awaitable["Resolved | None"]]

FIND_SECONDS = 5.0
CLOSING_SECONDS = 0.7
"""How long a dialog may fade that has a match in it, too."""
_REPORT_MS = 100  # within which the browser reports what an act requested at once


async def resolve(
    page: PageReader, target: Target, *, timeout: float | None = None, find: Finder | None = None
) -> Resolved:
    """Find a target on the page.

    A selector is looked for on a fresh snapshot, again after every change until it matches or `timeout` seconds
    (`FIND_SECONDS` where it is None) are over. A list that shows a part of its items is scrolled through for it, within
    `SEARCH_SECONDS` where `timeout` is None. `find` is tried first, which needs no snapshot.

    Raises
    ------
    UnknownRef, StaleRef, NoMatch, AmbiguousMatch, SelectorSyntaxError.
    """
    ref = ref_of(target, page, page.snapshots.documents)
    if ref is not None:
        page.snapshots.check(ref, page.url)
        return Resolved(ref, page.node(ref))
    selector = str(target)
    seconds = FIND_SECONDS if timeout is None else timeout
    started = time.monotonic()
    deadline = started + seconds
    parsed = parse_selector(selector)
    if page.turned:
        page.turned = False
        await wait_while(seconds_until_answered, page, min(deadline, started + ANSWER_SECONDS))
    if page.edited and parsed.role not in FIELDS and counts(parsed):
        page.edited = False
        await wait_while(_is_unsettled, page, min(deadline, started + ANSWER_SECONDS))
    if page.acted and (counts(parsed) or selector in page.acted):
        page.acted.clear()
        await wait_while(_may_count_anew, page, min(deadline, started + ANSWER_SECONDS))
    if find is not None and (found := await find(page, parsed)) is not None:
        return found
    search, closing = ListSearch(page, parsed), ""
    while True:
        snapshot = await page.snapshot_for(parsed)
        try:
            node = snapshot.find(parsed)
        except NoMatch as error:
            last = deadline if timeout is not None else started + SEARCH_SECONDS
            goes_on = await search.scroll_on(snapshot, last)
            if not goes_on and not await page.changed_since(snapshot, deadline - time.monotonic()):
                error.message += f" (waited {seconds:.3g} s for it)"
                raise
            continue
        except AmbiguousMatch:
            left = min(deadline, started + CLOSING_SECONDS) - time.monotonic()
            outside = _outside_of_dialogs(snapshot, parsed)
            leaves = snapshot.activity is not None and snapshot.activity.leaving
            if not (outside or leaves) or not await page.changed_since(snapshot, left):
                raise
            closing = outside or closing
            continue
        if node.ref is None:
            raise InvalidParams(f"{selector!r} matches plain text", hint="name the element that contains it")
        if closing not in {"", node.ref}:
            raise AmbiguousMatch(
                f"several elements matched {selector!r} as the page changed", refs=[closing, node.ref]
            )
        if await search.is_settled(node.ref, snapshot):
            return await _seen_now(page, node)


async def _seen_now(page: PageReader, node: Node) -> Resolved:
    """A node that was found, as the latest snapshot has it; if that leaves it out, the page says its record."""
    ref = node.ref or ""
    if (known := node_of(page.latest, ref)) is not None:
        return Resolved(ref, known)
    data = await page.run("find_elements", {**page.snapshots.parts_wanted([ref]), "records": True})
    records = dict(data.get("records") or ())
    record = SeenRecord.model_validate(records[ref]) if ref in records else None
    return Resolved(ref, node, seen_target(node.name, record))


async def await_answer(
    page: PageReader, spec: Command, target: Target, found: Resolved, seconds: float | None
) -> bool:
    """Wait for what the last act requested before a control is used that names no record; whether there was a wait.

    "Next" brings another record under the same "Approve".
    """
    node = found.node
    if node is None or not isinstance(target, str) or is_ref(target) or not _may_be_of_another(spec, found):
        return False
    if parse_selector(target).within is not None or not seconds_until_answered(node.snapshot):
        return False
    most = ANSWER_SECONDS if seconds is None else min(seconds, ANSWER_SECONDS)
    await wait_while(seconds_until_shown, page, time.monotonic() + most)
    return True


def _may_be_of_another(spec: Command, found: Resolved) -> bool:
    """Whether a control may belong to whichever record a page shows; one in an item belongs to that.

    Fields for texts have waits of their own.
    """
    node = found.node
    if node is None or "editable" in node.states or not (spec.activates or spec.sets_value):
        return False
    record = found.seen.record if found.seen else None
    in_item = (record is not None and not record.before and not record.apart) or any(
        up.role in ITEMS | {"row"} for up in node.ancestors
    )
    return node.role == "button" or (node.role in FIELDS and not in_item)


def _outside_of_dialogs(snapshot: Snapshot, selector: Selector) -> str | None:
    """The one match that is in no dialog, if all others are: dialogs fade away, and show their buttons until then."""
    outside = [
        node
        for node in snapshot.find_all(selector)
        if not any(around.role in DIALOGS for around in node.ancestors)
    ]
    return outside[0].ref if len(outside) == 1 else None


def _is_unsettled(seen: Snapshot) -> float:
    return SLICE_SECONDS if unsettled(seen, False) else 0.0


def _may_count_anew(seen: Snapshot) -> float:
    """What a click requested may still take records away, or bring others.

    A number names another one then; so does the one "Approve" or "Next" of a page that shows record after record.
    """
    activity = seen.activity
    if activity is None:
        return 0.0
    acted, came = (math.inf if ms is None else ms for ms in (activity.acted_ms, activity.caused_ms))
    left_ms = max(_REPORT_MS - acted, RENDER_MS - came)
    return SLICE_SECONDS if activity.caused or activity.leaving else max(left_ms, 0.0) / 1000


def ref_of(target: Target, page: object, documents: Iterable[str]) -> str | None:
    """The ref that a target carries, or None where it is a role selector.

    Raises
    ------
    StaleRef : it is an element of another page.
    InvalidParams : it is no target at all.
    """
    if isinstance(target, str):
        return target if is_ref(target) else None
    owner = getattr(target, "driver", None)
    snapshot = getattr(target, "snapshot", None)
    if owner is not None and owner is not page:
        raise StaleRef("that element belongs to another page", hint="use the page it came from")
    if isinstance(snapshot, Snapshot) and not {doc.key for doc in snapshot.documents} & set(documents):
        raise StaleRef("that node belongs to another page or to a document that is gone")
    ref = getattr(target, "ref", None)
    if not isinstance(ref, str):
        raise InvalidParams(
            f"{target!r} can't be a target",
            hint="give a ref, an Element, a Node with a ref, or a role selector",
        )
    return ref


def known_node(snapshot: Snapshot | None, target: str) -> Node:
    """The node of a ref or role selector in a snapshot.

    Raises
    ------
    UnknownRef, StaleRef, NoMatch, AmbiguousMatch.
    """
    if snapshot is None:
        raise UnknownRef("there is no snapshot yet", hint="take one with page.snapshot()", ref=target)
    if not is_ref(target):
        return snapshot.find(target)
    if target not in snapshot:
        raise StaleRef(f"{target} isn't on the page any more", ref=target, url=snapshot.url)
    return snapshot[target]


class ActsAgain:
    """Whether an action that failed is done once more, on what its selector names by then.

    A page may replace an element between the search and the press. A ref names one element for good, so only a
    selector is searched for again, on the same page, and only if surely nothing was done. One that counts (`nth`) may
    name another record by then.

    Parameters
    ----------
    page : where.
    command, target : the action.
    seconds : how long an element that is replaced again and again is searched for.
    """

    def __init__(self, page: PageReader, command: str, target: Target | None, seconds: float) -> None:
        self.page, self.spec, self.url = page, COMMANDS[command], page.url
        self.target = target if isinstance(target, str) and not is_ref(target) else ""
        self.until = time.monotonic() + seconds
        self.refocused = False

    def after(self, error: SkillbookError) -> bool:
        """Whether it is done once more after this error."""
        if not self.target or self.page.url != self.url:
            return False
        stale = isinstance(error, StaleRef)
        if stale and error.data.get("reason") == "left":
            return time.monotonic() < self.until  # what took its place has its number, too
        if error.data.get("unsent") or (stale and error.data.get("reason") == "changed"):
            return time.monotonic() < self.until and not counts(parse_selector(self.target))
        if self.refocused or not self.spec.edits_text:
            return False
        # A field was replaced as it got the focus; text that was typed in part would be there twice.
        self.refocused = True
        lost = error.data.get("reason") == "focus_lost"
        return (lost or stale) if self.spec.sets_value else (lost and error.data.get("reached") == 0)
