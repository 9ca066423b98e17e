"""A person's workflows as tools: which there are, and one that a client runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.workflow_given import WorkflowGiven
from skillbook.errors import AgentError, SkillbookError, Stopped, WorkflowNotFound
from skillbook.io_thread import io
from skillbook.mcp_server.client_tools import ROWS, WORKFLOW, ClientTool
from skillbook.serving.asking import answers_of
from skillbook.serving.input_forms import workflow_form
from skillbook.serving.runs.served_run import FINAL_STATES
from skillbook.serving.runs.workflow_runs import WorkflowRun
from skillbook.serving.workflows.copilot import copilot
from skillbook.serving.workflows.explore_site import explore_site
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.serving.workflows.workflow_result import Progress, WorkflowResult
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver

_TYPES = {
    "text": "string", "integer": "integer", "number": "number", "boolean": "boolean", "date": "string",
    "secret": "string", "choice": "string", "list": "array", "table": "array",
}  # fmt: skip
_HELP = {"secret": "a secret's name", "date": "YYYY-MM-DD", "table": "rows as objects"}
_DESCRIPTION = 300
_MOST = 40


def workflow_tools() -> list[ClientTool]:
    """A tool for each of the person's workflows; the first forty by name."""
    return [_tool(each) for each in _offered().values()][:_MOST]


def _offered() -> dict[str, Workflow]:
    """The workflows but for those that hand a goal to a model or a search of ours: a client has a model itself."""
    return {name: workflows[name] for name in workflows if workflows[name] not in (copilot, explore_site)}


def _tool(workflow: Workflow) -> ClientTool:
    properties: dict[str, Any] = {}
    for field in workflow_form(workflow):
        properties[field.name] = {"type": _TYPES[field.type]}
        words = ", ".join(filter(None, [field.help, _HELP.get(field.type, "")]))
        if words:
            properties[field.name]["description"] = words[:_DESCRIPTION]
        if field.choices:
            properties[field.name] = {**properties[field.name], "enum": list(field.choices)}
            del properties[field.name]["type"]
    required = [each.name for each in workflow.inputs if each.required]
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    description = (workflow.description or workflow.name)[:_DESCRIPTION]
    return ClientTool(f"{WORKFLOW}{workflow.name}", f"Workflow: {description}", schema, False, True, ROWS)


class ClientWorkflow:
    """One run of a workflow for a client; on the I/O thread."""

    def __init__(self, run: WorkflowRun) -> None:
        self.run = run
        self._moved = asyncio.Event()
        self._listener: Callable[[], None] = lambda: None
        self._reported = 0
        shown = run.changed

        def both() -> None:
            shown()
            io.call_soon(self._note)

        run.changed = both

    def _note(self) -> None:
        self._moved.set()
        self._listener()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call a function, on the I/O thread, when it has something new: progress, a question, its end."""
        self._listener = listener

    @property
    def agents(self) -> list[Run]:
        """The runs of agents that its code started; what they ask, the client's person answers."""
        return [each.run for each in self.run.inner]

    def new_progress(self) -> list[Progress]:
        """What it said of its progress since this was called last."""
        found = list(self.run.reports[self._reported :])
        self._reported += len(found)
        return found

    async def over(self) -> WorkflowGiven:
        """Wait for its end; what it gave.

        Raises
        ------
        SkillbookError : it failed, or a person stopped it.
        """
        try:
            while self.run.state not in FINAL_STATES:
                self._moved.clear()
                await self._moved.wait()
        except asyncio.CancelledError:
            await self.run.stop()
            raise
        if self.run.state == "cancelled":
            raise Stopped(f"the person stopped {self.run.name}", hint="what it did until then is done")
        if self.run.state != "succeeded" or self.run.result is None:
            if isinstance(self.run.error, SkillbookError):
                raise self.run.error
            words, hint = self.run.error_words()
            raise AgentError(
                words or f"{self.run.name} didn't reach its end", hint=hint or "see the side panel"
            )
        value = self.run.result.value
        if isinstance(value, Run) and value.status == "idle":
            raise AgentError(
                f"{self.run.name} gave an agent's run that it didn't start: the agent did nothing",
                hint="its function has to end with `return run.start()`",
            )
        return _given(self.run.result)


async def start_workflow(
    driver: BrowserDriver, page: PageDriver, name: str, inputs: dict[str, Any]
) -> ClientWorkflow:
    """Start a workflow on a client's page, shown in the side panel.

    Raises
    ------
    WorkflowNotFound : there is none of that name for clients. InvalidInput, MissingInput : its inputs don't fit.
    """
    if name not in _offered():
        raise WorkflowNotFound(f"there is no workflow {name!r}", hint="list the tools", name=name)
    run = await (await answers_of(driver)).start_workflow(page, name, inputs)
    assert isinstance(run, WorkflowRun)
    return ClientWorkflow(run)


def _given(result: WorkflowResult) -> WorkflowGiven:
    frame = result.frame if len(result.frame.columns) else None
    lines = [result.text] if result.text else []
    lines += [f"{name}: {value}" for name, value in result.facts.items()]
    lines += [f"file: {path}" for path in result.files]
    if frame is not None:
        lines.append(
            f"{len(frame)} rows, all in the resource `csv`; the first:\n{frame.head().to_string(index=False)}"
        )
    return WorkflowGiven("\n".join(lines), frame)
