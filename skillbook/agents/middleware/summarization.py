"""Condensing long conversations."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.messages.utils import get_buffer_string

from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.prompts import load_prompt
from skillbook.agents.state.cell_history import open_cell
from skillbook.agents.state.run_context import RunContext


def make_summary(
    context: RunContext, choice: ModelChoice, tokens: int, kept: int
) -> AgentMiddleware[Any, Any, Any]:
    """Make the middleware that condenses a conversation of more than `tokens` tokens, but for its last messages."""
    prompt = load_prompt("summary")

    async def summarize(messages: list[AnyMessage]) -> str:
        request = prompt.replace("{messages}", get_buffer_string(messages))
        answer = await context.query_model(choice.model.ainvoke(request), _usage)
        return str(answer.text)

    return _BetweenCells(
        context, choice.model, trigger=("tokens", tokens), keep=("messages", kept), summarizer=summarize
    )


class _BetweenCells(SummarizationMiddleware):
    """Condenses only while no cell is under way, whose calls and answers belong together."""

    def __init__(self, context: RunContext, model: Any, **options: Any) -> None:
        super().__init__(model, **options)
        self._context = context

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Condense what is too long."""
        if self._context.cells is not None and open_cell(state.get("cells", [])) is not None:
            return None
        return await super().abefore_model(state, runtime)


def _usage(answer: AIMessage) -> dict[str, int] | None:
    usage = answer.usage_metadata
    if usage is None:
        return None
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]}
