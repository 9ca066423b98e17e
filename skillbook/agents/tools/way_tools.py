"""Tools that find and go a way: exploration, saved skills with their questions, workflows, and the scout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, Field

from skillbook.agents.fence import fence
from skillbook.agents.skill_goals import goal_for
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.run_parts import RunWorkflow
from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.agents.tools.tool_base import make_tool
from skillbook.cells.crossing import SkillResult
from skillbook.errors import ApprovalRequired
from skillbook.exploration.beam_search import Search
from skillbook.exploration.outcome import Exploration
from skillbook.policy.secrets import read_literal
from skillbook.protocol.commands import ModelWords
from skillbook.session.page.act_requests import HeldRequest
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.library import skills
from skillbook.skill.replay.skill_result import called_by

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext
    from skillbook.skill.facade import Skill
    from skillbook.skill.replay.skill_result import StepOutcome


_RUN = "run_skill"


class SkillQuestions:
    """Approves for one skill what the person approves: a `skillbook.skill.consent.send_allowlist.Consent`."""

    def __init__(self, context: RunContext, name: str) -> None:
        self._context = context
        self._name = name

    async def __call__(self, question: str) -> bool:
        """Whether a person says yes to what the skill wants, before it begins."""
        return await self._ask(_RUN, self._name, Review(True, True, "write", strict=True, reason=question))

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        """Whether a person says yes to a step, or to a request that one causes."""
        if isinstance(about, HeldRequest):
            requests = self._context.requests
            return requests is not None and (await requests.judge(about)).allow
        binding, sites = about.binding, about.data.get("sites")
        if binding is None and sites is not None:
            review = Review(True, True, "write", strict=True, reason=question, sites=tuple(sites))
            return await self._ask(_RUN, self._name, review)
        if binding is None:
            return False
        review = Review(
            True,
            True,
            str(about.data.get("effect", "irreversible")),
            strict=True,
            reason=str(about.data.get("reason") or question),
            target=f"{binding.role} {binding.label!r}".strip(),
            place=binding.record,
            binding=binding,
        )
        return await self._ask(binding.command, review.target, review)

    async def _ask(self, tool: str, target: str, review: Review) -> bool:
        context = self._context
        if context.ask_step is None:
            return False
        return await context.ask_step(
            PendingCall(
                id=f"step-{uuid4().hex[:12]}",
                call_id=context.call_id,
                tool=tool,
                args={"name": target} if tool == _RUN else {},
                said="",
                review=review,
                schema={"type": "object", "properties": {}},
                decisions=("approve", "reject"),
                cell=context.cells.place(context.call_id) if context.cells is not None else None,
                skill=self._name,
            )
        )


_BEAM, _DEPTH, _PAGES = 4, 3, 40
_GOAL_PAGE = 0.8


class ExploreArgs(BaseModel):
    """A goal to find a page for."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(min_length=1, description="What the page is to have, in words.")


class ScoutArgs(BaseModel):
    """Have a helper look for an element."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(min_length=1, description="The element, in words.")


class RunSkillArgs(BaseModel):
    """A saved skill to run."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(description="Its name in `sb.skills`.")
    inputs: dict[str, Any] | None = Field(None, description="Its inputs' values; a secret's is its name.")


class WayTools:
    """The tools of one run."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    async def explore(self, query: str) -> str:
        """Look for a page of this site in background tabs; the tab stays where it is."""
        context = self._context

        def progress(opened: int, known: int) -> None:
            context.advance(_GOAL_PAGE * min(0.9, opened / _PAGES))

        search = Search(
            context.page, goal_for(query), query,
            beam=_BEAM, depth=_DEPTH, pages=_PAGES, progress=progress, opens=False,
        )  # fmt: skip
        context.notes.url = context.page.url
        found = await search.run()
        context.notes.extra["exploration"] = found
        context.notes.summary = repr(found)
        return fence(_described(found))

    async def scout(self, query: str) -> str:
        """Have a helper with tools of its own look at the page, which comes into no conversation but its own."""
        context = self._context
        found = await context.scout(query) if context.scout is not None else []
        context.notes.url = context.page.url
        lines = [
            f"- {one.label} [ref={one.ref}] {one.confidence:.2f}"
            + (f", {one.kind}" if one.kind else "")
            + (f", risk: {one.risk}" if one.risk else "")
            + (f": {one.why}" if one.why else "")
            for one in found
        ]
        context.notes.summary = f"{len(found)} elements"
        return fence("\n".join(lines)) if lines else "The page doesn't surely have it."

    async def run_skill(self, name: str, inputs: dict[str, Any] | None = None) -> str:
        """Run a saved or built-in skill; where it comes to what needs a person, they are asked."""
        context = self._context
        skill = skills.load(name)
        given = {
            key: read_literal(each) if isinstance(each, str) else each for key, each in (inputs or {}).items()
        }
        asks: dict[str, Any] = {"approve": SkillQuestions(context, name)}
        if isinstance(skill, Builtin):
            asks["implied"] = False  # it wasn't a person who called it
        context.notes.before, context.notes.url = context.page.latest, context.page.url
        if context.requests is not None:
            await context.requests.hand_over()  # the skill says itself what it sends
        try:
            with called_by(context.journal_key()):
                result = await skill.arun(
                    context.page,
                    inputs=given,
                    model=False,
                    raise_on_error=True,
                    progress=_step_report(context, skill),
                    **asks,
                )
        finally:
            if context.requests is not None:
                await context.requests.join()
        context.notes.url = context.page.url
        if result.frame is not None:
            context.frame = context.notes.extra["frame"] = result.frame
        context.notes.value = SkillResult(result.value, result.frame)
        done = f"{name} is done" + (f": {result.value}" if result.value is not None else "")
        context.notes.summary = done
        return fence(done)


def _step_report(context: RunContext, skill: Skill | Builtin) -> Callable[[StepOutcome], None] | None:
    """Reports which step of a skill is done, where somebody wants to know."""
    report, planned = context.report, None if isinstance(skill, Builtin) else skill.planned
    if report is None:
        return None
    of_all = f" of {planned}" if planned else ""
    return lambda step: report(f"step {step.index}{of_all}: {step.command}", step.index, planned)


def way_tools(context: RunContext) -> list[BaseTool]:
    """The tools `explore`, `scout` and `run_skill`."""
    tools = WayTools(context)
    return [
        make_tool(
            "explore",
            "Look for a page of this site.",
            ExploreArgs,
            tools.explore,
            effect="read",
        ),
        make_tool(
            "scout",
            "Have a helper find an element.",
            ScoutArgs,
            tools.scout,
            effect="read",
        ),
        make_tool(
            "run_skill",
            "Run a saved skill.",
            RunSkillArgs,
            tools.run_skill,
            effect="write",
            words=ModelWords(hidden=True),
        ),
    ]


def _described(found: Exploration) -> str:
    if not found.found:
        return f"Not found: {found.why}"
    way = [f"{label} {url}".strip() for url, label in found.path]
    then = [f"there, click {press.selector}" for press in found.presses]
    return "\n".join([f"Found; `goto` {found.address} opens it.", *then, "The way there:", *way])


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
