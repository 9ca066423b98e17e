"""Tools that touch no page: the task list, and requesting help of the person."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field, field_validator

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import ASSISTANCE
from skillbook.agents.tools.formatting import page_text
from skillbook.agents.tools.tool_base import make_tool
from skillbook.protocol.commands import ModelWords

_SYNONYMS = {
    "open": "pending",
    "todo": "pending",
    "doing": "executing",
    "in_progress": "executing",
    "done": "completed",
}


class TaskArgs(BaseModel):
    """One task; where only its `id` and what changes is given, the rest stays.

    The words for types and statuses are in the system prompt, which is cheaper than in the schema, and checked later.
    """

    model_config = ConfigDict(extra="forbid")
    id: int | None = Field(None, ge=1)
    title: str | None = Field(None, min_length=1, max_length=200)
    type: str | None = None
    parameters: dict[str, Any] | None = None
    after: list[int] | None = Field(None, description="Ids of tasks that come before.")
    status: str | None = None

    @field_validator("status", mode="before")
    @classmethod
    def _known_word(cls, value: object) -> object:
        return _SYNONYMS.get(value, value) if isinstance(value, str) else value


class PlanArgs(BaseModel):
    """The whole list, or those tasks of it that change."""

    model_config = ConfigDict(extra="forbid")
    tasks: list[TaskArgs] = Field(max_length=30, description="Every task in order, later those that change.")


class AssistanceArgs(BaseModel):
    """What a person has to do or answer."""

    model_config = ConfigDict(extra="forbid")
    type: Literal["captcha", "login", "question", "custom"] = Field(
        description="What kind of help is needed."
    )
    message: str = Field(
        min_length=1, description="What the person should do or answer, one or two sentences."
    )
    options: list[str] | None = Field(None, max_length=9, description="Answers to choose from.")


def note_tools(context: RunContext) -> list[BaseTool]:
    """The tools `plan` and `request_assistance`."""

    async def plan(tasks: list[TaskArgs]) -> str:
        edited = context.decisions.get(context.call_id, {}).get("type") == "edit"
        if context.proposed == context.call_id and not edited:
            head = "The person changed it:" if context.take_edit() else "The person agrees:"
        else:
            context.tasks.merge(facts_of(tasks))
            head = "Noted:"
        context.proposed, context.planned = "", True
        context.notes.summary = "; ".join(map(str, context.tasks))
        context.notify()
        return "\n".join([head, context.tasks.text(), *_what_next(context)])

    async def request_assistance(type: str, message: str, options: list[str] | None = None) -> str:
        if type == "question":
            context.notes.summary = f"nobody answered: {message}"
            return "The person leaves the answer to you: do what is most sensible and can be undone."
        context.notes.summary = f"a person helped ({type}): {message}"
        seen = await context.snapshot()
        context.notes.url, context.notes.after = seen.url, seen
        return f"The person says it is done. The page is now:\n{page_text(context, seen)}"

    return [
        make_tool(
            "plan",
            "Keep the list of what is to do and what is done.",
            PlanArgs,
            plan,
            effect="read",
            kind="note",
            words=ModelWords(short="Keep a task list."),
        ),
        make_tool(
            ASSISTANCE,
            "Ask the person to do what only they can: solve a captcha, sign in, or decide.",
            AssistanceArgs,
            request_assistance,
            effect="read",
            kind="person",
            words=ModelWords(
                short="Have the person solve a captcha, sign in, or decide.",
                arguments={"message": "What to do or answer."},
            ),
        ),
    ]


def facts_of(tasks: list[TaskArgs]) -> list[dict[str, Any]]:
    """Tasks of a call as `TaskList.merge` takes them."""
    return [task.model_dump(exclude_none=True) for task in tasks]


def _what_next(context: RunContext) -> list[str]:
    """What can be done now, and what can't be any more."""
    ready, blocked = context.tasks.ready, context.tasks.blocked
    lines = []
    if any(task.status == "failed" for task in context.tasks) and blocked:
        lines.append(f"Can't be done any more: {', '.join(str(task.id) for task in blocked)}.")
    if ready:
        lines.append(f"Next: {ready[0].id}.")
    return lines
