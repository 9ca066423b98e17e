"""Steps by which people read: typing, choosing, sorting, opening menus, following links within a site.

They may pass unasked where what leaves the browser is paused: then whatever they send that may change something is
asked about when it wants to leave, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import Effect

if TYPE_CHECKING:
    from skillbook.policy.request_facts import RequestFact
    from skillbook.policy.rules import Call


def is_reading_step(call: Call, sends: RequestFact | None) -> bool:
    """Whether a step is one by which people read.

    Parameters
    ----------
    call : the step.
    sends : what it announces to send; None for nothing.
    """
    spec, facts, here = call.spec, call.facts, call.frame_url or call.url
    if call.effect is Effect.IRREVERSIBLE or call.with_secret or call.questions or call.script:
        return False
    hands_over = spec.file_param or spec.human_only or spec.page_tools or spec.answers_dialog or spec.submits
    if hands_over or "to_ref" in spec.ref_fields:
        return False
    if sends is not None and (sends.changes or sends.origin != origin_of(here)):
        return False
    links = [call.destination or "", facts.link if facts is not None and spec.follows_links else ""]
    return all(_stays(link, here) for link in links if link)


def _stays(link: str, here: str) -> bool:
    """Whether an address is of the same origin; a script's is none."""
    address = urljoin(here, link)
    if urlsplit(address).scheme == "javascript":
        return True
    return origin_of(address) is not None and origin_of(address) == origin_of(here)
