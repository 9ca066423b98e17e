"""Pages that are no longer what the browser shows are left out of requests: they cost much and their refs are stale.

What is needed stays: the newest whole page and what changed since, whatever was read or found, errors, and each page's
address and title. Pages are left out in batches, for every change of an early message makes providers read all that
follows it anew at the full price.
"""

from __future__ import annotations

from langchain.agents.middleware import ContextEditingMiddleware
from langchain.agents.middleware.context_editing import ContextEdit, TokenCounter
from langchain_core.messages import AnyMessage

from skillbook.agents.fence import is_fenced, is_whole_page, shorten_fenced
from skillbook.agents.state.step_records import RUN_CELL
from skillbook.agents.tools.formatting import CHANGES

_NOTE = "the page as it was, left out"
_BATCH = 1_000
"""Characters of pages that are out of date before they are left out.

Over the tasks of `benchmarks/agent_runs` effective tokens were 89 % of those without leaving out; with 8,000 characters
92 %, with 24,000 95 %, with 48,000 98 %: what follows an old page is mostly the new page, which is dear anyway.
"""


class LeaveOutOldPages(ContextEdit):
    """Replaces whole pages and changes from before the newest whole page; what was said around them stays.

    LangChain's own edit clears whole tool results, so the model would no longer know which calls failed and why,
    and it leaves the page in the first message.
    """

    def __init__(self, batch: int = _BATCH) -> None:
        self.batch = batch

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        """Edit a request's copy of the messages; the checkpoints keep them whole."""
        for index in self._left_out([message.content for message in messages]):
            message = messages[index]
            # What a cell printed and returned comes before its page, and nobody can read that anew.
            shortened = shorten_fenced(str(message.content), _NOTE, last=message.name == RUN_CELL)
            messages[index] = message.model_copy(update={"content": shortened})

    def _left_out(self, contents: list[object]) -> list[int]:
        """Which messages lose their page: the same ones from one batch to the next."""
        gone: list[int] = []
        waiting: list[int] = []
        current: list[int] = []
        for index, content in enumerate(contents):
            if not isinstance(content, str) or not is_fenced(content):
                continue
            if is_whole_page(content):
                waiting, current = [*waiting, *current], [index]
                if sum(len(str(contents[each])) for each in waiting) >= self.batch:
                    gone, waiting = [*gone, *waiting], []
            elif CHANGES in content:
                current.append(index)
        return gone


def make_context_trimming() -> ContextEditingMiddleware:
    """Make the middleware that leaves old pages out of each request."""
    return ContextEditingMiddleware(edits=[LeaveOutOldPages()])
