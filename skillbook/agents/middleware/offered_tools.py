"""What a model is offered in place of the run's tools, and its calls taken back to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from skillbook.agents.tools.offered import Offer
from skillbook.agents.tools.tool_base import fit_args


class OfferedToolsMiddleware(AgentMiddleware[Any, Any, Any]):
    """Sends the offer's short schemas, and the conversation as a model with these tools would have had it."""

    def __init__(self, offer: Offer, tools: Iterable[BaseTool]) -> None:
        super().__init__()
        self._offer = offer
        self._tools = {tool.name: tool for tool in tools}

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Offer the tools; the calls in the answer become calls of the run's tools."""
        names: dict[str, str] = {}
        messages = [self._as_offered(message, names) for message in request.messages]
        response = await handler(request.override(tools=list(self._offer.schemas), messages=messages))
        response.result = [self._as_run(message) for message in response.result]
        return response

    def _as_offered(self, message: AnyMessage, names: dict[str, str]) -> AnyMessage:
        if isinstance(message, AIMessage) and message.tool_calls:
            calls = []
            for call in message.tool_calls:
                name, args = self._offer.to_model(call["name"], call["args"])
                names[str(call["id"])] = name
                calls.append({**call, "name": name, "args": args})
            return message.model_copy(update={"tool_calls": calls})
        if isinstance(message, ToolMessage):
            return message.model_copy(update={"name": names.get(message.tool_call_id, message.name)})
        return message

    def _as_run(self, message: BaseMessage) -> BaseMessage:
        if not isinstance(message, AIMessage) or not message.tool_calls:
            return message
        calls = []
        for call in message.tool_calls:
            name, args = self._offer.to_run(call["name"], call["args"])
            if (tool := self._tools.get(name)) is not None:
                args = fit_args(tool, args)
            calls.append({**call, "name": name, "args": args})
        return message.model_copy(update={"tool_calls": calls})
