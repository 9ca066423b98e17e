"""Putting the agent together: model, tools, and middleware in the order that approvals need."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any

import langsmith
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ModelCallLimitMiddleware,
    ToolCallLimitMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.tools import BaseTool
from langsmith._runtime_overrides import get_runtime_overrides
from langsmith.utils import tracing_is_enabled

from skillbook.agents.control.controller import is_controlled
from skillbook.agents.middleware.approval import (
    ApprovalMiddleware,
    AssistanceMiddleware,
    BindingMiddleware,
    ReviewMiddleware,
)
from skillbook.agents.middleware.cell_calls import CellsMiddleware
from skillbook.agents.middleware.model_requests import (
    ForkedCallMiddleware,
    KnownWaysMiddleware,
    MeteringMiddleware,
    OfferedToolsMiddleware,
    PromptMiddleware,
    TaskListMiddleware,
    VisionMiddleware,
    make_context_trimming,
    make_summary,
)
from skillbook.agents.middleware.tool_calls import (
    IdempotencyMiddleware,
    RecordingMiddleware,
    SerialCallsMiddleware,
)
from skillbook.agents.middleware.tool_errors import ToolErrorMiddleware
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.review.approval_review import ApprovalReview, ResumeMiddleware
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.offered import make_cells_offer, make_offer
from skillbook.agents.tools.tool_base import fields_of
from skillbook.io_thread import io

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


def trace_in_place() -> None:
    """Let calls on skillbook's loop that nobody traces stay on its thread.

    By default each middleware's call goes to a worker thread twice, to begin and to end a trace, also where none is
    kept; an approved call passes through a dozen of them before it acts. An override that is there already stays.
    """
    if get_runtime_overrides().aio_to_thread is None:
        langsmith.set_runtime_overrides(aio_to_thread=_stay)


async def _stay(
    default: Callable[..., Awaitable[Any]],
    context: Context,
    work: Callable[..., Any],
    /,
    *args: Any,
    **named: Any,
) -> Any:
    if asyncio.get_running_loop() is not io.loop or tracing_is_enabled():
        return await default(context, work, *args, **named)
    return context.run(work, *args, **named)


_ANSWERS_A_STEP = 3


def build_agent(
    context: RunContext,
    tools: Sequence[BaseTool],
    *,
    schema: Any = None,
    checkpointer: BaseCheckpointSaver[Any],
    summary: ModelChoice,
    summary_tokens: int,
    kept_messages: int = 10,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Build the graph that drives one run.

    schema: pydantic model, dataclass, TypedDict or JSON schema of the final answer, or None for text.
    checkpointer: keeps the run between steps.
    summary, summary_tokens, kept_messages: the model that condenses long conversations, from how many tokens on, and
        how many messages at the end it leaves alone.
    """
    trace_in_place()
    strategy = None if schema is None else ToolStrategy(schema)
    approvals = ApprovalReview(context)
    cells = context.cells
    offer = (
        make_offer(tools, files=context.may_upload(), sees=context.vision)
        if cells is None
        else make_cells_offer(tools)
    )
    context.offered = context.offered or offer.shown({tool.name: fields_of(tool) for tool in tools})
    before_approval: list[AgentMiddleware[Any, Any, Any]] = [
        *([CellsMiddleware(context, cells)] if cells is not None else []),
        ForkedCallMiddleware(context),
        *([] if is_controlled(context) else [KnownWaysMiddleware(context, has_schema=schema is not None)]),
        PromptMiddleware(context),
        make_summary(context, summary, summary_tokens, kept_messages),
        ResumeMiddleware(context),
        TaskListMiddleware(context),
        AssistanceMiddleware(context),
        ModelCallLimitMiddleware(
            thread_limit=context.max_steps * _ANSWERS_A_STEP + _ANSWERS_A_STEP, exit_behavior="error"
        ),
        ToolCallLimitMiddleware(thread_limit=context.max_steps + 1, exit_behavior="error"),
        make_context_trimming(),
        SerialCallsMiddleware(context, "" if strategy is None else strategy.schema_specs[0].name),
        *([VisionMiddleware(context)] if context.vision else []),
        OfferedToolsMiddleware(offer, tools),
        MeteringMiddleware(context),
        IdempotencyMiddleware(context),
        ReviewMiddleware(context, approvals),
    ]
    # On resume everything before the approval runs again, so what has effects or catches errors comes after it.
    after_approval: list[AgentMiddleware[Any, Any, Any]] = [
        RecordingMiddleware(context),
        ToolErrorMiddleware(context),
        BindingMiddleware(context, approvals),
    ]
    return create_agent(
        context.choice.model,
        list(tools),
        middleware=[*before_approval, ApprovalMiddleware(context), *after_approval],
        response_format=strategy,
        checkpointer=checkpointer,
    )
