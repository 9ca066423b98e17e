"""A person's skills and workflows as a client's tools and prompts: which there are, and one that a client runs."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged

from skillbook.agents.fence import fence
from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.run_parts import WorkflowGiven
from skillbook.config import load_settings
from skillbook.errors import AgentError, InvalidInput, SkillbookError, Stopped, WorkflowNotFound
from skillbook.io_thread import io
from skillbook.limits import ENDING_SECONDS
from skillbook.mcp_server.client_tools import ROWS, SKILL, WORKFLOW, ClientTool
from skillbook.serving.asking import answers_of
from skillbook.serving.panel_cards import workflow_form
from skillbook.serving.recordings import saved_words
from skillbook.serving.runs.served_run import FINAL_STATES
from skillbook.serving.runs.workflow_runs import WorkflowRun
from skillbook.serving.workflows.known_workflows import copilot, explore_site, workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.serving.workflows.workflow_result import Progress, WorkflowResult
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver
from skillbook.skill.authoring.record import recording_of_recent
from skillbook.skill.facade import Skill
from skillbook.skill.library import skills

_SKILL_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_DESCRIPTION = 300
_MOST = 40
"""Tools are paid for at every step of a client's model."""


def skill_tools() -> list[ClientTool]:
    """A tool for each saved skill that replays and that a person approved; the first forty by name."""
    return [_skill_tool(skill) for skill in _usable()][:_MOST]


def skill_prompt(name: str, inputs: dict[str, str]) -> str:
    """The prompt of a skill with its inputs filled in.

    Raises SkillbookError: there is no such skill, or an input is wrong.
    """
    return skills.load_saved(name.removeprefix(SKILL)).prompt(**inputs)


def prompt_skills() -> list[Skill]:
    """The skills whose prompts can be asked for."""
    return [skill for skill in skills.saved if skill.approved]


async def save_last_acts(page: PageDriver | None, given: Mapping[str, str]) -> str:
    """Save what was just done in a client's tab; what the client's model is told of it.

    given: the skill's `name`, and how many of the `last` acts, all where it is empty.
    Raises SkillbookError: nothing was done there, or the acts make no skill, or there is one of that name.
    """
    if page is None:
        raise InvalidInput("nothing was done in this session", hint="do it once, then save it")
    last = given.get("last", "").strip()
    if last and not last.isdecimal():
        raise InvalidInput(f"last={last!r} is no number", hint="leave it empty for all that was done")
    made = await asyncio.to_thread(recording_of_recent, page, int(last) if last else None)
    steps = "\n".join(f"{number}. {words}" for number, words in enumerate(made.steps, 1))
    skill = await asyncio.to_thread(
        made.save_skill, given.get("name", ""), skills.folders[0], overwrite=False
    )
    saved = saved_words(skill)
    about = fence("\n".join(filter(None, [f"Steps:\n{steps}", saved.inputs, saved.words])))
    return (
        f"What was just done is saved as the skill {saved.name}, in {saved.path}. What can't be undone in it asks each "
        f"time. Tell the person what it does, and what each run may give.\n{about}"
    )


def _usable() -> list[Skill]:
    return [skill for skill in skills.saved if skill.spec.replays and skill.approved]


def _skill_tool(skill: Skill) -> ClientTool:
    properties: dict[str, Any] = {}
    for each in skill.inputs:
        properties[each.name] = {"type": _SKILL_TYPES.get(each.type, "string")}
        if each.description:
            properties[each.name]["description"] = each.description[:_DESCRIPTION]
        if each.choices:
            properties[each.name]["enum"] = list(each.choices)
    required = [each.name for each in skill.inputs if each.required and each.from_page is None]
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    description = (skill.description or skill.name)[:_DESCRIPTION]
    return ClientTool(f"{SKILL}{skill.name}", f"Saved skill: {description}", schema, False, True, ROWS)


_TYPES = {
    "text": "string", "integer": "integer", "number": "number", "boolean": "boolean", "date": "string",
    "secret": "string", "choice": "string", "list": "array", "table": "array",
}  # fmt: skip
_HELP = {"secret": "a secret's name", "date": "YYYY-MM-DD", "table": "rows as objects"}


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

        Raises SkillbookError: it failed, or a person stopped it.
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

    Raises WorkflowNotFound: there is none of that name for clients. InvalidInput, MissingInput : its inputs don't fit.
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


_MOST_CLIENTS = 100
_FILES = ("SKILL.md", "replay.yaml", "skill.py")
_APPROVED = "approved-skills.json"


class ListChanges:
    """Watches what the lists are made of, from the first list that a client gets until the server is gone.

    bus: reaches the clients of the newer protocol, which subscribe.
    """

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._sessions: dict[str, Any] = {}
        self._watching: asyncio.Task[None] | None = None

    async def listed(self, key: str, session: Any, *, subscribes: bool) -> None:
        """A client got a list.

        key, session: name and reach it.
        subscribes: whether it subscribes to changes, instead of being sent them.
        """
        if not subscribes:
            self._sessions[key] = session
            while len(self._sessions) > _MOST_CLIENTS:
                del self._sessions[next(iter(self._sessions))]
        if self._watching is None or self._watching.done():
            seen, lists = await asyncio.to_thread(lambda: (_traces(), _lists()))
            self._watching = asyncio.ensure_future(_watch(weakref.ref(self), seen, lists))

    async def publish(self) -> None:
        """Say to every client that the lists changed."""
        for event in (ToolsListChanged(), PromptsListChanged()):
            await self._bus.publish(event)
        for key, session in list(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
                await session.send_prompt_list_changed()
            except Exception:  # its connection is gone
                self._sessions.pop(key, None)


async def _watch(found: weakref.ref[ListChanges], seen: Hashable, lists: Hashable) -> None:
    """Look every second whether a file or a workflow changed, and only then whether a list did."""
    with suppress(RuntimeError):  # the process ends, and gives no thread any more
        while found() is not None:
            await asyncio.sleep(ENDING_SECONDS)
            now = await asyncio.to_thread(_traces)
            if now == seen:
                continue
            seen, before = now, lists
            lists = await asyncio.to_thread(_lists)
            watched = found()
            if lists != before and watched is not None:
                await watched.publish()
            del watched


def _traces() -> Hashable:
    """What is cheap to look at: the times of the skills' files, and which workflows there are."""
    paths = [file for folder in skills.folders for name in _FILES for file in folder.glob(f"*/{name}")]
    paths.append(load_settings().home / _APPROVED)
    times = []
    for path in paths:
        with suppress(OSError):
            times.append((str(path), path.stat().st_mtime_ns))
    return (tuple(sorted(times)), tuple((name, id(workflows[name])) for name in workflows))


def _lists() -> Hashable:
    tools = [repr(tool) for tool in [*skill_tools(), *workflow_tools()]]
    return (*tools, *(f"{skill.name} {skill.spec.digest}" for skill in prompt_skills()))
