"""Before the model is queried: what only a person gets past pauses the run, and costs no answer of the model."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from skillbook.agents.review.assistance_reasons import find_failures, find_obstacle
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import Obstacle
from skillbook.agents.tools.formatting import page_text


class AssistanceMiddleware(AgentMiddleware[Any, Any, Any]):
    """Has a person remove what is in the way, once for each obstacle of a document."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context
        self._asked: set[tuple[str, str]] = set()

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Wait for the person where there is an obstacle; the model then learns what they did."""
        context = self._context
        if not context.assist or context.ask_help is None:
            return None
        found = self._find()
        if found is None:
            return None
        said = await context.ask_help(found)
        seen = (
            f"\nThe page is now:\n{page_text(context, await context.snapshot())}"
            if context.page is not None
            else ""
        )
        return {"messages": [HumanMessage(f"{said}{seen}")]}

    def _find(self) -> Obstacle | None:
        context = self._context
        latest = context.page.latest if context.page is not None else None
        if latest is not None:
            found = find_obstacle(latest, f"{context.goal} {context.skill_prompt}")
            key = (found.kind, latest.main.key) if found is not None else None
            if key is not None and key not in self._asked:
                self._asked.add(key)
                return found
        return find_failures(context.steps)
