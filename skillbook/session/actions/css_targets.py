"""CSS that a snapshot can't answer: the page itself is queried, also for elements that snapshots leave out."""

from __future__ import annotations

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch, SelectorError, SelectorSyntaxError
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.action import Resolved
from skillbook.session.page.documents import node_of
from skillbook.session.page.page_reader import PageReader


async def find_target(page: PageReader, selector: str, snapshot: Snapshot) -> Node | Resolved:
    """What a selector names: a node of the snapshot, or an element that only the page knows by its CSS.

    Raises
    ------
    NoMatch, AmbiguousMatch, SelectorSyntaxError.
    """
    parsed = parse_selector(selector)
    if parsed.css is not None and parsed.nth:
        # The page counts elements that the snapshot leaves out.
        return await _query(page, parsed, snapshot)
    try:
        return snapshot.find(parsed)
    except AmbiguousMatch:
        raise
    except SelectorError:
        if not _has_css(parsed):
            raise
        return await _query(page, parsed, snapshot)


def _has_css(selector: Selector | None) -> bool:
    return selector is not None and (selector.kind == "css" or _has_css(selector.within))


async def _query(page: PageReader, selector: Selector, snapshot: Snapshot) -> Node | Resolved:
    known: dict[str, list[str]] = {}
    at: Selector | None = selector
    while at is not None:
        if at.css is not None:
            known[at.css] = await _refs(page, at.css)
        at = at.within
    if selector.css is None or selector.within or selector.tests or selector.frames:
        return snapshot.find(selector, css=known.__getitem__)
    refs = known[selector.css]
    if selector.nth is not None:
        refs = refs[selector.nth - 1 : selector.nth]
    if not refs:
        raise NoMatch(f"nothing matches {selector}", hint="look at the page with page.snapshot()")
    if len(refs) > 1:
        hint = "add 'nth N', or a narrower selector"
        raise AmbiguousMatch(f"{len(refs)} elements match {selector}", hint=hint, refs=refs[:20])
    return Resolved(refs[0], node_of(snapshot, refs[0]))


async def _refs(page: PageReader, css: str) -> list[str]:
    try:
        data = await page.run("get", {"what": "refs", "name": css})
    except InvalidParams as error:
        raise SelectorSyntaxError(error.message, selector=css) from None
    return [str(ref) for ref in data["value"]]
