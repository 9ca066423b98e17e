"""Calls that come from outside, such as from another program's agent over MCP, in the place of a model's answers.

So a call of theirs is reviewed, shown, approved, journaled and saved as one of a model here, and holds the same limits.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from skillbook.agents.control.controller import FREE, ControllerModel
from skillbook.agents.models.choice import ModelChoice
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_start import agent, make_run
from skillbook.agents.state.run_cells import RunCells
from skillbook.agents.state.run_context import Autonomy, NewSites, OfferedAs, ReportProgress, RunContext
from skillbook.agents.state.run_parts import RunTabs, RunWorkflow
from skillbook.agents.tools.page_images import images_of
from skillbook.config import load_settings
from skillbook.errors import ApprovalRequired
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.replay.skill_result import SkillResult, StepOutcome

_MARK = "The page's image that was asked for."


@dataclass(frozen=True)
class OutsideAnswer:
    """What came of a call.

    text: as a model here would read it; page text is fenced.
    ok: whether it was carried out.
    images: Base64 of PNGs.
    """

    text: str
    ok: bool
    images: tuple[str, ...] = ()


@dataclass(eq=False)
class OutsideCall:
    """One call, from when it came until it is answered.

    name, args: the run's tool and its arguments.
    id: names it in the run and the journal.
    called_off: whether the program doesn't wait for it any more.
    """

    name: str
    args: dict[str, Any]
    id: str = field(default_factory=lambda: f"call-{uuid4().hex[:12]}")
    answer: asyncio.Future[OutsideAnswer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    called_off: bool = False


class OutsideCalls:
    """The calls of one program, one at a time: it decides in the place of a `Controller`."""

    def __init__(self, name: str, door: str = "MCP") -> None:
        self.name, self.door = name, door
        self._coming: asyncio.Queue[OutsideCall | None] = asyncio.Queue()
        self._current: OutsideCall | None = None

    def choice(self) -> ModelChoice:
        """What a run takes for its model."""
        name = f"{self.name}, over {self.door}"
        return ModelChoice(ControllerModel(controller=self, model_name=name), name, FREE)

    def put(self, name: str, args: dict[str, Any], call_id: str = "") -> OutsideCall:
        """Have the run make a call, under an id of its caller's if that has one that is unique."""
        call = OutsideCall(name, args, call_id) if call_id else OutsideCall(name, args)
        self._coming.put_nowait(call)
        return call

    def end(self) -> None:
        """The program leaves: the run ends once it has made the calls that came, and holds what they still send."""
        self._coming.put_nowait(None)

    async def answer(self, messages: Sequence[BaseMessage] = ()) -> AIMessage:
        """Answer the last call from the conversation, then wait for the next."""
        self._take(messages)
        call = await self._coming.get()
        while call is not None and call.called_off:
            call.answer.set_result(OutsideAnswer("Not done: it was called off before it began.", False))
            call = await self._coming.get()
        self._current = call
        if call is None:
            return AIMessage(f"{self.name} left.")
        return AIMessage("", tool_calls=[{"name": call.name, "args": call.args, "id": call.id}])

    def _take(self, messages: Sequence[BaseMessage]) -> None:
        call, self._current = self._current, None
        if call is None or call.answer.done():
            return
        for place in range(len(messages) - 1, -1, -1):
            message = messages[place]
            if isinstance(message, ToolMessage) and message.tool_call_id == call.id:
                call.answer.set_result(_answer(message, messages[place + 1 :]))
                return


def _answer(message: ToolMessage, after: Sequence[BaseMessage]) -> OutsideAnswer:
    """A call's answer, with what was said to the model after it."""
    texts = [str(each.text) for each in after if isinstance(each, HumanMessage)]
    text = "\n\n".join([str(message.text), *(words for words in texts if not words.startswith(_MARK))])
    return OutsideAnswer(text, message.status != "error", tuple(images_of(message)))


_NAME_CHARACTERS = 40


def outside_run(
    page: Any,
    calls: OutsideCalls,
    tabs: RunTabs | None,
    *,
    autonomy: Autonomy,
    max_calls: int,
    cells: bool,
    names: Mapping[str, str],
    offered: Mapping[str, OfferedAs],
    new_sites: NewSites | None = None,
    only_origins: tuple[str, ...] = (),
    run_workflow: RunWorkflow | None = None,
    report: ReportProgress | None = None,
) -> Run:
    """Make a run that another program decides on; it isn't started.

    page: the driver of the page that it begins on.
    tabs: the tabs that it may use; None for all of the browser's.
    autonomy: which of its calls pass without a person.
    cells: whether it may send code, which is checked, shown and run in a sandbox.
    names: what the program knows the run's tools as.
    new_sites: what a person allows who approves a call on an origin that isn't on the list.
    only_origins: the only ones that it may go to; empty for any.
    run_workflow: carries out a workflow of the person's; None where it may run none.
    report: takes how far a long call is.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", calls.name.lower())[:_NAME_CHARACTERS].strip("-") or "client"
    context = RunContext(
        run_id=f"{'mcp-' if calls.door == 'MCP' else ''}{slug}-{uuid4().hex[:8]}",
        goal=f"What {calls.name} does here",
        page=page,
        choice=calls.choice(),
        autonomy=autonomy,
        max_steps=max_calls + 1,  # a run checks this before it hands the last call's answer over
        cells=RunCells() if cells else None,
        outside_names=names,
        offered=offered,
        vision=True,
        tabs=tabs,
        new_sites=new_sites,
        only_origins=only_origins,
        run_workflow=run_workflow,
        report=report,
    )
    return make_run(context, load_settings())


async def run_prompt(page: Any, prompt: str, *, spec: SkillSpec, model: Any = None) -> SkillResult:
    """Let an agent follow a skill's prompt, on the I/O thread; a `skillbook.skill.replay.skill_run.PromptRunner`.

    Only calls that need a person's approval end it early: a skill that was started is to run by itself.

    prompt: the prompt with the inputs filled in.
    """
    started = time.perf_counter()
    run = agent(page, prompt, model, autonomy="all", remember=False, skill=f"{spec.name}: {spec.description}")
    await run.settle()
    result = SkillResult(spec.name, ok=run.status == "succeeded", answer=run.result, error=run.error)
    if run.pending is not None:
        result.error = ApprovalRequired(
            f"{spec.name} needs a person's approval: {run.pending.text}",
            hint="run its prompt with sb.agent(page, skill.prompt(...)), which asks you",
        )
        await run.halt()
    result.frames = [] if run.frame is None else [run.frame]
    result.outcomes = [
        StepOutcome(
            index=step.index,
            command=step.tool,
            status="ok" if step.ok else "failed",
            how="model",
            url=step.url,
            elapsed_ms=step.elapsed_ms,
            error=step.error or "",
        )
        for step in run.records
    ]
    result.model_calls = run.cost.calls
    result.elapsed_ms = (time.perf_counter() - started) * 1000
    return result
