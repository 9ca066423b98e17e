"""Old page texts are left out of requests: they cost much and their refs are stale."""

from __future__ import annotations

from langchain.agents.middleware import ContextEditingMiddleware
from langchain.agents.middleware.context_editing import ContextEdit, TokenCounter
from langchain_core.messages import AnyMessage

from skillbook.agents.fence import is_fenced, shorten_fenced

_NOTE = "an earlier state of the page, left out"


class LeaveOutOldPages(ContextEdit):
    """Replaces page text in all but the newest `keep` messages that have any; what was said around it stays.

    LangChain's own edit clears whole tool results, so the model would no longer know which calls failed and why,
    and it leaves the page in the first message.
    """

    def __init__(self, keep: int = 4) -> None:
        self.keep = keep

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        """Edit a request's copy of the messages; the checkpoints keep them whole."""
        pages = [
            index
            for index, message in enumerate(messages)
            if isinstance(message.content, str) and is_fenced(message.content)
        ]
        for index in pages[: max(0, len(pages) - self.keep)]:
            message = messages[index]
            shortened = shorten_fenced(str(message.content), _NOTE)
            messages[index] = message.model_copy(update={"content": shortened})


def make_context_trimming() -> ContextEditingMiddleware:
    """Make the middleware that leaves old pages out of each request."""
    return ContextEditingMiddleware(edits=[LeaveOutOldPages()])
