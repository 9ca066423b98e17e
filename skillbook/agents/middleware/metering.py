"""Counting what the model costs, keeping to the budget, and stopping between its answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage
from langchain_core.messages.utils import count_tokens_approximately

from skillbook.agents.state.run_context import RunContext


class MeteringMiddleware(AgentMiddleware[Any, Any, Any]):
    """Counts tokens and money of each answer; a failed request becomes `ModelUnreachable`."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model, unless the run is to stop, its page is gone or its budget is used up."""
        self._context.check_halt()
        self._context.check_page()
        self._context.set_phase("planning")
        tokens = 0
        if self._context.budget_usd is not None or self._context.budget_tokens is not None:
            system = [request.system_message] if request.system_message is not None else []
            tokens = count_tokens_approximately([*system, *request.messages], tools=list(request.tools))
        self._context.check_budget(tokens)
        return await self._context.query_model(handler(request), _usage)


def _usage(response: ModelResponse[Any]) -> dict[str, int] | None:
    total = {"input_tokens": 0, "output_tokens": 0}
    for message in response.result:
        if isinstance(message, AIMessage) and message.usage_metadata:
            total["input_tokens"] += message.usage_metadata["input_tokens"]
            total["output_tokens"] += message.usage_metadata["output_tokens"]
    return total
