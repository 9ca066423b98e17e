"""Putting the agent together: model, tools, and middleware in the order that approvals need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ModelCallLimitMiddleware,
    ToolCallLimitMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain_core.tools import BaseTool

from skillbook.agents.control.controller import is_controlled
from skillbook.agents.middleware.approval import ApprovalMiddleware, BindingMiddleware, ReviewMiddleware
from skillbook.agents.middleware.assistance import AssistanceMiddleware
from skillbook.agents.middleware.cell_calls import CellsMiddleware
from skillbook.agents.middleware.context_trimming import make_context_trimming
from skillbook.agents.middleware.forked_call import ForkedCallMiddleware
from skillbook.agents.middleware.idempotency import IdempotencyMiddleware
from skillbook.agents.middleware.metering import MeteringMiddleware
from skillbook.agents.middleware.offered_tools import OfferedToolsMiddleware
from skillbook.agents.middleware.prompt import PromptMiddleware
from skillbook.agents.middleware.serial_calls import SerialCallsMiddleware
from skillbook.agents.middleware.site_memory import KnownWaysMiddleware
from skillbook.agents.middleware.step_recording import RecordingMiddleware
from skillbook.agents.middleware.summarization import make_summary
from skillbook.agents.middleware.task_list import TaskListMiddleware
from skillbook.agents.middleware.tool_errors import ToolErrorMiddleware
from skillbook.agents.middleware.vision import VisionMiddleware
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.models.tracing import trace_in_place
from skillbook.agents.review.approval_review import ApprovalReview
from skillbook.agents.review.resumed_calls import ResumeMiddleware
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.offered import make_cells_offer, make_offer
from skillbook.agents.tools.tool_base import fields_of

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

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

    Parameters
    ----------
    context: what the run shares.
    tools: the tools offered.
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
