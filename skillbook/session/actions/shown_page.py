"""A page as Markdown and as a screenshot, for a person or for a model; what asks to be kept from AI is left out."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillbook.errors import InvalidParams, StaleRef
from skillbook.perception.ai_opt_out import ClosedToAi, opts_out, without_opted_out
from skillbook.perception.nodes import AnySnapshot, Document, Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands.read import MarkdownResult, ScreenshotResult
from skillbook.session.actions.targets import Target, resolve
from skillbook.session.page.page_reader import PageReader

if TYPE_CHECKING:
    from skillbook.perception.markdown import Markdown


def visible_to_ai(page: PageReader, snapshot: AnySnapshot) -> AnySnapshot:
    """A snapshot of a page without what asks not to be used by AI, save on origins where a person allowed it."""
    if not opts_out(snapshot):
        return snapshot
    return without_opted_out(snapshot, _lifted(page, snapshot))


def closed_to_ai(page: PageReader, snapshot: AnySnapshot) -> ClosedToAi:
    """Which of a page's documents a model may not read, and which a person opened to it."""
    lifted, documents = _lifted(page, snapshot), snapshot.columns.documents
    return ClosedToAi(
        documents=frozenset(one.key for one in documents if one.no_ai and not lifted(one)),
        lifted=frozenset(one.key for one in documents if lifted(one)),
    )


def _lifted(page: PageReader, snapshot: AnySnapshot) -> Callable[[Document], bool]:
    """Whether a person allowed AI for a document all the same."""
    allowed = page.browser.gateway.policy.despite_no_ai
    return lambda document: (origin_of(document.url) or origin_of(snapshot.url)) in allowed


async def read_markdown(
    page: PageReader,
    within: Target | None = None,
    *,
    links: bool = True,
    budget: int | None = None,
    actor: Actor = "person",
) -> Markdown:
    """Read what a page, or an element, shows as Markdown; see `page.markdown`.

    actor: whose it is; an agent gets nothing that asks not to be used by AI.
    """
    from skillbook.perception.markdown import to_markdown

    if budget is not None and budget < 1:
        raise InvalidParams("a budget is 1 token or more", hint="None has no limit")
    page.require_open()
    await page.settled("rest")
    snapshot = await page.snapshot()
    resolved = await resolve(page, within) if within is not None else None
    params = {"ref": resolved.ref} if resolved is not None else {}
    data = await page.run("markdown", params, target=resolved, actor=actor)
    closed = closed_to_ai(page, snapshot) if actor == "agent" else None
    result = MarkdownResult.model_validate(data)
    return to_markdown(result, whole=within is not None, links=links, budget=budget, closed=closed)


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
