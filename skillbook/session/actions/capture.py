"""A screenshot with the place of chosen elements in it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from skillbook.errors import StaleRef
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.protocol.commands.read import ScreenshotResult
from skillbook.session.actions.targets import Target, resolve
from skillbook.session.page.page_reader import PageReader


class Screenshot(bytes):
    """A picture's bytes, which a notebook shows as the picture."""

    @property
    def media_type(self) -> str:
        """ "image/png" or "image/jpeg"."""
        return "image/png" if self.startswith(b"\x89PNG") else "image/jpeg"

    def __repr__(self) -> str:
        return f"<Screenshot {self.media_type}, {len(self):,} bytes>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), self.media_type: base64.b64encode(self).decode("ascii")}


@dataclass(frozen=True)
class Captured:
    """One element in a screenshot; `x`, `y`, `width` and `height` are pixels of the image."""

    ref: str
    label: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Capture:
    """A screenshot, as PNG bytes, and where each element is in it, in the order in which they were named."""

    data: bytes = field(repr=False)
    boxes: tuple[Captured, ...]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), "image/png": base64.b64encode(self.data).decode("ascii")}


async def capture(page: PageReader, targets: Sequence[Target], *, actor: Actor = "person") -> Capture:
    """Take a screenshot that shows every target, and find where they are in it."""
    refs = [(await resolve(page, target)).ref for target in targets]
    snapshot = await page.snapshot()
    nodes = [_node(snapshot, ref) for ref in refs]
    outside = not all(_in_view(snapshot, node) for node in nodes)
    shot = ScreenshotResult.model_validate(await page.run("screenshot", {"full_page": outside}, actor=actor))
    return Capture(base64.b64decode(shot.data), tuple(_captured(node, shot) for node in nodes))


def _node(snapshot: Snapshot, ref: str) -> Node:
    if ref not in snapshot:
        raise StaleRef(f"{ref} isn't on the page any more", ref=ref, url=snapshot.url)
    return snapshot[ref]


def _in_view(snapshot: Snapshot, node: Node) -> bool:
    x, y, width, height = node.box
    across, down = snapshot.documents[0].viewport
    return x >= 0 and y >= 0 and x + width <= across and y + height <= down


def _captured(node: Node, shot: ScreenshotResult) -> Captured:
    x, y, width, height = node.box
    left, top = x - shot.origin[0], y - shot.origin[1]
    label = f"{node.role} {node.label!r}" if node.label else node.role
    return Captured(
        node.ref or "", label, left * shot.scale, top * shot.scale, width * shot.scale, height * shot.scale
    )
