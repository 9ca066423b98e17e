"""For a model that sees: the newest image of the page beside the words, and clicks by its pixels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import Review
from skillbook.agents.tools.image_clicks import as_click_on_element, names_pixels
from skillbook.agents.tools.page_images import with_images
from skillbook.errors import SkillbookError


class VisionMiddleware(AgentMiddleware[Any, Any, Any]):
    """Puts the images of the last look beside its answer; the conversation itself has none.

    A click by pixels becomes one on the element there before anything judges it; a refused one stays as it was.
    """

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model with the newest images."""
        response = await handler(request.override(messages=with_images(request.messages)))
        response.result = [await self._with_elements(message) for message in response.result]
        return response

    async def _with_elements(self, message: BaseMessage) -> BaseMessage:
        if not isinstance(message, AIMessage):
            return message
        calls: list[dict[str, Any]] = [dict(call) for call in message.tool_calls]
        for call in calls:
            if not names_pixels(call["name"], call["args"]):
                continue
            try:
                call["args"] = await as_click_on_element(self._context, call["args"])
            except SkillbookError as error:
                self._context.reviews[str(call["id"])] = Review(False, False, "write", refusal=error)
        return message.model_copy(update={"tool_calls": calls})
