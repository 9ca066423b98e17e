"""From what a caller names — a ref, a node, an element, a role selector — to a ref on the page."""

from __future__ import annotations

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
from skillbook.limits import PAGE_SECONDS, READ_SECONDS
from skillbook.perception.nodes import Node
from skillbook.perception.roles import DIALOGS
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.session.action import Resolved
from skillbook.session.actions.page_search import ListSearch, counts
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Looking
from skillbook.session.page.seen_page import node_of, seen_around


@runtime_checkable
class HasRef(Protocol):
    """Anything with a ref: a `Node` of a snapshot, or an `Element` of a page."""

    @property
    def ref(self) -> str | None:
        """The ref, if it has one."""


Target: TypeAlias = str | HasRef


Finder: TypeAlias = Callable[[PageReader, Selector], Awaitable["Resolved | None"]]


async def resolve(
    page: PageReader, target: Target, *, timeout: float | None = None, find: Finder | None = None
) -> Resolved:
    """Find a target on the page.

    A selector is looked for on a fresh snapshot, again after every change until it matches or `timeout` seconds
    (`READ_SECONDS` where it is None) are over. A list that shows a part of its items is scrolled through for it, within
    `PAGE_SECONDS` where `timeout` is None. `find` is tried first, which needs no snapshot.
    """
    ref = ref_of(target, page, page.snapshots.documents)
    if ref is not None:
        page.snapshots.check(ref, page.url)
        return Resolved(ref, page.node(ref))
    selector = str(target)
    seconds = READ_SECONDS if timeout is None else timeout
    started = time.monotonic()
    deadline = started + seconds
    parsed = parse_selector(selector)
    if find is not None and (found := await find(page, parsed)) is not None:
        return found
    search, closing, leaving = ListSearch(page, parsed), "", Looking(page, seconds)
    while True:
        snapshot = await page.snapshot_for(parsed)
        try:
            node = snapshot.find(parsed)
        except NoMatch as error:
            last = deadline if timeout is not None else started + PAGE_SECONDS
            goes_on = await search.scroll_on(snapshot, last)
            if not goes_on and not await page.changed_since(snapshot, deadline - time.monotonic()):
                error.message += f" (waited {seconds:.3g} s for it)"
                raise
            continue
        except AmbiguousMatch:
            outside = _outside_of_dialogs(snapshot, parsed)
            if (page.rest.is_known and not outside) or not await leaving.again(snapshot):
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
    found = await page.read_parts([ref], records=True)
    around = found.around.node(ref) if found is not None and found.around is not None else None
    return Resolved(ref, node, seen_around(node.name, around))


def _outside_of_dialogs(snapshot: Snapshot, selector: Selector) -> str | None:
    """The one match that is in no dialog, if all others are: dialogs fade away, and show their buttons until then."""
    outside = [
        node
        for node in snapshot.find_all(selector)
        if not any(around.role in DIALOGS for around in node.ancestors)
    ]
    return outside[0].ref if len(outside) == 1 else None


def ref_of(target: Target, page: object, documents: Iterable[str]) -> str | None:
    """The ref that a target carries, or None where it is a role selector.

    Raises StaleRef: it is an element of another page.
    Raises InvalidParams: it is no target at all.
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
    """The node of a ref or role selector in a snapshot."""
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
    """

    def __init__(self, page: PageReader, command: str, target: Target | None, seconds: float) -> None:
        self.page, self.spec, self.url = page, COMMANDS[command], page.url
        self.target = target if isinstance(target, str) and not is_ref(target) else ""
        self.until = time.monotonic() + seconds
        self.refocused = self.left_field = False

    def after(self, error: SkillbookError) -> bool:
        """Whether it is done once more after this error."""
        if error.data.get("reason") == "field_changed" and not self.left_field:
            self.left_field = True  # what it holds now is compared before the next press
            return True
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
