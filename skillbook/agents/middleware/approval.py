"""Asking a person: the policy decides which call waits, LangChain's middleware presents it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from skillbook.agents.approval_review import ApprovalReview
from skillbook.agents.context import RunContext
from skillbook.agents.records import DecisionName
from skillbook.agents.resumed_calls import is_inherited

DECISIONS: tuple[DecisionName, ...] = ("approve", "edit", "reject", "respond")


class ReviewMiddleware(AgentMiddleware[Any, Any, Any]):
    """Reviews each call before `HumanInTheLoopMiddleware` asks whether it has to wait.

    It stands before that middleware because a review reads the page, which takes an await, and `when`
    is a plain function. A review is kept by the call's id, so that a resumed call gets the same answer.
    """

    def __init__(self, context: RunContext, approvals: ApprovalReview) -> None:
        super().__init__()
        self._context = context
        self._approvals = approvals

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Review the call, then pass it on."""
        self._context.check_halt()
        call = request.tool_call
        if request.tool is not None:
            inherited = is_inherited(self._context, request.state["messages"], call["args"])
            await self._approvals.review(str(call["id"]), request.tool, call["args"], inherited=inherited)
        return await handler(request)


def make_approval(context: RunContext, tools: Sequence[BaseTool]) -> AgentMiddleware[Any, Any, Any]:
    """Make the middleware that interrupts the run at each call whose review says so."""

    def waits(request: ToolCallRequest) -> bool:
        review = context.reviews.get(str(request.tool_call["id"]))
        return review is None or review.waits

    def describe(tool_call: Any, state: Any, runtime: Any) -> str:
        review = context.reviews.get(str(tool_call["id"]))
        return review.reason if review else ""

    config: Any = {"allowed_decisions": list(DECISIONS), "when": waits, "description": describe}
    return HumanInTheLoopMiddleware(
        interrupt_on={tool.name: config for tool in tools}, interrupt_mode="per_call"
    )


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
