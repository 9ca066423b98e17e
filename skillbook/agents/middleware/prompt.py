"""The system prompt: how to work in a browser, plus the skill that the run follows."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, dynamic_prompt

from skillbook.agents.context import RunContext
from skillbook.agents.prompts import load_prompt


def make_prompt(context: RunContext) -> AgentMiddleware[Any, Any, Any]:
    """Make the middleware that sets the system prompt for each request to the model."""
    base = load_prompt("agent")

    def system_prompt(request: ModelRequest[Any]) -> str:
        parts = [base]
        if context.skill_prompt:
            parts.append(f"The person asks you to follow this skill:\n\n{context.skill_prompt}")
        if context.tasks:
            parts.append("Your plan so far:\n" + "\n".join(str(task) for task in context.tasks))
        return "\n\n".join(parts)

    return dynamic_prompt(system_prompt)
