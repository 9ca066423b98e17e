"""A click by the pixels of an image that a model has seen, as the click on the canvas or image that is there."""

from __future__ import annotations

from typing import Any

from skillbook.agents.state.run_context import RunContext
from skillbook.errors import InvalidParams, StaleRef
from skillbook.protocol.commands import COMMANDS
from skillbook.session.actions.coordinates import find_place

CLICKS = frozenset(name for name, spec in COMMANDS.items() if "at" in spec.params.model_fields)
"""The commands that take a place within their element."""


def names_pixels(tool: str, args: dict[str, Any]) -> bool:
    """Whether a call is a click by pixels of the image."""
    return tool in CLICKS and ("x" in args or "y" in args)


async def as_click_on_element(context: RunContext, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the same click on an element.

    Raises
    ------
    InvalidParams : there is a target too, half a point, or no image.
    NotActionable : no canvas or image is there; the error has the ref to use.
    StaleRef : it was elsewhere in the image.
    """
    rest = {name: value for name, value in args.items() if name not in {"x", "y"} and value is not None}
    x, y = args.get("x"), args.get("y")
    if rest.get("target") is not None or not all(isinstance(each, (int, float)) for each in (x, y)):
        raise InvalidParams(
            "a click needs either a target, or x and y in pixels of the image",
            hint="name the element by its ref; x and y are for canvases and images",
        )
    image = context.image
    if image is None:
        raise InvalidParams("there is no image to take x and y from", hint="take a screenshot first")
    point = [start + float(each or 0) / image.scale for start, each in zip(image.origin, (x, y), strict=True)]
    node, at = await find_place(context.page, *point, actor="agent")
    ref, now = str(node.ref), node.snapshot.main.key
    if now != image.seen.main.key or ref not in image.seen or image.seen[ref].box != node.box:
        raise StaleRef(
            "what is there now was elsewhere in the image", ref=ref, hint="take another screenshot"
        )
    context.find([image.seen[ref]])
    return {"target": ref, "at": [round(each, 1) for each in at], **rest}
