"""Choosing options of lists that scripts draw: ARIA listboxes, and comboboxes or buttons that open one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import AmbiguousMatch, NoMatch
from skillbook.perception.node import Node
from skillbook.perception.selectors import Name, Selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.targets import Resolved

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver

Click = Callable[[Resolved], Awaitable[Any]]
OPTION_ROLES = ("option", "menuitemradio", "menuitemcheckbox", "menuitem", "treeitem", "listitem")
OPEN_SECONDS = 5.0


def is_drawn(node: Node | None) -> bool:
    """Whether an element is a list that a script draws, rather than a native `select`."""
    return (
        node is not None
        and node.role in {"combobox", "listbox", "button", "menu"}
        and node.tag[:6] != "select"
    )


async def choose(page: PageDriver, target: Resolved, values: Sequence[str], click: Click) -> Any:
    """Open the list where it is closed, and click the option of each name that isn't chosen already.

    Returns
    -------
    The outcome of the last click, as the wire has it.

    Raises
    ------
    NoMatch, AmbiguousMatch : no single option of that name showed within five seconds.
    """
    outcome: Any = None
    for value in values:
        option = _option(await page.snapshot(), target, value)
        if option is None:
            outcome = await click(target)
            option = await _appearing(page, target, value)
        if "selected" not in option.states or outcome is None:
            outcome = await click(Resolved(option.ref or "", option))
    return outcome


async def _appearing(page: PageDriver, target: Resolved, value: str) -> Node:
    deadline = time.monotonic() + OPEN_SECONDS
    while True:
        snapshot = await page.snapshot()
        option = _option(snapshot, target, value)
        if option is not None:
            return option
        if not await page.changed_since(snapshot, deadline - time.monotonic()):
            names = [node.name for node in snapshot.nodes if node.role == "option"][:10]
            raise NoMatch(
                f"the list has no option {value!r}",
                hint=f"its options are {', '.join(map(repr, names))}" if names else "it showed no options",
                options=names,
            )


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
