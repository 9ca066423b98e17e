"""What agents and the models behind them see of a page: not what asks to be kept from AI."""

from __future__ import annotations

from skillbook.perception.ai_opt_out import opts_out, without_opted_out
from skillbook.perception.nodes import AnySnapshot, Document
from skillbook.policy.urls import origin_of
from skillbook.session.page.page_reader import PageReader


def visible_to_ai(page: PageReader, snapshot: AnySnapshot) -> AnySnapshot:
    """A snapshot of a page without what asks not to be used by AI, save on origins where a person allowed it."""
    if not opts_out(snapshot):
        return snapshot
    allowed = page.browser.gateway.policy.despite_no_ai

    def lifted(document: Document) -> bool:
        return (origin_of(document.url) or origin_of(snapshot.url)) in allowed

    return without_opted_out(snapshot, lifted)
