"""An approval is for what the person saw: it is checked again at the last moment, and works once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from skillbook.agents.context import RunContext
from skillbook.agents.gate import Gate


class BindingMiddleware(AgentMiddleware[Any, Any, Any]):
    """Refuses an approved call whose element is another one by now."""

    def __init__(self, context: RunContext, gate: Gate) -> None:
        super().__init__()
        self._context = context
        self._gate = gate

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Check what a person approved unedited, then carry it out."""
        call = request.tool_call
        decision = self._context.decisions.get(str(call["id"]), {})
        if request.tool is not None and decision.get("type") == "approve":
            await self._gate.check_unchanged(str(call["id"]), request.tool, call["args"])
        return await handler(request)
