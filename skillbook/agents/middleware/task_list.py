"""The task list in the graph's state, what the person says meanwhile, and an end that leaves no task behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.tool_base import kind_of

_UNFINISHED = "unfinished"


class TaskState(AgentState[Any]):
    """The graph's state with the task list in it, as plain data."""

    tasks: NotRequired[list[dict[str, Any]]]


class TaskListMiddleware(AgentMiddleware[TaskState, Any, Any]):
    """Keeps the task list in the checkpoints, and brings what the person said or edited to the model."""

    state_schema = TaskState

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Add what the person said since the last answer."""
        messages = [HumanMessage(words) for words in self._context.take_words()]
        tasks = self._context.tasks.to_json()
        update: dict[str, Any] = {"messages": messages} if messages else {}
        if tasks != state.get("tasks", []):
            update["tasks"] = tasks
        return update or None

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Where the model ends with tasks left that the person agreed to, remind it once."""
        messages, ready = state["messages"], self._context.tasks.ready
        last = messages[-1] if messages else None
        ends = isinstance(last, AIMessage) and not last.tool_calls and not last.invalid_tool_calls
        if (
            not ends
            or not ready
            or not self._context.plan_first
            or any(message.name == _UNFINISHED for message in messages)
        ):
            return None
        left = ", ".join(f"{task.id} ({task.title})" for task in ready)
        words = (
            f"Tasks of your plan are not finished: {left}. Go on with them, or call `plan` to mark what is completed, "
            "failed or dropped; then give your answer again."
        )
        return {"messages": [HumanMessage(words, name=_UNFINISHED)], "jump_to": "model"}

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Mark which task is under way; a plan goes into the state with its answer."""
        context = self._context
        kind = kind_of(request.tool) if request.tool is not None else ""
        if kind not in {"note", "person", ""}:
            context.tasks.begin_next()
        result = await handler(request)
        if kind != "note" or not isinstance(result, ToolMessage):
            return result
        return Command(update={"messages": [result], "tasks": context.tasks.to_json()})
