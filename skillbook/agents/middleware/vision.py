"""The newest image of the page, brought to a model that sees; older ones are gone from its requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse

from skillbook.agents.tools.page_images import with_images


class VisionMiddleware(AgentMiddleware[Any, Any, Any]):
    """Puts the images of the last look beside its answer; the conversation itself has none."""

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model with the newest images."""
        return await handler(request.override(messages=with_images(request.messages)))
