"""What is evaluated: a skill, a workflow, an agent with a model or without one, or a function of yours."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import skillbook as sb
from skillbook.errors import InvalidTask, SkillbookError
from skillbook.evals.answer import Answer, AnsweringPerson
from skillbook.evals.eval_task import Task
from skillbook.io_thread import io
from skillbook.session.sync import Page
from skillbook.skill import Skill

Stop = Callable[[], object]


@dataclass(frozen=True)
class Work:
    """A task that is carried out.

    person: answers questions.
    answer: gets what came of it.
    on_stop: gets what ends it early.
    """

    page: Page
    task: Task
    person: AnsweringPerson
    answer: Answer
    on_stop: Callable[[Stop], object]


class Target(Protocol):
    """Carries a task out on a page."""

    @property
    def name(self) -> str:
        """What results show."""
        ...

    @property
    def digest(self) -> str:
        """Names what is evaluated; another one after a change."""
        ...

    def carry_out(self, work: Work) -> None:
        """Do the work, and put what came of it into its answer."""
        ...


@dataclass
class AgentTarget:
    """`sb.agent` with a model, or without one for `model=False`."""

    model: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name."""
        if self.model is False:
            return "no model"
        if self.model is None:
            return sb.Settings().model or "no model"
        return self.model if isinstance(self.model, str) else _model_name(self.model)

    @property
    def digest(self) -> str:
        """The model's name and the options."""
        return _digest(self.name, *sorted((name, str(value)) for name, value in self.options.items()))

    def carry_out(self, work: Work) -> None:
        """Let a run go to its end; questions are answered by the person's rule."""
        task = work.task
        if task.goal is None:
            raise InvalidTask(
                f"{task.name} has no goal for an agent", hint="give it one, or name another target"
            )
        limits = {
            "max_steps": task.budget.steps,
            "budget_usd": task.budget.usd,
            "budget_tokens": task.budget.tokens,
        }
        given = "\n".join(f"{name}: {value}" for name, value in task.inputs.items())
        options = {"autonomy": task.autonomy, "assist": False, "remember": False, **limits, **self.options}
        run = sb.agent(work.page, f"{task.goal}\n{given}".strip(), self.model, **options)
        work.on_stop(run.stop)
        try:
            io.sync(run.settle())
            while run.status == "waiting" and (pending := run.pending) is not None:
                work.person.answer(run, pending)
        except SkillbookError:
            if run.status == "waiting":
                run.stop()
        work.answer.take(run)


@dataclass
class SkillTarget:
    """A saved skill, or a built-in one."""

    skill: Any
    model: Any = None

    @property
    def name(self) -> str:
        """The skill's name."""
        return str(self.skill.name)

    @property
    def digest(self) -> str:
        """The skill's version."""
        return _digest(self.name, getattr(self.skill, "digest", ""), self.model)

    def carry_out(self, work: Work) -> None:
        """Run it where the task starts."""
        where = {"start": "here"} if isinstance(self.skill, Skill) else {}
        model = {} if self.model is None else {"model": self.model}
        inputs = values_of(work.task.inputs)
        result = self.skill.run(work.page, inputs=inputs, approve=work.person.allows, **where, **model)
        work.answer.take(result)


@dataclass
class WorkflowTarget:
    """A workflow."""

    workflow: Any

    @property
    def name(self) -> str:
        """The workflow's name."""
        return str(self.workflow.name)

    @property
    def digest(self) -> str:
        """The function's text."""
        return _digest(self.name, _source(self.workflow.function))

    def carry_out(self, work: Work) -> None:
        """Run it with the task's inputs."""
        result = self.workflow.run(work.page, values_of(work.task.inputs), raise_on_error=False)
        work.answer.take(result)


@dataclass
class FunctionTarget:
    """A function of page and task; it may be `async`."""

    function: Callable[[Page, Task], Any]

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    @property
    def digest(self) -> str:
        """The function's text."""
        return _digest(self.name, _source(self.function))

    def carry_out(self, work: Work) -> None:
        """Call it."""
        made = self.function(work.page, work.task)
        work.answer.take(asyncio.run(_awaited(made)) if inspect.isawaitable(made) else made)


class OwnTarget:
    """What each task names itself: its skill, its workflow, or its goal for the model of the settings."""

    name = "as each task says"
    digest = ""

    def carry_out(self, work: Work) -> None:
        """Carry it out by what the task names."""
        chosen: Target = AgentTarget()
        if work.task.skill is not None:
            chosen = SkillTarget(sb.load_skill(work.task.skill))
        elif work.task.workflow is not None:
            chosen = WorkflowTarget(sb.workflows[work.task.workflow])
        chosen.carry_out(work)


def make_target(
    *, model: Any, skill: Any, workflow: Any, target: Any, agent: Mapping[str, Any] | None
) -> Target:
    """The target that the options of `sb.evaluate` name.

    Raises InvalidTask: several are named, or options of an agent where none is evaluated.
    """
    named = [each for each in (skill, workflow, target) if each is not None]
    if len(named) > 1 or (model is not None and (workflow or target) is not None):
        raise InvalidTask(
            "one target is evaluated at a time", hint="give one of model, skill, workflow and target"
        )
    if agent and named:
        raise InvalidTask(
            "options of an agent are for evaluating one", hint="leave out `agent`, or the other target"
        )
    if skill is not None:
        return SkillTarget(sb.load_skill(skill) if isinstance(skill, str) else skill, model)
    if workflow is not None:
        return WorkflowTarget(sb.workflows[workflow] if isinstance(workflow, str) else workflow)
    if target is not None:
        return FunctionTarget(target)
    return OwnTarget() if model is None and not agent else AgentTarget(model, agent or {})


def values_of(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A task's inputs; a secret stands in a file by its name only."""
    secret = {"secret"}
    return {
        name: sb.secret(str(value["secret"]))
        if isinstance(value, Mapping) and set(value) == secret
        else value
        for name, value in inputs.items()
    }


async def _awaited(made: Any) -> Any:
    return await made


def _model_name(model: Any) -> str:
    names = (getattr(model, name, None) for name in ("model_name", "model", "name"))
    return next((str(name) for name in names if name), type(model).__name__)


def _source(function: Any) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return repr(function)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
