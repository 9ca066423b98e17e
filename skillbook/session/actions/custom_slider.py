"""Custom sliders: brought to a value by the keys that they listen to, as from a keyboard."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from math import isclose
from typing import Any

from skillbook.errors import InvalidParams
from skillbook.perception.nodes import Node
from skillbook.session.action import Resolved
from skillbook.session.page.page_reader import PageReader

Do = Callable[..., Awaitable[Any]]
MOST_KEYS = 400
CLOSE = 1e-6
PATIENCE = 0.5
"""Seconds in which a slider shows what a key did."""
SETTLED = 0.1


def is_custom_slider(node: Node | None) -> bool:
    """Whether an element is a slider without a field to fill."""
    return node is not None and node.role == "slider" and node.tag != "input"


async def slide(page: PageReader, target: Resolved, value: str, do: Do) -> Any:
    """Press arrow keys until the slider is at a value; returns the last key's outcome.

    `do` does an action on an element, by the action's name.

    Raises
    ------
    InvalidParams : it is no number, or none that the slider stops at.
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
        snapshot = await page.snapshot()
        for _ in range(keys):
            outcome = await do("press", target, key=up if wanted > at else down)
        left -= keys
        if await page.changed_since(snapshot, PATIENCE):
            await _settled(page)
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


async def _settled(page: PageReader) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and await page.changed_since(await page.snapshot(), SETTLED):
        continue


async def _value(page: PageReader, target: Resolved) -> float:
    snapshot = await page.snapshot()
    found = snapshot[target.ref].extra.get("valuenow") if target.ref in snapshot else None
    if found is None:
        raise InvalidParams("the slider doesn't say where it is", hint="press keys on it, or drag it")
    return float(found)
