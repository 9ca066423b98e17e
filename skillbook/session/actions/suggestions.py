"""Choosing what a text field suggests: its list comes once something is typed, and nothing says that it has one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from skillbook.errors import AmbiguousMatch, NoMatch
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import Name, Selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import Resolved
from skillbook.session.actions.custom_select import OPTION_ROLES, has_come, is_beside
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.unsettled import has_open_requests

Do = Callable[..., Awaitable[Any]]
SUGGEST_SECONDS = 5.0
QUIET_SECONDS = 1.5
"""How long a page may show nothing new while no request is open: many ask a server once the typing has stopped."""
_SHOWN = 10


def may_suggest(node: Node | None) -> bool:
    """Whether an element is a field for one line of text that may show a list of its own."""
    return (
        node is not None and node.role in {"textbox", "searchbox"} and node.tag.partition(".")[0] == "input"
    )


async def choose_suggested(page: PageReader, target: Resolved, value: str, do: Do) -> Any:
    """Type a text into a field, and click the one suggestion that is called so; returns the click's outcome.

    Parameters
    ----------
    page, target, value : the field, and the suggestion's name.
    do : does an action on an element, by the action's name.

    Raises
    ------
    NoMatch, AmbiguousMatch : the field suggests nothing of that name, or several; it holds what it held before.
    """
    before = await page.snapshot()
    held = str(before[target.ref].extra.get("value") or "") if target.ref in before else ""
    await do("fill", target, value=value)
    try:
        option = await _suggestion(page, target, value, before)
    except (NoMatch, AmbiguousMatch):
        await do("fill", target, value=held)
        raise
    return await do("click", Resolved(option.ref or "", option))


async def _suggestion(page: PageReader, target: Resolved, value: str, before: Snapshot) -> Node:
    deadline = time.monotonic() + SUGGEST_SECONDS
    while True:
        snapshot = await page.snapshot()
        near = _near(snapshot, target, before)
        wanted = {node.ref for node in snapshot.find_all(Selector(role="any", name=Name(value)))}
        found = [node for node in near if node.ref in wanted]
        if len(found) > 1:
            raise AmbiguousMatch(
                f"{len(found)} suggestions are called {value!r}", refs=[node.ref for node in found]
            )
        if found:
            return found[0]
        left = deadline - time.monotonic()
        if await page.changed_since(snapshot, min(QUIET_SECONDS, left)):
            continue
        if left <= 0 or not has_open_requests(await page.snapshot()):
            seen = [node.name or node.text for node in near][:_SHOWN]
            raise NoMatch(
                f"the field suggests no {value!r}",
                hint=f"it suggests {', '.join(map(repr, seen))}" if seen else "it suggests nothing; use fill",
                options=seen,
            )


def _near(snapshot: Snapshot, target: Resolved, before: Snapshot) -> list[Node]:
    """What can be clicked, has come since the typing, and is in a list that begins or ends beside the field."""
    if target.ref not in snapshot:
        return []
    fresh = [node for node in snapshot.nodes if has_come(node, before)]
    rows = [node for node in fresh if node.role in OPTION_ROLES]
    rows = rows or [node for node in fresh if node.role == "generic" and node.actionable and node.name]
    return rows if rows and is_beside(snapshot[target.ref], rows) else []
