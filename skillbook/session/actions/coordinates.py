"""From a point of the tab to the canvas or image there; all else has a ref, which says what is clicked."""

from __future__ import annotations

from typing import NamedTuple

from skillbook.errors import InvalidParams, NotActionable
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import INTERACTIVE
from skillbook.perception.selectors.one_match import describe
from skillbook.policy.rules import Actor
from skillbook.protocol.commands.read import ElementAtResult
from skillbook.protocol.refs import make_ref
from skillbook.session.actions.shown_page import visible_to_ai
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.seen_page import pointed_at


class Place(NamedTuple):
    """A point in a canvas or image, in CSS pixels from its upper left corner."""

    node: Node
    at: tuple[float, float]


async def find_place(page: PageReader, x: float, y: float, *, actor: Actor = "person") -> Place:
    """The canvas or image that gets the mouse at a point, through frames and shadow roots.

    x, y: CSS pixels of the main document's viewport.
    actor: who wants it; an agent finds nothing that asks not to be used by AI.
    Raises NotActionable: something else is there, with the ref to use instead, or nothing.
    """
    data = await page.run("element_at", {"x": x, "y": y}, actor=actor)
    found = ElementAtResult.model_validate(data)
    snapshot: BaseSnapshot = await page.snapshot()
    if actor != "person":
        snapshot = visible_to_ai(page, snapshot)
    where = f"{x:g}, {y:g}"
    if not found.path or make_ref(found.frame, found.path[0]) not in snapshot:
        raise NotActionable(
            f"no canvas or image is at {where}, and nothing that has a ref",
            hint="give a point of a canvas or image that is in view",
            reason="outside",
        )
    node = snapshot[make_ref(found.frame, found.path[0])]
    control = next((each for each in (node, *node.ancestors) if each.role in INTERACTIVE), None)
    if found.surface and control in (None, node):
        return Place(node, found.at)
    instead = control or pointed_at(snapshot, found.frame, found.path) or node
    raise NotActionable(
        f"coordinates are for canvases and images; at {where} is {instead.role} {instead.label[:80]!r}",
        hint=f"click {instead.ref} instead",
        reason="has_ref",
        candidates=[describe(instead)],
    )


def checked_point(target: object, x: float | None, y: float | None) -> tuple[float, float] | None:
    """Both coordinates of a click without a target; None for one with a target.

    Raises InvalidParams: there is a target and a point, or neither, or half a point.
    """
    if target is not None and x is None and y is None:
        return None
    if target is not None or not all(isinstance(each, (int, float)) for each in (x, y)):
        raise InvalidParams(
            f"a click needs either a target or x and y, not target={target!r}, x={x!r}, y={y!r}",
            hint="name the element; in a canvas or image `at` says where",
        )
    return float(x or 0), float(y or 0)
