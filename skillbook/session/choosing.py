"""Choosing options of lists that scripts draw: ARIA listboxes, and comboboxes or buttons that open one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch
from skillbook.perception.node import Node
from skillbook.perception.selectors import Name, Selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.targets import Resolved

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver

Click = Callable[[Resolved], Awaitable[Any]]
Pick = Callable[[Snapshot, Resolved, str], Node | None]
OPTION_ROLES = ("option", "menuitemradio", "menuitemcheckbox", "menuitem", "treeitem", "listitem")
OPEN_SECONDS = 5.0


def is_drawn(node: Node | None) -> bool:
    """Whether an element is a list that a script draws, rather than a native `select`."""
    return (
        node is not None
        and node.role in {"combobox", "listbox", "button", "menu"}
        and node.tag[:6] != "select"
    )


async def choose(
    page: PageDriver, target: Resolved, values: Sequence[str], by: str | None, click: Click
) -> Any:
    """Open the list where it is closed, and click each option that isn't chosen already.

    Parameters
    ----------
    page, target : the list.
    values : what its options are called, or their numbers from 0 where `by` is "index".
    by : "label", "index" or None.
    click : clicks an option.

    Returns
    -------
    The outcome of the last click, as the wire has it.

    Raises
    ------
    NoMatch, AmbiguousMatch : no single option of that name showed within five seconds.
    InvalidParams : by "value", which options that scripts draw don't have.
    """
    if by == "value":
        raise InvalidParams("this list's options have no values", hint="choose by label or by index")
    pick = _numbered if by == "index" else _option
    outcome: Any = None
    for value in values:
        option = pick(await page.snapshot(), target, value)
        if option is None:
            outcome = await click(target)
            option = await _appearing(page, target, value, pick)
        if "selected" not in option.states or outcome is None:
            outcome = await click(Resolved(option.ref or "", option))
    return outcome


async def _appearing(page: PageDriver, target: Resolved, value: str, pick: Pick) -> Node:
    deadline = time.monotonic() + OPEN_SECONDS
    while True:
        snapshot = await page.snapshot()
        option = pick(snapshot, target, value)
        if option is not None:
            return option
        if not await page.changed_since(snapshot, deadline - time.monotonic()):
            names = [node.name for node in snapshot.nodes if node.role == "option"][:10]
            raise NoMatch(
                f"the list has no option {value!r}",
                hint=f"its options are {', '.join(map(repr, names))}" if names else "it showed no options",
                options=names,
            )


def _numbered(snapshot: Snapshot, target: Resolved, value: str) -> Node | None:
    if not value.isdecimal():
        raise InvalidParams(f"{value!r} is no number", hint="an index counts from 0")
    options = [node for node in snapshot.find_all(Selector(role="option")) if node.ref]
    inside = [node for node in options if any(parent.ref == target.ref for parent in node.ancestors)]
    lists = {id(_list_of(node)) for node in options}
    if not inside and len(lists) > 1:
        raise AmbiguousMatch("several lists are open", refs=[node.ref for node in options][:20])
    found = inside or options
    return found[int(value)] if int(value) < len(found) else None


def _list_of(option: Node) -> Node | None:
    return next((node for node in option.ancestors if node.role in {"listbox", "menu", "list"}), None)


def _option(snapshot: Snapshot, target: Resolved, value: str) -> Node | None:
    for role in OPTION_ROLES:
        selector = Selector(role=role, name=Name(value))
        found = [node for node in snapshot.find_all(selector) if node.ref and node.ref != target.ref]
        inside = [node for node in found if any(parent.ref == target.ref for parent in node.ancestors)]
        best = inside or found
        if len(best) > 1:
            raise AmbiguousMatch(
                f"{len(best)} options are called {value!r}", refs=[node.ref for node in best]
            )
        if best:
            return best[0]
    return None
