"""The system prompt: how to work in a browser, plus the skill that the run follows. It is the same in each request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage

from skillbook.agents.prompts import load_prompt
from skillbook.agents.state.run_context import RunContext
from skillbook.cells.stubs import short_stubs
from skillbook.skill import Skill
from skillbook.skill.builtin import Builtin
from skillbook.skill.library import skills

_PLAN = "plan"
_MOST_SKILLS = 24


def _cells_prompt() -> str:
    """How to write cells, with what they can call; of skills only names are said, which no file can fill with words."""
    known: list[Skill | Builtin] = [one for one in skills.saved if one.spec.replays]
    known += skills.builtin
    named = [f"{one.name}({', '.join(each.name for each in one.inputs)})" for one in known[:_MOST_SKILLS]]
    more = f" and {len(known) - _MOST_SKILLS} more" if len(known) > _MOST_SKILLS else ""
    prompt = load_prompt("cells").replace("{skills}", f"{', '.join(named)}{more}")
    return prompt.replace("{stubs}", short_stubs())


class PromptMiddleware(AgentMiddleware[Any, Any, Any]):
    """Sets the system prompt. The plan is in the tool's answer, and where a summary took that away, a last message."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context
        whole = context.cells is None
        parts = [load_prompt("agent") if whole else _cells_prompt()]
        if context.skill_prompt:
            parts.append(f"The person asks you to follow this skill:\n\n{context.skill_prompt}")
        self._prompt = SystemMessage("\n\n".join(parts))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model with the prompt before the conversation."""
        messages, tasks = request.messages, self._context.tasks
        planned = any(isinstance(message, ToolMessage) and message.name == _PLAN for message in messages)
        if tasks and not planned:
            messages = [*messages, HumanMessage(f"Your plan so far:\n{tasks.text()}")]
        return await handler(request.override(system_message=self._prompt, messages=messages))
