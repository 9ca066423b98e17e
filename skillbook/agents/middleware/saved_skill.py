"""A saved skill that says just what the goal says, before a model is asked how to reach it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage

from skillbook.agents.context import RunContext
from skillbook.agents.saved_goals import saved_for

_REPLACED = "Reject the call to let the model find its own way."


class SavedSkillMiddleware(AgentMiddleware[Any, Any, Any]):
    """Answers for the model with the skill's call, and when that is done. What fails or is refused is the model's.

    Parameters
    ----------
    context : the run's.
    """

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context
        given = context.fork or context.kept or context.skill_prompt or context.plan_first
        self._tries = not given
        self._call = ""

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model, unless a saved skill says just what the goal says."""
        answer = await self._begin() if self._tries else self._end()
        self._tries = False
        return ModelResponse(result=[answer]) if answer is not None else await handler(request)

    async def _begin(self) -> AIMessage | None:
        found = await saved_for(self._context.page, self._context.goal) if not self._context.steps else None
        if found is None:
            return None
        self._call = f"call-{uuid4().hex[:12]}"
        call = {"name": "run_skill", "args": {"name": found.name}, "id": self._call, "type": "tool_call"}
        return AIMessage(f"A saved skill does this: {found.why}. {_REPLACED}", tool_calls=[call])

    def _end(self) -> AIMessage | None:
        """The run's result, if all that was done is the skill."""
        call, self._call = self._call, ""
        steps = self._context.steps
        done = (
            bool(call) and len(steps) == 1 and steps[0].call_id == call and steps[0].error is None
            and steps[0].decision not in {"reject", "respond"}
        )  # fmt: skip
        return AIMessage(steps[0].result) if done else None
