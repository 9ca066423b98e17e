"""Old page texts are left out of requests: they cost much and their refs are stale."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage

from skillbook.agents.fence import is_fenced, shorten_fenced

_NOTE = "an earlier state of the page, left out"


class ContextTrimmingMiddleware(AgentMiddleware[Any, Any, Any]):
    """Shortens page texts in all but the newest messages; the checkpoints keep them whole.

    Parameters
    ----------
    keep: how many messages with page text stay whole.
    """

    def __init__(self, keep: int = 4) -> None:
        super().__init__()
        self._keep = keep

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Shorten the messages of this request."""
        return await handler(request.override(messages=forget_pages(request.messages, self._keep)))


def forget_pages(messages: list[AnyMessage], keep: int) -> list[AnyMessage]:
    """The messages with page text left out of all but the newest `keep` that hold any."""
    fenced = [
        index
        for index, message in enumerate(messages)
        if isinstance(message.content, str) and is_fenced(message.content)
    ]
    old = set(fenced[:-keep] if keep else fenced)
    return [
        message.model_copy(update={"content": shorten_fenced(str(message.content), _NOTE)})
        if index in old
        else message
        for index, message in enumerate(messages)
    ]
