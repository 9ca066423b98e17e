"""Skills before the model: what they surely do is done by their steps; the model has the last word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage

from skillbook.agents.control.first_attempts import FirstAttempts
from skillbook.agents.fence import fence
from skillbook.agents.state.run_context import RunContext
from skillbook.errors import BudgetExceeded, ConnectionLost, ModelUnreachable, SkillbookError

_ENDS = (BudgetExceeded, ConnectionLost, ModelUnreachable)


class KnownWaysMiddleware(AgentMiddleware[Any, Any, Any]):
    """Answers for the model with a skill's calls, one at a time; what fails, is refused or isn't sure is the model's.

    Parameters
    ----------
    context : the run's.
    has_schema : whether the result has a form, which only the model can give it.
    """

    def __init__(self, context: RunContext, *, has_schema: bool) -> None:
        super().__init__()
        self._context, self._has_schema = context, has_schema
        given = context.fork or context.kept or context.skill_prompt or context.plan_first or context.steps
        self._attempts = None if given else FirstAttempts(context)
        self._said = len(context.said)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model, unless a skill has the next call or was all of the goal."""
        if self._attempts is None or len(self._context.said) > self._said:
            self._attempts = None
            return await handler(request)
        answer, came = await self._next(self._attempts)
        if answer is not None:
            return ModelResponse(result=[answer])
        self._attempts = None
        if not came:
            return await handler(request)
        answered = await handler(request.override(messages=[*request.messages, HumanMessage(came)]))
        if any(isinstance(one, AIMessage) and one.tool_calls for one in answered.result):
            self._context.progress = None  # there is more to do than the skill did
        return answered

    async def _next(self, attempts: FirstAttempts) -> tuple[AIMessage | None, str]:
        """The next call or the run's result; else what the model is to know of the attempt."""
        self._context.check_halt()
        self._context.check_budget()
        try:
            answer = await attempts.answer()
        except _ENDS:
            raise
        except SkillbookError as error:
            if not attempts.skill:
                return None, ""
            self._context.progress = None
            return (
                None,
                f"The skill {attempts.skill} ended here; go on yourself. Why:\n{fence(error.message)}",
            )
        if answer.tool_calls or (attempts.is_saved and not self._has_schema):
            return answer, ""
        return None, (
            f"The skill {attempts.skill} did its part, and the page shows it. If the goal is reached, give your "
            "answer; else go on."
        )
