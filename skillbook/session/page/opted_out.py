"""What agents and the models behind them see of a page: not what asks to be kept from AI."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.perception.ai_opt_out import ClosedToAi, opts_out, without_opted_out
from skillbook.perception.nodes import AnySnapshot, Document
from skillbook.policy.urls import origin_of
from skillbook.session.page.page_reader import PageReader


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
