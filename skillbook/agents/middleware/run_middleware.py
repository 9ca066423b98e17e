"""What the middleware of a run has in common: the run, and what LangChain hands it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from skillbook.agents.state.run_context import RunContext

ModelAnswer: TypeAlias = ModelResponse[Any]
AskModel: TypeAlias = Callable[[ModelRequest[Any]], Awaitable[ModelAnswer]]
"""Sends a request on towards the model."""
CallAnswer: TypeAlias = ToolMessage | Command[Any]
CarryOut: TypeAlias = Callable[[ToolCallRequest], Awaitable[CallAnswer]]
"""Hands a call on towards its tool."""


class RunMiddleware(AgentMiddleware[Any, Any, Any]):
    """Middleware of one run."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context
