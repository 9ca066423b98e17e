"""Tools that read the page: the whole of it, a search in it, a screenshot, a wait."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field, model_validator

from skillbook.agents.fence import fence, fence_page
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.run_parts import ShownImage
from skillbook.agents.tools.formatting import PAGE_TOKENS, page_text
from skillbook.agents.tools.page_images import make_images
from skillbook.agents.tools.tool_base import make_tool
from skillbook.errors import NotAllowed
from skillbook.perception.ai_opt_out import REASON, opts_out
from skillbook.perception.escape import clean, quote, shorten
from skillbook.perception.roles import DIALOGS, LANDMARKS
from skillbook.perception.selectors.one_match import describe
from skillbook.perception.summary import entry_line, entry_refs
from skillbook.perception.text.tokens import count_tokens
from skillbook.perception.word_search import find_nodes
from skillbook.protocol.commands import ModelWords
from skillbook.protocol.refs import is_ref
from skillbook.session.actions.shown_page import capture as capture_targets
from skillbook.session.actions.shown_page import read_markdown

_WAIT, _MAX_WAIT = 15.0, 60.0
_SUMMARY_TOKENS = 1400
"""The fence around it takes the rest of 1,500."""


_LOOKS: Any = {"effect": "read", "kind": "look"}


class SnapshotArgs(BaseModel):
    """Read the page as it is now."""

    model_config = ConfigDict(extra="forbid")
    mode: Literal["full", "interactive", "viewport"] = Field(
        "full", description="Everything, only what can be acted on, or only what is on the screen."
    )


class MarkdownArgs(BaseModel):
    """Read the page's text."""

    model_config = ConfigDict(extra="forbid")
    within: str | None = Field(None, description="A ref or role selector; the main part if it is left out.")


class CountArgs(BaseModel):
    """Arguments of `count`."""

    selector: str = Field(min_length=1, description="A role selector.")


class FindArgs(BaseModel):
    """Search the whole page."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(
        min_length=1, description="Words to search for, or a role selector such as button 'Save'."
    )
    limit: int = Field(20, ge=1, le=100, description="How many matches to show.")


class SummaryArgs(BaseModel):
    """See what can be done on the page."""

    model_config = ConfigDict(extra="forbid")


class QueryArgs(BaseModel):
    """Search what can be done on the page."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1, description="What it is for, in words; alternatives separated by |.")
    kind: str | None = Field(
        None, description="action, form or collection, or a purpose such as login, download or filter."
    )
    top_k: int = Field(5, ge=1, le=20, description="How many at most.")


class DetailsArgs(BaseModel):
    """Ask how to name elements."""

    model_config = ConfigDict(extra="forbid")
    ids: list[str] = Field(min_length=1, max_length=10, description="Refs.")


class WaitArgs(BaseModel):
    """Wait for one condition, or just for a while."""

    model_config = ConfigDict(extra="forbid")
    text: str | None = Field(None, description="Text that appears.")
    text_gone: str | None = Field(None, description="Text that goes away.")
    selector: str | None = Field(None, description="A role selector that matches.")
    url: str | None = Field(None, description="A part of the address, or a glob with `*`.")
    idle: bool | None = Field(None, description="What was caused is over.")
    load: bool | None = Field(None, description="The page has loaded.")
    seconds: float | None = Field(
        None, gt=0, le=_MAX_WAIT, description="How long to wait at most; without a condition, just how long."
    )

    @model_validator(mode="after")
    def _waits_for_something(self) -> WaitArgs:
        given = self.model_dump(exclude={"seconds"})
        count = sum(value not in (None, False) for value in given.values())
        if count > 1 or (count == 0 and self.seconds is None):
            raise ValueError("give exactly one condition, or `seconds` alone for a pause")
        return self


class ScreenshotArgs(BaseModel):
    """Take a screenshot for the person."""

    model_config = ConfigDict(extra="forbid")
    full_page: bool = Field(False, description="The whole page rather than what is on the screen.")


class CaptureArgs(BaseModel):
    """Elements to choose between."""

    model_config = ConfigDict(extra="forbid")
    targets: list[str] = Field(min_length=1, max_length=20, description="Refs or role selectors.")


class ObservationTools:
    """The tools that read the page of a run."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def snapshot(self, mode: Literal["full", "interactive", "viewport"] = "full") -> str:
        """The page as text."""
        seen = await self._context.snapshot()
        self._note(f"{len(seen)} nodes, {len(seen.elements)} actionable")
        return page_text(self._context, seen, mode)

    async def markdown(self, within: str | None = None) -> str:
        """The text of the page's main part, or of an element, as Markdown."""
        page, seen = self._context.page, await self._context.snapshot_for(within or "")
        # Only what AI may see: a target that asks for no AI isn't found.
        target = None if within is None else seen[within] if is_ref(within) else seen.find(within)
        text = await read_markdown(page, target, budget=PAGE_TOKENS, actor="agent")
        self._note(f"{count_tokens(text):,} tokens of text")
        self._context.notes.value = text
        return fence(text)

    async def find(self, query: str, limit: int = 20) -> str:
        """The nodes that a query names, a line each."""
        nodes = find_nodes(await self._context.snapshot_for(query), query)
        self._note(f"{len(nodes)} matches for {query!r}")
        self._context.notes.value = nodes
        if not nodes:
            return "Nothing on the page matches. Try other words, or `snapshot`."
        more = f"\n… and {len(nodes) - limit} more" if len(nodes) > limit else ""
        self._context.find(nodes[:limit])
        self._note_refs(node.ref for node in nodes[:limit])
        counted = f"{len(nodes)} match{'es' * (len(nodes) > 1)}"
        return f"{counted}:\n{fence(''.join(_line(node) for node in nodes[:limit]) + more)}"

    async def summary(self) -> str:
        """The page's forms, collections and actions, in at most 1,500 tokens."""
        snapshot = await self._context.snapshot()
        summary = self._context.page.summarize(snapshot)
        self._context.find(snapshot.elements)
        self._note(repr(summary))
        return fence_page(summary.url, summary.title, summary.text(_SUMMARY_TOKENS))

    async def count(self, selector: str) -> str:
        """How many nodes a selector names, for a cell's code."""
        number = len((await self._context.snapshot_for(selector)).find_all(selector))
        self._note(f"{number} matches for {selector!r}")
        self._context.notes.value = number
        return str(number)

    async def query(self, text: str, kind: str | None = None, top_k: int = 5) -> str:
        """The actions, forms and collections that fit some words best, a line each."""
        snapshot = await self._context.snapshot()
        summary = self._context.page.summarize(snapshot)
        found = summary.query(text, kind, top_k)
        self._context.find(snapshot.elements)
        self._note(f"{len(found)} fit {text!r}")
        self._note_refs(ref for _, entry in found for ref in entry_refs(entry))
        if self._context.cells is not None:  # code gets what `page.query` gives in a kernel
            self._context.notes.value = summary.nodes_for(text)
        if not found:
            return "Nothing that can be done here fits. Try other words, `find`, or `snapshot`."
        return fence("".join(f"- {entry_line(entry)}\n" for _, entry in found))

    async def details(self, ids: list[str]) -> str:
        """How each element can be named, and where it stands."""
        seen = await self._context.snapshot()
        self._context.find(seen[ref] for ref in ids if ref in seen)
        summary, lines = self._context.page.summarize(seen), []
        for ref in ids:
            known = summary.details(seen[ref].ref or ref)
            others = "; ".join(shorten(clean(each), 120) for each in known["alternatives"][:4])
            place = f" in {known['landmark']}" if known["landmark"] else ""
            frame = f", frame {known['frame']}" if known["frame"] else ""
            lines.append(
                f"- [ref={ref}] {shorten(clean(known['selector']), 160)}{place}{frame}; or {others or 'nothing else'}\n"
            )
        self._note(f"the selectors of {len(ids)} elements")
        self._note_refs(ids)
        return fence("".join(lines))

    async def wait_for(self, seconds: float | None = None, **condition: Any) -> str:
        """Wait for a condition, then give the page as text."""
        given = {name: value for name, value in condition.items() if value not in (None, False)}
        timeout = _WAIT if seconds is None else seconds
        waited = await self._context.page.wait_for(**(given or {"seconds": seconds}), timeout=timeout)
        seen = self._context.visible_to_ai(waited) if waited is not None else await self._context.snapshot()
        self._note("the condition came true")
        return f"It came true. The page is now:\n{page_text(self._context, seen)}"

    async def screenshot(self, full_page: bool = False) -> tuple[str, dict[str, Any]]:
        """Keep a screenshot with the step; the model gets its size only."""
        if self._context.vision:
            return await self._look(full_page=full_page)
        data = await self._context.page.run("screenshot", {"full_page": full_page}, actor="agent")
        size = f"{data['width']} × {data['height']}"
        self._note(f"screenshot of {size} pixels")
        self._context.notes.extra = {"screenshot": data}
        artifact = {"mime_type": f"image/{data['format']}", "base64": data["data"]}
        return f"A screenshot of {size} CSS pixels is kept with this step.", artifact

    async def capture(self, targets: list[str]) -> tuple[str, dict[str, Any]]:
        """Keep a screenshot of some elements with the step; the model gets where each of them is."""
        seen = await self._context.snapshot_for(*targets)
        # Only what AI may see: a target that asks for no AI isn't found.
        nodes = [seen[target] if is_ref(target) else seen.find(target) for target in targets]
        if self._context.vision:
            return await self._look(nodes)
        captured = await capture_targets(self._context.page, nodes, actor="agent")
        data = base64.b64encode(captured.data).decode("ascii")
        self._note(f"screenshot of {len(captured.boxes)} elements")
        self._context.notes.extra = {"screenshot": {"format": "png", "data": data}}
        places = "\n".join(
            f"- {box.label} [ref={box.ref}]: {box.width:.0f} × {box.height:.0f} at {box.x:.0f}, {box.y:.0f}"
            for box in captured.boxes
        )
        answer = "Where they are, in pixels from the top left of a screenshot kept with this step:\n" + fence(
            places
        )
        return answer, {"mime_type": "image/png", "base64": data}

    async def _look(
        self, targets: Sequence[Any] = (), *, full_page: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """Take a screenshot for the model; the conversation keeps its words alone."""
        context, page = self._context, self._context.page
        seen = await context.snapshot()
        if not len(seen.nodes) and opts_out(page.latest):
            raise NotAllowed(f"the page gives no image: {REASON}", hint="the person can allow it")
        width, height = seen.documents[0].viewport
        beyond = any(not _is_within(node.box, width, height) for node in targets)
        shown = {"for_ai": True, "origins": sorted(page.browser.gateway.policy.allowed)}
        shot = await page.run("screenshot", {"full_page": full_page or beyond, **shown}, actor="agent")
        found = make_images(shot, seen, [seen[node.ref] for node in targets if node.ref in seen])
        left, top = shot["origin"]
        context.image = ShownImage(seen, (left, top), found.scale)
        context.find(targets or seen.elements)
        self._note(f"image of the page, about {found.tokens:,} tokens")
        context.notes.extra = {"screenshot": {"format": "png", "data": found.images[0]}}
        crops = f", and {len(found.images) - 1} crops of the targets" if len(found.images) > 1 else ""
        intro = f"The image of the page follows{crops}: about {found.tokens:,} tokens. Its boxes are named by refs."
        named = "".join(f"- {node.role} {node.label!r} [ref={node.ref}]\n" for node in targets)
        return f"{intro}\n{fence(named)}" if named else intro, found.artifact()

    def _note_refs(self, refs: Iterable[str | None]) -> None:
        """The refs that the answer names, as data."""
        self._context.notes.extra["refs"] = [ref for ref in refs if ref]

    def _note(self, summary: str) -> None:
        notes, page = self._context.notes, self._context.page
        notes.summary, notes.url, notes.after = summary, page.url, page.latest


def count_tool(context: RunContext) -> BaseTool:
    """The tool `count`, which cells call and no model."""
    tools = ObservationTools(context)
    return make_tool(
        "count", "Count what a role selector names.", CountArgs, tools.count, effect="read", kind="look"
    )


def observation_tools(context: RunContext) -> list[BaseTool]:
    """The tools that read the page."""
    tools = ObservationTools(context)
    return [
        make_tool("snapshot", "Read the page as it is now.", SnapshotArgs, tools.snapshot, **_LOOKS),
        make_tool(
            "markdown",
            "Read the text of the page's main part, or of an element, as Markdown.",
            MarkdownArgs,
            tools.markdown,
            **_LOOKS,
        ),
        make_tool(
            "find",
            "Search the whole page by words or a role selector; gives refs.",
            FindArgs,
            tools.find,
            **_LOOKS,
            words=ModelWords(arguments={"query": "Words or selector."}, seldom=("limit",)),
        ),
        make_tool(
            "summary",
            "See what can be done on the page: its forms, lists and actions.",
            SummaryArgs,
            tools.summary,
            **_LOOKS,
        ),
        make_tool(
            "query",
            "Search what can be done on the page by what it is for; gives refs.",
            QueryArgs,
            tools.query,
            **_LOOKS,
            words=ModelWords(seldom=("top_k",)),
        ),
        make_tool("details", "Report how elements can be named.", DetailsArgs, tools.details, **_LOOKS),
        make_tool("wait_for", "Wait for one condition on the page.", WaitArgs, tools.wait_for, **_LOOKS),
        make_tool(
            "screenshot",
            "Keep a screenshot of the page with this step, for the person.",
            ScreenshotArgs,
            tools.screenshot,
            **_LOOKS,
            artifact=True,
        ),
        make_tool(
            "capture",
            "Report where elements are on the screen, to choose between some with the same name.",
            CaptureArgs,
            tools.capture,
            **_LOOKS,
            artifact=True,
        ),
    ]


def _is_within(box: Any, width: int, height: int) -> bool:
    return bool(box.x >= 0 and box.y >= 0 and box.x + box.width <= width and box.y + box.height <= height)


def _line(node: Any) -> str:
    owner = node
    while owner.ref is None and owner.parent is not None:
        owner = owner.parent
    name = f" {quote(node.name, 200)}" if node.name else f" (hint {quote(node.hint)})" if node.hint else ""
    value = f": {clean(node.value)[:100]}" if node.value else ""
    ref = f" [ref={owner.ref}]" if owner.ref else ""
    within = describe(node).get("within")
    place = f" in {within}" if within else ""
    heading = _heading_before(node)
    below = f", below {quote(heading, 60)}" if heading and clean(heading) not in place else ""
    return f"- {node.role}{name}{value}{ref}{place}{below}\n"


def _heading_before(node: Any) -> str:
    """The name of the heading that a node comes after, among what is around it; empty where there is none."""
    inner = node
    for outer in node.ancestors:
        before = None
        for child in outer.children:
            if child.index == inner.index:
                break
            before = child if child.role == "heading" else before
        if before is not None:
            return str(before.label)
        if outer.role in LANDMARKS | DIALOGS:
            break
        inner = outer
    return ""
