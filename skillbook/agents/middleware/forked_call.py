"""The call that a fork begins with, in the place of the model's first answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage

from skillbook.agents.state.run_context import RunContext


class ForkedCallMiddleware(AgentMiddleware[Any, Any, Any]):
    """Answers once for the model, where the person said what a fork does instead."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model, unless the fork's call is still to be made."""
        fork = self._context.fork
        call = fork.take_call() if fork is not None else None
        if call is None:
            return await handler(request)
        tool, args = call
        made = {"name": tool, "args": args, "id": f"fork-{uuid4().hex[:12]}"}
        return ModelResponse(result=[AIMessage("", tool_calls=[made])])
