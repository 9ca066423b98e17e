"""Fields that pages build themselves: sliders brought to a value by keys, text fields that suggest what to take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import isclose
from typing import Any

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch
from skillbook.limits import ANSWER_SECONDS, READ_SECONDS
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import Name, Selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import Resolved
from skillbook.session.actions.custom_select import OPTION_ROLES, has_come, is_beside
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.page_rest import Looking

Do = Callable[..., Awaitable[Any]]
MOST_KEYS = 400
CLOSE = 1e-6


def is_custom_slider(node: Node | None) -> bool:
    """Whether an element is a slider without a field to fill."""
    return node is not None and node.role == "slider" and node.tag != "input"


async def slide(page: PageReader, target: Resolved, value: str, do: Do) -> Any:
    """Press arrow keys until the slider is at a value; returns the last key's outcome.

    `do` does an action on an element, by the action's name.

    Raises InvalidParams: it is no number, or none that the slider stops at.
    """
    try:
        wanted = float(value)
    except ValueError:
        raise InvalidParams(f"{value!r} is no number", hint="a slider takes a number") from None
    _require_in_range(target, wanted)
    outcome = await do("focus", target)
    at = await _value(page, target)
    left = MOST_KEYS
    keys = 1
    up, down = "ArrowRight", "ArrowLeft"
    is_first = True
    while not isclose(at, wanted, abs_tol=CLOSE) and left > 0:
        for _ in range(keys):
            outcome = await do("press", target, key=up if wanted > at else down)
        left -= keys
        await page.settled("rest", ANSWER_SECONDS)
        before, at = at, await _value(page, target)
        came_nearer = (at - before) * (wanted - before) > 0
        if is_first and not came_nearer:
            # Vertical sliders, and those that run from right to left, may go the other way.
            up, down, is_first = down, up, False
            continue
        is_first = False
        step = abs(at - before) / keys
        if not came_nearer or abs(wanted - at) < step / 2 or (before - wanted) * (at - wanted) < 0:
            break
        # What one key does says how many are left.
        keys = max(1, min(left, round(abs(wanted - at) / step)))
    if isclose(at, wanted, abs_tol=CLOSE):
        return outcome
    raise InvalidParams(
        f"the slider doesn't stop at {value}: it is at {at:g}", hint="choose a value that it has, or drag it"
    )


def _require_in_range(target: Resolved, wanted: float) -> None:
    extra = target.node.extra if target.node else {}
    least, most = extra.get("valuemin"), extra.get("valuemax")
    if (least is not None and wanted < least) or (most is not None and wanted > most):
        raise InvalidParams(f"the slider goes from {least} to {most}", hint="choose a value that it has")


async def _value(page: PageReader, target: Resolved) -> float:
    snapshot = await page.snapshot()
    found = snapshot[target.ref].extra.get("valuenow") if target.ref in snapshot else None
    if found is None:
        raise InvalidParams("the slider doesn't say where it is", hint="press keys on it, or drag it")
    return float(found)


_SHOWN = 10


def may_suggest(node: Node | None) -> bool:
    """Whether an element is a field for one line of text that may show a list of its own."""
    return (
        node is not None and node.role in {"textbox", "searchbox"} and node.tag.partition(".")[0] == "input"
    )


async def choose_suggested(page: PageReader, target: Resolved, value: str, do: Do) -> Any:
    """Type a text into a field, and click the one suggestion that is called so; returns the click's outcome.

    do: does an action on an element, by the action's name.
    Raises NoMatch, AmbiguousMatch: the field suggests nothing of that name, or several; it holds what it held before.
    """
    before = await page.snapshot()
    before_value = str(before[target.ref].extra.get("value") or "") if target.ref in before else ""
    await do("fill", target, value=value)
    try:
        option = await _suggestion(page, target, value, before)
    except (NoMatch, AmbiguousMatch):
        await do("fill", target, value=before_value)
        raise
    return await do("click", Resolved(option.ref or "", option))


async def _suggestion(page: PageReader, target: Resolved, value: str, before: Snapshot) -> Node:
    looking = Looking(page, READ_SECONDS)
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
        if not await looking.again(snapshot):
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
