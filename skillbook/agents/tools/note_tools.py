"""Tools that touch no page: the agent's plan, and asking the person for help."""

from __future__ import annotations

from typing import Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.context import RunContext
from skillbook.agents.records import Task, TaskStatus
from skillbook.agents.tools.base import make_tool
from skillbook.agents.tools.formatting import page_text


class TaskArgs(BaseModel):
    """One task."""

    model_config = ConfigDict(extra="forbid")
    title: str = Field(min_length=1, max_length=200)
    status: TaskStatus = "open"


class PlanArgs(BaseModel):
    """The whole list; it replaces the one before."""

    model_config = ConfigDict(extra="forbid")
    tasks: list[TaskArgs] = Field(max_length=30, description="Every task with its status, in order.")


class AssistanceArgs(BaseModel):
    """What a person has to do."""

    model_config = ConfigDict(extra="forbid")
    type: Literal["captcha", "login", "custom"] = Field(description="What kind of help is needed.")
    message: str = Field(
        min_length=1, description="What the person should do or answer, one or two sentences."
    )


def note_tools(context: RunContext) -> list[BaseTool]:
    """The tools `plan` and `request_assistance`."""

    async def plan(tasks: list[TaskArgs]) -> str:
        context.tasks[:] = [Task(task.title, task.status) for task in tasks]
        context.notes.summary = "; ".join(str(task) for task in context.tasks)
        context.notify()
        return "Noted:\n" + "\n".join(str(task) for task in context.tasks)

    async def request_assistance(type: str, message: str) -> str:
        context.notes.summary = f"a person helped ({type}): {message}"
        seen = await context.snapshot()
        context.notes.url, context.notes.after = seen.url, seen
        return f"The person says it is done. The page is now:\n{page_text(seen)}"

    return [
        make_tool(
            "plan",
            "Keep the list of what is to do and what is done.",
            PlanArgs,
            plan,
            effect="read",
            kind="note",
        ),
        make_tool(
            "request_assistance",
            "Ask the person to do what only they can: solve a captcha, sign in, or decide.",
            AssistanceArgs,
            request_assistance,
            effect="read",
            kind="person",
        ),
    ]
