"""A run of a workflow, or of a skill that is a prompt, in the side panel, with the agents that it starts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from skillbook.agents import Run, agent
from skillbook.agents.state.question_queue import Place
from skillbook.agents.state.run_context import Autonomy
from skillbook.errors import SkillNotApproved
from skillbook.io_thread import io
from skillbook.protocol.asks.run_asks import RunKind, RunState, RunView, StepLine, TaskEdit
from skillbook.serving.outputs import FactsOutput, FileOutput, RowsOutput, RunOutput, TextOutput
from skillbook.serving.runs.agent_runs import AgentRun
from skillbook.serving.runs.served_run import ServedRun, TaskRun, page_of
from skillbook.serving.workflows.workflow import Workflow
from skillbook.serving.workflows.workflow_result import Progress, WorkflowResult
from skillbook.session.page_driver import PageDriver
from skillbook.session.sync import Page
from skillbook.skill.facade import Skill

under_way: ContextVar[WorkflowRun | None] = ContextVar("skillbook_workflow_run", default=None)
"""The workflow whose code runs."""


class WorkflowRun(TaskRun):
    """A run of a person's function.

    goal: what it is to do, in the person's words; empty for a workflow that was chosen by its name.
    """

    def __init__(
        self,
        workflow: Workflow,
        driver: PageDriver,
        inputs: Mapping[str, Any],
        goal: str = "",
        kind: RunKind = "workflow",
    ) -> None:
        super().__init__(
            "goal" if goal else kind,
            goal or workflow.name,
            name="" if goal else workflow.name,
            inputs=inputs,
            driver=driver,
        )
        self.workflow = workflow
        self._given = dict(inputs)
        self.inner: list[AgentRun] = []
        self._progress: list[Progress] = []
        self._result: WorkflowResult | None = None

    async def work(self) -> None:
        under_way.set(self)
        page = page_of(self._driver)
        result = await self.workflow.arun(page, self._given, on_progress=self._note, raise_on_error=False)
        self._result, self.error = result, result.error
        self.ok = result.ok and (self.inner_state or "succeeded") in {
            "succeeded", "created", "planning", "exploring", "executing", "awaiting_user",
        }  # fmt: skip

    def add_inner(self, run: Run) -> AgentRun:
        """Show a run of an agent that its code started."""
        known = next((each for each in self.inner if each.run is run), None)
        if known is not None:
            return known
        made = AgentRun(run, by_panel=True)
        made.changed = lambda: self.changed()
        self.inner.append(made)
        self.changed()
        return made

    @property
    def reports(self) -> Sequence[Progress]:
        """What it said of its progress, in order."""
        return self._progress

    @property
    def result(self) -> WorkflowResult | None:
        """What its function gave; None before its end."""
        return self._result

    def _note(self, progress: Progress) -> None:
        self._progress.append(progress)
        self.changed()

    @property
    def current(self) -> AgentRun | None:
        """The agent's run that is shown: what waits, or is at work, else the last one."""
        busy = [each for each in self.inner if each.run.status in {"running", "waiting", "paused"}]
        waiting = [each for each in busy if each.run.first_question is not None]
        return next(iter(waiting or busy), self.inner[-1] if self.inner else None)

    @property
    def inner_state(self) -> RunState | None:
        """Where its agent is, if it has one."""
        current = self.current
        return None if current is None else current.state

    @property
    def state(self) -> RunState:
        own = super().state
        inner = self.inner_state
        if inner is None or own in {"failed", "cancelled"}:
            return own
        if not self.is_over:
            return inner if inner in {"awaiting_user", "planning", "exploring"} else own
        return inner  # its function is over, and what it started goes on

    @property
    def words(self) -> str:
        current = self.current
        waits = self.state == "awaiting_user" and not self.questions
        return current.words if waits and current is not None and not self.is_paused else super().words

    async def stop(self) -> None:
        # Its thread can't be ended from here: but whatever it wants of the page is refused once it is stopped.
        if self._operation is not None:
            self._operation.stop()
        for each in self.inner:
            await each.stop()
        await super().stop()

    def pause(self) -> None:
        current = self.current
        if current is not None and current.run.status == "running":
            current.pause()
        else:
            super().pause()

    async def resume(self) -> None:
        current = self.current
        if self.is_paused or current is None:
            await super().resume()
        else:
            await current.resume()

    def tell(self, text: str) -> None:
        current = self.current
        if current is None:
            super().tell(text)
        else:
            current.tell(text)

    def change_tasks(self, edits: Sequence[TaskEdit]) -> None:
        current = self.current
        if current is None:
            super().change_tasks(edits)
        else:
            current.change_tasks(edits)

    def note_shown(self, question: str, place: Place) -> None:
        super().note_shown(question, place)
        for each in self.inner:
            each.note_shown(question, place)

    def holder_of(self, question: str) -> ServedRun:
        for each in self.inner:
            if each.answer_to(question) or (each.question is not None and each.question.id == question):
                return each
        return self

    def outputs(self) -> Sequence[RunOutput]:
        result, found = self._result, list[RunOutput]()
        for number, each in enumerate(self.inner, 1):
            for output in each.outputs():
                output.id = output.id if len(self.inner) == 1 else f"{output.id}-{number}"
                found.append(output)
        if result is None or isinstance(result.value, Run):
            return found
        if len(result.frame.columns):
            found.append(RowsOutput("frame", "Rows", result.frame, self.page))
        if result.facts:
            found.append(FactsOutput("facts", "Facts", result.facts))
        if result.text:
            found.append(TextOutput("text", "Text", result.text))
        found += [FileOutput(f"given-{number}", path) for number, path in enumerate(result.files, 1)]
        return found

    def view(self) -> RunView:
        current = self.current
        inner = current.view() if current is not None else None
        shown = {} if inner is None else inner.model_dump(exclude=set(self._summary()))
        lines = [
            StepLine(number=number, words=str(each), ok=True) for number, each in enumerate(self._progress, 1)
        ]
        error, hint = self.error_words()
        last = self._progress[-1] if self._progress else None
        if inner is None:
            done, total = (last.done, last.total) if last is not None else (None, None)
            shown = {
                "status": self.status,
                "progress": min(max(done / total, 0.0), 1.0) if done is not None and total else None,
                "progress_words": "" if last is None or self.is_over else str(last),
                "can": [*self.steering(), "write_notebook"],
            }
        elif not self.is_over:
            steering = self.steering() if inner.status in {"running", "succeeded", "failed"} else ["stop"]
            shown["can"] = list(dict.fromkeys([*inner.can, *steering]))
            shown["status"] = "paused" if self.is_paused else inner.status
        if self.is_over and self.status == "succeeded":
            shown["progress"] = 1.0
        shown["steps"] = (
            [*lines, *(step.model_copy(update={"number": len(lines) + step.number}) for step in inner.steps)]
            if inner is not None
            else lines
        )
        if self.kind != "workflow" and inner is not None:
            shown["steps"] = inner.steps
        if error:
            shown |= {"error": error, "hint": hint}
        own_question = self.question
        if own_question is not None:
            shown["question"] = own_question
        shown["outputs"] = [output.view() for output in self.outputs()]
        return RunView(**self._summary(), **shown)

    def thumbnail(self, number: int) -> tuple[str, bytes] | None:
        """A step's small screenshot and its format; None where there is none."""
        current = self.current
        at = number if self.kind != "workflow" else number - len(self._progress)
        return current.thumbnail(at) if current is not None and at > 0 else None


def belongs_to_workflow(run: Run) -> bool:
    """Whether a workflow that the side panel runs started an agent's run; it is shown in that one then."""
    workflow = under_way.get()
    if workflow is None:
        return False
    io.call_soon(workflow.add_inner, run)
    return True


class PromptRun(WorkflowRun):
    """A run of a skill without recorded steps."""

    def __init__(
        self, skill: Skill, driver: PageDriver, inputs: Mapping[str, Any], model: Any, autonomy: Autonomy
    ) -> None:
        prompt = skill.prompt(**inputs)

        def follow(page: Page) -> Run:
            run = agent(page, prompt, model, autonomy=autonomy, skill=f"{skill.name}: {skill.description}")
            return run.run()

        super().__init__(Workflow(skill.name, follow), driver, {}, kind="skill")
        self.inputs = dict(inputs)
        self.title = skill.description or skill.name
        self._skill = skill

    async def work(self) -> None:
        if not self._skill.approved:
            decided = await self.ask(
                "confirm", str(self._skill.wants), why="nobody has approved this version yet"
            )
            if decided.decision != "approve":
                raise SkillNotApproved(f"{self._skill.name} was not approved", hint="")
            await asyncio.to_thread(self._skill.approve)
        await super().work()
