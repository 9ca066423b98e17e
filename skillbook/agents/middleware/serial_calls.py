"""One tool call at a time, that can be kept: calls depend on the page, and each changes it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, hook_config
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import StepRecord


class SerialCallsMiddleware(AgentMiddleware[Any, Any, Any]):
    """Turns parallel calls off, answers surplus calls unrun, and sends broken calls back to the model.

    Numbers too great for a checkpoint become their digits, which a text takes and a number's argument refuses.
    """

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Request one call at a time where the model has that setting."""
        if "parallel_tool_calls" in inspect.signature(request.model.bind_tools).parameters:
            settings = {**request.model_settings, "parallel_tool_calls": False}
            request = request.override(model_settings=settings)
        answer = await handler(request)
        for message in answer.result:
            if isinstance(message, AIMessage):
                message.tool_calls = _storable(message.tool_calls)
        return answer

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Answer calls whose arguments aren't JSON, and let the model try again."""
        last = _last_answer(state["messages"])
        if last is None or not last.invalid_tool_calls:
            return None
        answers: list[ToolMessage] = []
        for call in last.invalid_tool_calls:
            text = f"The arguments of this call of `{call['name']}` were not valid JSON. Call it again."
            answers.append(
                ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")
            )
            self._context.add_step(
                StepRecord(
                    index=0,
                    tool=str(call["name"]),
                    args={"raw": call["args"]},
                    call_id=call["id"] or "",
                    result=text,
                    error="invalid_params",
                )
            )
        return {"messages": answers} if last.tool_calls else {"messages": answers, "jump_to": "model"}

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run the first call of an answer only."""
        last = _last_answer(request.state["messages"])
        call = request.tool_call
        if last is None or not last.tool_calls or last.tool_calls[0]["id"] == call["id"]:
            return await handler(request)
        return ToolMessage(
            "Not run: one call at a time. Read the result of the first, then call again if still needed.",
            name=call["name"],
            tool_call_id=call["id"] or "",
            status="error",
        )


def _storable(value: Any) -> Any:
    """The value with whole numbers of more than 64 bits, which MessagePack doesn't have, as their digits."""
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return str(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value


def _last_answer(messages: list[AnyMessage]) -> AIMessage | None:
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
