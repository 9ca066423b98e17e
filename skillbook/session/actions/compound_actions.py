"""Actions that take more than one command: custom widgets, scrolling until, files to keep."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from skillbook.errors import AmbiguousMatch, CommandTimeout, InvalidParams, NoMatch, NotActionable, StaleRef
from skillbook.limits import READ_SECONDS
from skillbook.perception.nodes import Node
from skillbook.perception.roles import RECORDS
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.actions.custom_fields import choose_suggested, is_custom_slider, may_suggest, slide
from skillbook.session.actions.custom_select import choose, is_custom_widget, takes_text
from skillbook.session.actions.local_files import keep_file
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Looking

_SCREEN = 0.8
_UNSEEN = 2  # pixels: of what is there for screen readers and forms alone
_ROWS = RECORDS | {"option"}
_HOLDERS = frozenset({"table", "grid", "treegrid", "list", "listbox", "tree", "feed"})


async def execute(page: PageReader, action: PreparedAction) -> Any:
    """Do an action, by one command or by several; returns its result as the wire has it."""
    command, target, params = action.command, action.target, action.params
    do = partial(do_part, page, action)
    if command == "select" and target is not None and takes_text(target.node) and len(params["values"]) == 1:
        return await do("fill", target, value=params["values"][0])
    if command == "select" and target is not None and is_custom_widget(target.node):
        return await choose(page, target, params["values"], params.get("by"), do)
    if command == "select" and target is not None and may_suggest(target.node) and _is_one_name(params):
        return await choose_suggested(page, target, params["values"][0], do)
    if command == "fill" and target is not None and is_custom_slider(target.node):
        return await slide(page, target, str(params["value"]), do)
    if command == "scroll" and action.local.get("until"):
        return await scroll_until(page, action, str(action.local["until"]))
    if command == "scroll" and action.local.get("to_row") is not None:
        return await scroll_to_row(page, action, int(action.local["to_row"]))
    if command == "scroll" and params.get("to") == "end":
        return await scroll_on(page, action)
    try:
        data = await page.send(action)
    except InvalidParams:
        shown = await _list_beside(page, target) if command == "select" and _is_one_name(params) else None
        if shown is None:
            raise
        return await choose(page, shown, params["values"], params.get("by"), do)
    except NotActionable as error:
        if command == "fill" and error.data.get("reason") == "readonly" and action.secret is None:
            return await _fill_once_focused(target, str(params["value"]), do, error)
        instead = (
            _shown_list(target) if command == "select" and error.data.get("reason") == "not_taken" else None
        )
        if instead is not None and len(params["values"]) == 1 and params.get("by") != "value":
            return await choose(page, instead, params["values"], params.get("by"), do)
        boxes, value = error.data.get("boxes") or [], str(params.get("value", ""))
        if command != "fill" or len(boxes) != len(value) or action.secret is not None:
            raise
        return await fill_boxes(page, boxes, value, do)
    if command == "download":
        folder = action.local.get("folder") or page.browser.settings.downloads
        return {**data, "files": [await keep_file(file, folder) for file in data["files"]]}
    return data


def _is_one_name(params: Mapping[str, Any]) -> bool:
    return len(params["values"]) == 1 and params.get("by") in {None, "label"}


async def _fill_once_focused(
    target: Resolved | None, value: str, do: Callable[..., Any], error: NotActionable
) -> Any:
    """Fill in a field that is read-only until it has the focus, so that a browser doesn't complete it by itself."""
    await do("focus", target)
    try:
        return await do("fill", target, value=value)
    except NotActionable as again:
        raise (error if again.data.get("reason") == "readonly" else again) from None


def _shown_list(target: Resolved | None) -> Resolved | None:
    """The list made by a script that a hidden native one is in, which it only serves to send a form."""
    if target is None or target.node is None:
        return None
    for node in target.node.ancestors:
        if node.role == "combobox" and node.ref and is_custom_widget(node):
            return Resolved(node.ref, node)
    return None


async def _list_beside(page: PageReader, target: Resolved | None) -> Resolved | None:
    """The list made by a script that follows a native one which nobody sees, and which it only serves to send a form.

    Such a native list may get its options from a server, through the other one.
    """
    snapshot = await page.snapshot()
    if target is None or target.ref not in snapshot:
        return None
    native = snapshot[target.ref]
    at = snapshot.ends[native.index]
    is_hidden = (
        native.tag.partition(".")[0] == "select" and min(native.box.width, native.box.height) <= _UNSEEN
    )
    if not is_hidden or at >= len(snapshot):
        return None
    shown = snapshot.nodes[at]
    is_its_own = shown.parent == native.parent and shown.name in {"", native.name, native.value}
    is_list = shown.role == "combobox" and shown.ref is not None and is_custom_widget(shown)
    return Resolved(shown.ref or "", shown) if is_its_own and is_list else None


async def fill_boxes(page: PageReader, boxes: Sequence[str], value: str, do: Callable[..., Any]) -> Any:
    """Fill in a code whose characters have a field each."""
    outcome: Any = None
    for ref, character in zip(boxes, value, strict=True):
        outcome = await do("fill", Resolved(ref, page.node(ref)), value=character)
    return outcome


async def do_part(
    page: PageReader,
    whole: PreparedAction,
    command: str,
    target: Resolved | None,
    *,
    patience: float | None = None,
    **params: Any,
) -> Any:
    """Do one command of several that carry an action out: for the same actor, and approved where that is."""
    if target is not None and target.seen is not None and (node := page.node(target.ref)):
        # What an earlier part made of its name is no change.
        target = replace(target, seen=target.seen.model_copy(update={"name": node.name}))
    wire = {**params, "ref": target.ref} if target else params
    part = page.action(
        command,
        wire,
        target=target,
        actor=whole.call.actor,
        run=whole.run,
        timeout=whole.timeout,
        patience=patience,
    )
    part = replace(part, call=replace(part.call, with_secret=part.call.with_secret or whole.call.with_secret))
    return await page.send(part.approved() if whole.call.approved else part)


async def scroll_until(page: PageReader, action: PreparedAction, selector: str) -> Any:
    """Scroll down, a screen at a time, until a role selector matches; what it matches is brought into view.

    Raises NoMatch: the end came first. CommandTimeout : the time was over before that.
    Raises AmbiguousMatch: no target was given, and only some of several lists or grids could scroll.
    """
    target, do = action.target, partial(do_part, page, replace(action, timeout=None))
    seconds = action.timeout or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    at = None
    while True:
        snapshot = await page.snapshot_for(selector)
        found = next((node for node in snapshot.find_all(selector) if node.ref), None)
        if found is not None:
            return await do("scroll", Resolved(found.ref or "", found))
        target = target or _only_scroller(snapshot)
        # A page with a clock in it changes all the time; at its end it stays where it is.
        if _position(snapshot) == at:
            raise NoMatch(f"scrolled to the end, and nothing matches {selector!r}", selector=selector)
        if time.monotonic() >= deadline:
            raise CommandTimeout(
                f"scrolled for {seconds:g} s, not to the end, and nothing matches {selector!r} so far",
                hint="give a longer timeout, or call it again: it goes on from where it is",
                url=page.url,
            )
        at = _position(snapshot)
        height = target.node.box.height if target and target.node else snapshot.documents[0].viewport[1]
        try:
            await do("scroll", target, dy=max(50, int(height * _SCREEN)))
        except StaleRef as error:
            error.hint = "what scrolled out of view was recycled: name the list or grid, not something in it"
            raise
        await Looking(page, deadline - time.monotonic()).again(snapshot)


def _only_scroller(snapshot: Snapshot) -> Resolved | None:
    """The one list or grid that scrolls in a page that doesn't; None where the page does, or none of them."""
    main = snapshot.documents[0]
    if main.size[1] > main.viewport[1] + 1:
        return None
    boxes = [
        node
        for at, extra in snapshot.columns.extra.items()
        if "scroll" in extra and extra["scroll"][1] > extra["scroll"][3] + 1
        if (node := snapshot.nodes[at]).ref and node.role in _HOLDERS
    ]
    if len(boxes) > 1:
        names = ", ".join(f"{node.role} [{node.ref}]" for node in boxes[:5])
        raise AmbiguousMatch(
            f"the page itself does not scroll, and {len(boxes)} things in it do: {names}",
            hint="name the one to scroll",
            count=len(boxes),
        )
    return Resolved(boxes[0].ref or "", boxes[0]) if boxes else None


async def scroll_to_row(page: PageReader, action: PreparedAction, number: int) -> Any:
    """Scroll to the row that the page gives a number, in one or a few leaps, and bring it into view.

    Raises NoMatch: the page numbers no rows, or has none of this number. CommandTimeout.
    """
    target, do = action.target, partial(do_part, page, replace(action, timeout=None))
    seconds = action.timeout or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    at = None
    while True:
        snapshot = await page.snapshot()
        rows = _numbered_rows(snapshot, target)
        if not rows:
            raise NoMatch(
                "the page numbers no rows here",
                hint="scroll until something matches, or name the grid or list",
            )
        if number in rows:
            try:
                return await do("scroll", Resolved(rows[number].ref or "", rows[number]))
            except StaleRef:
                # Virtualised grids render their rows anew while they scroll.
                if time.monotonic() >= deadline:
                    raise
                continue
        first, last = min(rows), max(rows)
        here = (_position(snapshot), first, last)
        if here == at:
            raise NoMatch(f"there is no row {number}: those near to it are {first} to {last}", row=number)
        if time.monotonic() >= deadline:
            raise CommandTimeout(f"row {number} was not there within {seconds:g} s", url=page.url)
        at = here
        pitch = max((rows[last].box.y - rows[first].box.y) / max(last - first, 1), 1)
        near = first if number < first else last
        box = next((up for up in rows[near].ancestors if "scroll" in up.extra and up.ref), None)
        scrolled = Resolved(box.ref or "", box) if box else None
        await do("scroll", scrolled, dy=round((number - near) * pitch))
        await Looking(page, READ_SECONDS).again(snapshot)


def _numbered_rows(snapshot: Snapshot, target: Resolved | None) -> dict[int, Node]:
    """Rows and items by the numbers that the page gives them: in the target, else in what has most of them."""
    span = range(len(snapshot))
    if target is not None and target.ref in snapshot:
        index = snapshot[target.ref].index
        span = range(index, snapshot.ends[index])
    found: dict[int, dict[int, Node]] = {}
    for at, extra in snapshot.columns.extra.items():
        node = snapshot.nodes[at]
        if at in span and extra.get("posinset") and node.role in _ROWS and node.ref:
            holder = next((up.index for up in node.ancestors if up.role in _HOLDERS), -1)
            found.setdefault(holder, {}).setdefault(int(extra["posinset"]), node)
    return max(found.values(), key=len, default={})


def _position(snapshot: Snapshot) -> tuple[Any, ...]:
    """How far everything on a page is scrolled, and how much there is."""
    boxes = [tuple(extra["scroll"][1:3]) for extra in snapshot.columns.extra.values() if "scroll" in extra]
    return (_extent(snapshot)[1], *(document.scroll for document in snapshot.documents), *boxes)


async def scroll_on(page: PageReader, action: PreparedAction) -> Any:
    """Scroll to the bottom again and again, as long as that loads more.

    Raises CommandTimeout: it went on loading all the time.
    """
    target, do = action.target, partial(do_part, page, replace(action, timeout=None))
    seconds = action.timeout or page.browser.settings.command_timeout
    deadline = time.monotonic() + seconds
    snapshot = await page.snapshot()
    most = _extent(snapshot)
    while True:
        data = await do("scroll", target, to="bottom")
        looking = Looking(page, READ_SECONDS)
        while not _is_more(_extent(snapshot), most):
            if not await looking.again(snapshot):
                return data
            snapshot = await page.snapshot()
        if time.monotonic() >= deadline:
            raise CommandTimeout(
                f"scrolled for {seconds:g} s, and more was loaded all the time",
                hint="give a longer timeout, or scroll until what you look for is there",
                url=page.url,
            )
        most = _extent(snapshot)


def _extent(snapshot: Snapshot) -> tuple[int, int]:
    """How much a page has: nodes, and pixels downwards."""
    return len(snapshot), snapshot.documents[0].size[1]


def _is_more(now: tuple[int, int], before: tuple[int, int]) -> bool:
    return now[0] > before[0] or now[1] > before[1]
