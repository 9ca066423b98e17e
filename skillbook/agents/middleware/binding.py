"""An approval is for what the person saw: its token is made when it is given, and used up when the call is sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from skillbook.agents.approval_review import ApprovalReview
from skillbook.agents.context import RunContext


class BindingMiddleware(AgentMiddleware[Any, Any, Any]):
    """Binds the approval of an edited call to its new arguments; voids what the call left unused."""

    def __init__(self, context: RunContext, approvals: ApprovalReview) -> None:
        super().__init__()
        self._context = context
        self._approvals = approvals

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Carry the call out with its approval."""
        call = request.tool_call
        call_id = str(call["id"])
        if request.tool is not None and self._context.decisions.get(call_id, {}).get("type") == "edit":
            await self._approvals.bind_edited(call_id, request.tool, call["args"])
        try:
            return await handler(request)
        finally:
            self._context.approvals.pop(call_id, None)
