"""A page's text as Markdown, for a person or for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbook.errors import InvalidParams
from skillbook.policy.rules import Actor
from skillbook.protocol.commands.read import MarkdownResult
from skillbook.session.actions.targets import Target, resolve
from skillbook.session.page.opted_out import closed_to_ai
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.unsettled import READ_SECONDS, loaded_snapshot

if TYPE_CHECKING:
    from skillbook.perception.markdown import Markdown


async def read_markdown(
    page: PageReader,
    within: Target | None = None,
    *,
    links: bool = True,
    budget: int | None = None,
    actor: Actor = "person",
) -> Markdown:
    """Read what a page, or an element, shows as Markdown; see `page.markdown`.

    Parameters
    ----------
    actor : whose it is; an agent gets nothing that asks not to be used by AI.
    """
    from skillbook.perception.markdown import to_markdown

    if budget is not None and budget < 1:
        raise InvalidParams("a budget is 1 token or more", hint="None has no limit")
    page.require_open()
    snapshot = await loaded_snapshot(page, "dom", timeout=None, wait=READ_SECONDS)
    resolved = await resolve(page, within) if within is not None else None
    params = {"ref": resolved.ref} if resolved is not None else {}
    data = await page.run("markdown", params, target=resolved, actor=actor)
    closed = closed_to_ai(page, snapshot) if actor == "agent" else None
    result = MarkdownResult.model_validate(data)
    return to_markdown(result, whole=within is not None, links=links, budget=budget, closed=closed)
