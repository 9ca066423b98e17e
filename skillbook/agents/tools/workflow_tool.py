"""The tool by which another program's agent runs a person's workflow; the layer above carries it out."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.fence import fence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.workflow_given import RunWorkflow
from skillbook.agents.tools.tool_base import make_tool

RUN_WORKFLOW = "run_workflow"
_WHY = "its code acts in your name, and asks nothing for what it does itself"


class RunWorkflowArgs(BaseModel):
    """A workflow to run."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(description="Its name.")
    inputs: dict[str, Any] = Field({}, description="Its inputs' values; a secret's is its name.")


def workflow_tool(context: RunContext, run: RunWorkflow) -> BaseTool:
    """The tool of a run that may run workflows; each call needs a person, since a workflow's code acts as theirs."""

    async def work(name: str, inputs: dict[str, Any] | None = None) -> str:
        notes = context.notes
        notes.before, notes.url = context.page.latest, context.page.url
        if context.requests is not None:
            await context.requests.hand_over()  # what its code sends is the person's, not the run's
        try:
            given = await run(name, inputs or {})
        finally:
            if context.requests is not None:
                await context.requests.join()
        notes.url = context.page.url
        if given.frame is not None:
            context.frame = notes.extra["frame"] = given.frame
        notes.summary = f"{name} is done"
        return f"{notes.summary}.\n{fence(given.text)}" if given.text else f"{notes.summary}."

    return make_tool(RUN_WORKFLOW, "Run a workflow.", RunWorkflowArgs, work, effect="irreversible", why=_WHY)
