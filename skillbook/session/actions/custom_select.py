"""Choosing options of custom lists: ARIA listboxes, and comboboxes or buttons that open one."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch, NotActionable, StaleRef
from skillbook.limits import ANSWER_SECONDS, READ_SECONDS, SHOWN_SECONDS
from skillbook.perception.forms import on_one_line
from skillbook.perception.nodes import Node
from skillbook.perception.roles import FIELDS
from skillbook.perception.selectors import Name, Selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import Resolved
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Looking

Do = Callable[..., Awaitable[Any]]


class Pick(Protocol):
    """Finds an option in a snapshot; `before` is the page before the list was opened, None where it wasn't."""

    def __call__(
        self, snapshot: Snapshot, target: Resolved, value: str, before: Snapshot | None
    ) -> Node | None:
        """The option that a value names; None while there is none."""


OPTION_ROLES = ("option", "menuitemradio", "menuitemcheckbox", "menuitem", "treeitem", "listitem")
TRIES = 3
_NEAR = 60  # pixels between a field and the list that it opens
_UNSEEN = 2  # pixels: of what is there for screen readers and keys alone


def is_custom_widget(node: Node | None) -> bool:
    """Whether an element is a list made by a script, rather than a native `select`."""
    if node is None or node.tag[:6] == "select":
        return False
    opens_list = node.role == "textbox" and node.extra.get("haspopup") == "listbox"
    return opens_list or node.role in {"combobox", "listbox", "button", "menu"}


def takes_text(node: Node | None) -> bool:
    """Whether an element is a native field with suggestions (`<input list>`): the browser shows these, not the page."""
    if node is None or node.role != "combobox" or node.tag.partition(".")[0] != "input":
        return False
    return not {"collapsed", "expanded"} & set(node.states) and "haspopup" not in node.extra


async def choose(page: PageReader, target: Resolved, values: Sequence[str], by: str | None, do: Do) -> Any:
    """Open the list where it is closed, and click each option that isn't chosen already.

    values: what its options are called, or their numbers from 0 where `by` is "index".
    by: "label", "index" or None.
    do: does an action on an element, by the action's name.
    Raises NoMatch, AmbiguousMatch: no single option of that name showed within five seconds.
    Raises InvalidParams: by "value", which options of custom lists don't have.
    """
    if by == "value":
        raise InvalidParams("this list's options have no values", hint="choose by label or by index")
    pick = _numbered if by == "index" else _option
    outcome: Any = None
    opened: Snapshot | None = None
    option: Node | None = None
    last: Node | None = None
    clicked: list[str] = []
    first = await page.snapshot()
    for value in values:
        snapshot = await page.snapshot()
        # One that is closing still shows its options for a moment.
        option = None if _is_closed(snapshot, target) else pick(snapshot, target, value, opened)
        if option is None and opened is not None:
            option = _substitute(snapshot, opened, value)
        if option is None:
            if opened is None or not _is_open(snapshot, target):
                await _gone(page, target, last)
                outcome = await _open(target, do)
            opened = opened or snapshot
            try:
                option = await _appearing(page, target, value, pick, do, opened)
            except NoMatch:
                # Lists of several choices often leave out what is chosen already.
                now = await page.snapshot()
                if target.ref not in now or not shows_beside(now[target.ref], value):
                    await _closed(page, target, do)
                    raise
                continue
        for tries in range(TRIES, 0, -1):
            if _is_chosen(option, opened or snapshot, target, value):
                outcome = outcome or await do("hover", Resolved(option.ref or "", option))
                break
            try:
                again = partial(pick, target=target, value=value, before=opened)
                outcome = await _press(page, option, do, target, again, value)
                clicked.append(option.name)
                break
            except (StaleRef, NotActionable) as error:
                # Virtual lists render their options anew as they are scrolled; others close by themselves.
                if tries == 1 or error.data.get("reason", "hidden") != "hidden":
                    raise
                now = await page.snapshot()
                if _is_closed(now, target):
                    outcome = await do("click", target)
                opened = opened or now
                option = await _appearing(page, target, value, pick, do, opened)
        last = option if opened is not None and (option.ref or "") not in opened else None
    if opened is not None and not _is_open(opened, target):
        await _closed(page, target, do)
    await _gone(page, target, last)
    if len(clicked) > 1:
        await _require_all(page, target, clicked, first)
    return outcome


async def _open(target: Resolved, do: Do) -> Any:
    """Open a list by a click, or by the key that opens it where it lies under what its page shows instead of it."""
    # Nobody sees a field of a pixel, so nothing that covers it will make way.
    box = target.node.box if target.node is not None else None
    is_unseen = box is not None and max(box.width, box.height) <= _UNSEEN
    try:
        return await do("click", target, patience=SHOWN_SECONDS if is_unseen else None)
    except NotActionable as error:
        if error.data.get("reason") != "covered" or target.node is None:
            raise
        return await do("press", target, key="Enter" if target.node.role == "button" else "ArrowDown")


async def _require_all(page: PageReader, target: Resolved, chosen: Sequence[str], before: Snapshot) -> None:
    """Refuse where the page came to show the last choice and not one before it: its list takes one."""
    snapshot = await page.snapshot()
    *earlier, last = (
        _times_shown(snapshot, target, name) > _times_shown(before, target, name) for name in chosen
    )
    if not last or all(earlier):
        return
    raise NotActionable(
        f"the list took one choice of {len(chosen)}: it shows {chosen[-1]!r} alone",
        hint="choose one option; this list takes no more",
        reason="not_taken",
    )


def _times_shown(snapshot: Snapshot, target: Resolved, name: str) -> int:
    """How often a page shows a name outside of options, the list's own text included."""
    wanted = name.casefold()
    shown = sum(node.name.casefold() == wanted and not _is_in_option(node) for node in snapshot.nodes)
    if target.ref not in snapshot:
        return shown
    field = snapshot[target.ref]
    own = f"{field.name} {field.value or ''} {field.text}".casefold()
    # Not the letter that is in another word.
    return shown + (re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", own) is not None)


async def _press(
    page: PageReader,
    option: Node,
    do: Do,
    target: Resolved,
    again: Callable[[Snapshot], Node | None],
    value: str,
) -> Any:
    """Click an option; once more where that took away a choice that showed in the list alone."""
    before = await page.snapshot()
    outcome = await do("click", Resolved(option.ref or "", option))
    if "selected" not in option.states:
        return outcome
    now = await page.snapshot()
    left = None if _is_closed(now, target) else again(now)
    if left is None or "selected" in left.states:
        return outcome
    if _times_shown(now, target, value) > _times_shown(before, target, value):
        return outcome
    return await do("click", Resolved(left.ref or "", left))


def _is_chosen(option: Node, before: Snapshot, target: Resolved, value: str) -> bool:
    """Whether an option is chosen, rather than only the one that Enter would choose, which some lists call selected.

    Lists of several choices say which are chosen; others show the choice also while they are closed.
    """
    if "checked" in option.states:
        return True
    if "selected" not in option.states:
        return False
    holder = _list_of(option)
    if holder is not None and "multiselectable" in holder.states:
        return True
    return target.ref in before and any(_shows(before[target.ref], name) for name in (value, option.name))


def _shows(field: Node, name: str) -> bool:
    """Whether a list shows a name as its choice; another list beside it may show the same one."""
    wanted = name.casefold()
    return wanted in {(field.value or "").casefold(), field.text.casefold()} or shows_beside(field, name)


def shows_beside(field: Node, value: str) -> bool:
    """Whether a list shows a choice beside its field: in what holds no other field, or next to it on one line."""
    snapshot, wanted = field.snapshot, value.casefold()
    if wanted == field.name.casefold():
        return False
    for around in field.ancestors:
        inside = [snapshot.nodes[at] for at in range(around.index + 1, snapshot.ends[around.index])]
        if any(each.role in FIELDS and each.ref != field.ref for each in inside):
            break
        if any(each.name.casefold() == wanted and not _is_in_option(each) for each in inside):
            return True
    beside = [at for at in (field.index - 1, snapshot.ends[field.index]) if 0 <= at < len(snapshot)]
    return any(
        snapshot.folded_names[at] == wanted
        and snapshot.columns.role[at] in {"text", "generic"}
        and on_one_line(snapshot.nodes[at], field)
        for at in beside
    )


def _is_in_option(node: Node) -> bool:
    return any(part.role in {*OPTION_ROLES, "heading"} for part in (node, *node.ancestors))


async def _appearing(
    page: PageReader, target: Resolved, value: str, pick: Pick, do: Do, before: Snapshot
) -> Node:
    """The option once it shows: as the list opens, as it is searched, or as it is scrolled."""
    deadline = time.monotonic() + READ_SECONDS
    looking = Looking(page, READ_SECONDS)
    is_field = target.node is not None and "editable" in target.node.states
    field = target if is_field else None
    searches = [value, ""] if is_field and pick is _option else []
    seen: list[str] = []
    shut = False
    while True:
        snapshot = await page.snapshot()
        option = pick(snapshot, target, value, before) or _substitute(snapshot, before, value)
        if option is not None:
            return option
        rows = _rows(snapshot, before) or _options_in(snapshot, target)
        if field is None and pick is _option and (field := _search_field(snapshot, before)) is not None:
            searches = [value, ""]
        if await looking.again(snapshot):
            continue
        # A list that was still closing shows what it showed before.
        option = None if rows else pick(snapshot, target, value, None)
        if option is not None and _may_be_of(option, target):
            return option
        if len(searches) < 2 and rows and rows[-1].name not in seen:
            # Virtual lists render only what is in view.
            seen += [row.name for row in rows if row.name not in seen]
            with suppress(StaleRef):  # "no results" makes way for what a server answers
                await do("scroll", Resolved(rows[-1].ref or "", rows[-1]))
            deadline = max(deadline, time.monotonic() + READ_SECONDS)
        elif not shut and not rows and _has_lost_options(before, snapshot):
            # It was open, and didn't say so.
            shut, before = True, snapshot
            await do("click", target)
        elif searches:
            await do("fill", field, value=searches.pop(0))
        else:
            # A list at rest won't get this one.
            raise NoMatch(
                f"the list has no option {value!r}",
                hint=f"its options are {', '.join(map(repr, seen[:10]))}" if seen else "it showed no options",
                options=seen[:10],
            )
        looking = Looking(page, deadline - time.monotonic())


def _may_be_of(option: Node, target: Resolved) -> bool:
    """Whether an option that showed before its list was opened may be that list's, and surely no other one's."""
    snapshot = option.snapshot
    if target.ref not in snapshot:
        return False
    field, holder = snapshot[target.ref], _list_of(option)
    if any(up.role == "combobox" and up.ref != field.ref for up in option.ancestors):
        return False
    return field in option.ancestors or is_beside(field, [option] if holder is None else [holder])


def is_beside(field: Node, rows: Sequence[Node]) -> bool:
    """Whether rows begin below a field or end above it, as a list that it opens does."""
    box = field.box
    top, bottom = min(row.box.y for row in rows), max(row.box.y + row.box.height for row in rows)
    is_under = any(row.box.x < box.x + box.width and box.x < row.box.x + row.box.width for row in rows)
    below, above = top - (box.y + box.height), box.y - bottom
    return is_under and (-_NEAR < below < _NEAR or -_NEAR < above < _NEAR)


def _search_field(snapshot: Snapshot, before: Snapshot) -> Resolved | None:
    """The field of an open list that it is searched by, which came with it and has the focus."""
    found = [
        node
        for node in snapshot.nodes
        if {"focused", "editable"} <= set(node.states) and has_come(node, before)
    ]
    return Resolved(found[0].ref or "", found[0]) if len(found) == 1 else None


async def _closed(page: PageReader, target: Resolved, do: Do) -> None:
    """A list that stays open for more choices is closed again, for it may lie over the page."""
    # The focus may be in the list, or on nothing.
    for where in (None, target):
        if not await _stays_open(page, target):
            return
        await do("press", where, key="Escape")


async def _gone(page: PageReader, target: Resolved, option: Node | None) -> None:
    """A closed list may still be on its way out: opened again by then, some show nothing."""
    looking = Looking(page, ANSWER_SECONDS)
    while option is not None and option.ref:
        snapshot = await page.snapshot()
        if not _is_closed(snapshot, target) or option.ref not in snapshot:
            return
        if not _has_size(snapshot[option.ref]):
            return
        if not await looking.again(snapshot):
            return


async def _stays_open(page: PageReader, target: Resolved) -> bool:
    looking = Looking(page, ANSWER_SECONDS)
    while True:
        snapshot = await page.snapshot()
        if not _is_open(snapshot, target):
            return False
        if not await looking.again(snapshot):
            return True


def _is_open(snapshot: Snapshot, target: Resolved) -> bool:
    return target.ref in snapshot and "expanded" in snapshot[target.ref].states


def _is_closed(snapshot: Snapshot, target: Resolved) -> bool:
    return target.ref in snapshot and "collapsed" in snapshot[target.ref].states


def _rows(snapshot: Snapshot, before: Snapshot) -> list[Node]:
    """What has come since the list was closed and can be pressed: its options, whatever elements they are."""
    fresh = [node for node in snapshot.nodes if has_come(node, before)]
    options = [node for node in fresh if node.role in OPTION_ROLES]
    return options or [node for node in fresh if node.role == "generic" and node.actionable and node.name]


def _options_in(snapshot: Snapshot, target: Resolved) -> list[Node]:
    """The options that a list has in it, as one does that shows all the time."""
    if target.ref not in snapshot:
        return []
    at = snapshot[target.ref].index
    inside = [snapshot.nodes[each] for each in range(at + 1, snapshot.ends[at])]
    return [node for node in inside if node.ref and node.role in OPTION_ROLES and _has_size(node)]


def _has_size(option: Node) -> bool:
    """Whether an option takes up room: some lists keep invisible ones for screen readers beside those they show."""
    return option.box.width > 0 and option.box.height > 0


def _substitute(snapshot: Snapshot, before: Snapshot, value: str) -> Node | None:
    """What is pressed in an option's place, where a list that has just opened has no elements with an option's role."""
    found = [
        node
        for node in snapshot.find_all(Selector(role="generic", name=Name(value)))
        if node.actionable and has_come(node, before)
    ]
    return found[0] if len(found) == 1 else None


def _has_lost_options(before: Snapshot, now: Snapshot) -> bool:
    """Whether options that showed before are gone now."""
    return any(
        node.ref not in now or not _has_size(now[node.ref])
        for node in before.nodes
        if node.ref and node.role in OPTION_ROLES and node.tag != "option" and _has_size(node)
    )


def _offered(
    options: Sequence[Node], snapshot: Snapshot, target: Resolved, before: Snapshot | None
) -> list[Node]:
    """Those of a page's options that are a list's, and not another one's that shows all the time.

    They are in it or, where it opens a list elsewhere, have come since it was opened.
    """
    inside = [node for node in options if any(parent.ref == target.ref for parent in node.ancestors)]
    if inside:
        # A list shows what is chosen also in itself, as an option that is there while it is closed.
        fresh = [node for node in inside if before is not None and has_come(node, before)]
        return fresh if len(inside) > 1 and fresh else inside
    if before is None:
        return list(options) if _is_open(snapshot, target) else []
    if not any(has_come(node, before) for node in snapshot.nodes if node.role in OPTION_ROLES):
        return list(options) if _is_open(before, target) else []
    return [node for node in options if has_come(node, before)]


def has_come(option: Node, before: Snapshot) -> bool:
    """Whether what can be pressed shows now, and didn't when its list was closed."""
    if not option.ref or option.tag == "option" or not _has_size(option):
        return False
    return option.ref not in before or not _has_size(before[option.ref])


def _numbered(snapshot: Snapshot, target: Resolved, value: str, before: Snapshot | None) -> Node | None:
    if not value.isdecimal():
        raise InvalidParams(f"{value!r} is no number", hint="an index counts from 0")
    options = [
        node for node in snapshot.find_all(Selector(role="option")) if node.ref and node.tag != "option"
    ]
    found = _offered(options, snapshot, target, before)
    if len({id(_list_of(node)) for node in found}) > 1:
        raise AmbiguousMatch("several lists are open", refs=[node.ref for node in found][:20])
    return found[int(value)] if int(value) < len(found) else None


def _list_of(option: Node) -> Node | None:
    return next((node for node in option.ancestors if node.role in {"listbox", "menu", "list"}), None)


def _option(snapshot: Snapshot, target: Resolved, value: str, before: Snapshot | None) -> Node | None:
    for role in OPTION_ROLES:
        selector = Selector(role=role, name=Name(value))
        found = [
            node
            for node in snapshot.find_all(selector)
            # A native list behind the custom one has the same options, which can't be clicked.
            if node.ref and node.ref != target.ref and node.tag != "option" and _has_size(node)
        ]
        best = _offered(found, snapshot, target, before)
        if len(best) > 1:
            raise AmbiguousMatch(
                f"{len(best)} options are called {value!r}", refs=[node.ref for node in best]
            )
        if best:
            return best[0]
    return None
