"""Making runs: `agent` is what users call as `sb.agent`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage

from skillbook.agents.control.controller import bind_controller, without_model
from skillbook.agents.control.scout import Scout
from skillbook.agents.models.choice import ModelChoice, choose_model
from skillbook.agents.models.pricing import Cost
from skillbook.agents.run.agent_run import Run, find_live_run
from skillbook.agents.run.build_agent import build_agent
from skillbook.agents.run.run_facts import check_autonomy
from skillbook.agents.run.stepper import Stepper
from skillbook.agents.state.checkpoints import KeptRun, find_run, forget_older, keep_run, open_checkpoints
from skillbook.agents.state.forks import make_fork
from skillbook.agents.state.run_cells import RunCells, cells_before
from skillbook.agents.state.run_context import Autonomy, RunContext
from skillbook.agents.state.session_context import preferences, session_context
from skillbook.agents.state.tasks import TaskList
from skillbook.agents.tools.call_history import messages_before
from skillbook.agents.tools.formatting import page_text
from skillbook.agents.tools.offered import make_tools
from skillbook.agents.tools.tool_base import check_args
from skillbook.cells.sandbox import require_sandbox
from skillbook.config import Settings, load_settings
from skillbook.errors import AgentError, ConfigError, ModelNotConfigured, SkillNotApproved
from skillbook.session.cassette import current
from skillbook.session.page_driver import driver_of

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph

    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page
    from skillbook.skill.facade import Skill

_PLAN_FIRST = (
    "Begin with `plan`: the person looks at the list before anything else happens. Where the goal can mean several "
    "things that lead to different results, begin with one `request_assistance` of type question with options."
)


def agent(
    page: Page | AioPage,
    goal: str,
    model: str | BaseChatModel | Literal[False] | None = None,
    schema: Any = None,
    autonomy: Autonomy = "ask",
    max_steps: int | None = None,
    budget_usd: float | None = None,
    budget_tokens: int | None = None,
    skill: Skill | str | None = None,
    run_id: str | None = None,
    files: Iterable[str | Path] = (),
    plan: bool = False,
    remember: bool = True,
    assist: bool = True,
    vision: bool | None = None,
    mode: Literal["calls", "cells"] = "calls",
) -> Run:
    """Give an agent a goal on a page; nothing happens before `run.start()`, `run.step()` or `run.run()`.

    Parameters
    ----------
    page : Page or AioPage
        What `browser.open(url)` returned.
    goal : str
        What to reach, in plain words.
    model : str or BaseChatModel or False, optional
        A name such as `openai:gpt-5-mini`, a LangChain chat model, or None for `SKILLBOOK_MODEL`. If that isn't set
        either, or with False, the run goes as far as saved skills, built-in skills and exploration lead, and says
        where it stopped.
    schema : object, optional
        Pydantic model, dataclass, TypedDict or JSON schema of `run.result`; None for text.
    autonomy : Autonomy
        `ask` before every call that acts, let `reads` pass, or let `all` pass; irreversible ones always ask.
    max_steps : int, optional
        Tool calls the run may make; the setting `max_steps` by default, 50.
    budget_usd : float, optional
        US dollars the model may cost; the setting `budget_usd` by default, which is no limit.
    budget_tokens : int, optional
        Tokens the model may take in and give out, all its answers together; the setting `budget_tokens` by default,
        which is no limit.
    skill : Skill or str, optional
        A skill whose prompt the agent follows, or the prompt itself; the goal gives its inputs' values.
    run_id : str, optional
        The id of a run of an earlier kernel, to go on where it was, with the goal that it had. What that kernel's
        model wanted to do and what isn't as it was there is asked anew.
    files : iterable of str or Path
        What the agent may upload without asking, besides what is in the folder of the setting `uploads`.
    plan : bool
        Whether the goal becomes a task list that waits for you before anything else happens; where the goal is
        unclear, one question with answers to choose from comes instead. Else the model plans where it needs to.
    remember : bool
        Whether the model learns of earlier runs of this browser session, `run.context`.
    assist : bool
        Whether the run pauses for you, and says what to do, at a captcha, a sign-in page that the goal doesn't speak
        of, a one-time code, a cookie wall, a permission prompt, and after six failures in a row.
    vision : bool, optional
        Whether the model gets an image when it takes a screenshot; by default if it is known to take images.
    mode : str
        `calls`: the model makes one call at a time. `cells`: it writes short Python programs over the page, each of
        which is checked, shown and approved as a whole, and runs in a sandbox; needs `pip install "skillbook[cells]"`.

    Returns
    -------
    Run
        A `Run`.

    Raises
    ------
    ModelNotConfigured
        No usable model.
    ConfigError
        A budget for a model whose price isn't known.
    AgentError
        An empty goal, an unknown autonomy, an unknown run id, or another goal than that run has.
    SkillNotApproved
        A skill that nobody has approved.
    SandboxMissing
        `mode="cells"` without the sandbox.

    Examples
    --------
    >>> run = sb.agent(page, "Find the cheapest lamp", model="openai:gpt-5-mini", autonomy="reads")  # doctest: +SKIP
    >>> run.run().result  # doctest: +SKIP
    """
    settings = load_settings()
    if not goal.strip():
        raise AgentError("The goal is empty.", hint="Say in plain words what the agent is to reach.")
    check_autonomy(autonomy)
    cells = _check_mode(mode, model)
    max_steps = settings.max_steps if max_steps is None else max_steps
    budget_usd = settings.budget_usd if budget_usd is None else budget_usd
    budget_tokens = settings.budget_tokens if budget_tokens is None else budget_tokens
    skill_prompt, driver = _prompt_of(skill), driver_of(page)
    _check_limits(max_steps=max_steps, budget_usd=budget_usd, budget_tokens=budget_tokens)
    choice = _choice(model, settings, needed=cells or bool(skill_prompt) or schema is not None)
    kept = _kept_run(settings, run_id, goal.strip()) if run_id is not None else None
    _check_price(choice, budget_usd)
    if (tape := current()) is not None and driver.browser.cassettes.of(driver.tab.id) is not tape:
        raise ConfigError(
            f"The cassette {tape.name!r} began after this page was opened, so it has nothing of it.",
            hint="Open the page after `sb.cassette(…)`.",
        )
    context = RunContext(
        run_id=run_id or f"run-{uuid4().hex[:12]}",
        goal=goal.strip(),
        page=driver,
        choice=choice,
        autonomy=check_autonomy(autonomy),
        max_steps=max_steps,
        budget_usd=budget_usd,
        budget_tokens=budget_tokens,
        skill_prompt=skill_prompt,
        resumed=kept is not None,
        kept=kept,
        cost=kept.cost if kept is not None else Cost(),
        files=tuple(str(file) for file in files),
        plan_first=plan,
        assist=assist,
        cells=RunCells() if cells else None,
        vision=not cells and (choice.sees if vision is None else vision),
    )
    if run_id is not None:
        _supersede(run_id)
    if remember:
        context.session = session_context(context.page.browser)
    return make_run(context, settings, schema)


def _check_mode(mode: str, model: object) -> bool:
    """Whether the model is to write cells."""
    if mode not in ("calls", "cells"):
        raise AgentError(f"There is no mode={mode!r}.", hint="Use 'calls' or 'cells'.")
    if mode == "cells":
        require_sandbox()
        if model is False:
            raise ModelNotConfigured('mode="cells" needs a model, and model=False forbids it.')
    return mode == "cells"


def _preferences(context: RunContext) -> str:
    """The person's standing words, for a run that a person sees; a replayed one has what it was recorded with."""
    words = preferences.for_page(context.page.url) if current() is None else ""
    return (
        f"The person's standing preferences, which hold unless the goal says otherwise:\n{words}"
        if words
        else ""
    )


def _check_limits(**limits: float | None) -> None:
    """Refuse limits under which nothing can happen."""
    for name, limit in limits.items():
        if limit is not None and limit <= 0:
            raise AgentError(f"{name}={limit} lets the run do nothing.", hint="Give more than 0.")


def _check_price(choice: ModelChoice, budget_usd: float | None) -> None:
    """Refuse a budget that can't be kept."""
    if budget_usd is not None and choice.price is None:
        raise ConfigError(
            f"A budget can't be kept: the price of {choice.name} isn't known.",
            hint="Set SKILLBOOK_PRICE_INPUT and SKILLBOOK_PRICE_OUTPUT, in US dollars for a million tokens.",
        )


def _choice(
    model: str | BaseChatModel | Literal[False] | None, settings: Settings, needed: bool
) -> ModelChoice:
    """The model of a run: the one that is given, else the setting's; without either, or with False, none."""
    if model is False and needed:
        raise ModelNotConfigured("A skill's prompt and a schema need a model, and model=False forbids it.")
    unset = model is None and not needed and not (settings.model or settings.base_url) and current() is None
    return without_model() if model is False or unset else choose_model(model, settings)


def resume(run_id: str, page: Page | AioPage | None = None, **options: Any) -> Run:
    """Go on with a run by its id: the one of this kernel, or one that an earlier kernel began.

    Parameters
    ----------
    run_id : str
        The run's `id`.
    page : Page or AioPage, optional
        The page to go on with; needed for a run of an earlier kernel.
    **options : object
        As for `agent`; the goal is the run's own.

    Returns
    -------
    Run
        The run; `start()`, `step()` or `run()` go on from where it was. No call that may have had its effect is
        repeated.

    Raises
    ------
    AgentError
        There is no such run, or a page is needed.

    Examples
    --------
    >>> sb.resume("run-1f2e3d4c5b6a", page).start()  # doctest: +SKIP
    """
    running = find_live_run(run_id)
    if running is not None and page is None:
        return running
    kept = find_run(load_settings().home / "runs.db", run_id)
    if page is None:
        if kept is None:
            raise _unknown_run(run_id)
        raise AgentError(
            f"The run {run_id!r} was begun in another kernel, so it needs a page to go on with.",
            hint=f"Open its page, then `sb.resume({run_id!r}, page)`.",
        )
    return agent(page, kept.goal if kept is not None else "?", run_id=run_id, **options)


def _supersede(run_id: str) -> None:
    """Leave a run to the object that is being made."""
    older = find_live_run(run_id)
    if older is None:
        return
    if older.status == "running":
        raise AgentError("The run is at work.", hint="Stop it first: `run.stop()`.")
    older.supersede()


def make_run(
    context: RunContext, settings: Settings, schema: Any = None, begin: list[AnyMessage] | None = None
) -> Run:
    """Make a run from its context; `begin` is a conversation to go on from."""
    allow_evaluate = context.page.browser.allow_evaluate
    tools = make_tools(context, allow_evaluate=allow_evaluate, page_tools=context.page.browser.page_tools)
    is_alone = bind_controller(context)
    context.scout = Scout(context.choice, context.page, run=context, vision=context.vision).find
    path = settings.home / "runs.db"

    async def keep(run: KeptRun) -> None:
        await keep_run(path, context.run_id, run)

    async def forget() -> None:
        await forget_older(path, context.run_id)

    context.keep, context.forget = keep, forget

    async def build() -> CompiledStateGraph[Any, Any, Any, Any]:
        checkpoints = await open_checkpoints(path)
        return build_agent(
            context,
            list(tools.values()),
            schema=schema,
            checkpointer=checkpoints,
            summary=context.choice if is_alone else _summary_choice(context.choice, settings),
            summary_tokens=sys.maxsize if is_alone else settings.summary_tokens,
            kept_messages=settings.kept_messages,
        )

    async def first_messages() -> list[AnyMessage]:
        seen = await context.snapshot()
        if begin:
            done = context.fork.for_model() if context.fork is not None else ""
            return [
                *begin,
                HumanMessage(f"Go on from here. {done}The page is now:\n{page_text(context, seen)}"),
            ]
        parts = [
            context.goal,
            _PLAN_FIRST if context.plan_first else "",
            context.session.text(context.run_id),
            _preferences(context),
        ]
        return [
            HumanMessage(
                "\n\n".join([*filter(None, parts), f"The page you start on:\n{page_text(context, seen)}"])
            )
        ]

    stepper = Stepper(context, tools, build, first_messages)

    def fork(at: int, instead: Mapping[str, Any] | None) -> Run:
        branch = _branch(context, at, instead, tools)
        return make_run(
            branch, settings, schema, messages_before(stepper.messages, context.steps[at - 1].call_id)
        )

    return Run(context, stepper, fork)


def _branch(
    context: RunContext, at: int, instead: Mapping[str, Any] | None, tools: Mapping[str, BaseTool]
) -> RunContext:
    """The context of a fork."""
    origin = make_fork(context.run_id, context.steps, at, instead, held=context.page.requests.available)
    if origin.call is not None:
        name, args = origin.call
        if name not in tools:
            raise AgentError(f"Step {at} called {name!r}, which is no tool of this run.")
        check_args(tools[name], args)
    cells = None
    if context.cells is not None:
        cells = RunCells(cells_before(context.cells.records, context.steps[at - 1].call_id))
    return RunContext(
        run_id=f"run-{uuid4().hex[:12]}",
        goal=context.goal,
        page=context.page,
        choice=context.choice,
        autonomy=context.autonomy,
        max_steps=context.max_steps,
        budget_usd=context.budget_usd,
        budget_tokens=context.budget_tokens,
        skill_prompt=context.skill_prompt,
        files=context.files,
        steps=[replace(step) for step in context.steps[: at - 1]],
        tasks=TaskList(context.tasks),
        session=context.session,
        assist=context.assist,
        cells=cells,
        fork=origin,
    )


def _kept_run(settings: Settings, run_id: str, goal: str) -> KeptRun:
    """What is kept of the run to go on with."""
    kept = find_run(settings.home / "runs.db", run_id)
    if kept is None:
        raise _unknown_run(run_id)
    if kept.goal != goal:
        raise AgentError(
            f"The run {run_id!r} has another goal: {kept.goal!r}.",
            hint="Give that goal to go on with it, or leave `run_id` out: that makes a new run.",
        )
    return kept


def _unknown_run(run_id: str) -> AgentError:
    return AgentError(
        f"There is no run {run_id!r} in {load_settings().home / 'runs.db'}.",
        hint="Check the id, or leave `run_id` out: that makes a new run.",
    )


def _summary_choice(choice: ModelChoice, settings: Settings) -> ModelChoice:
    return choose_model(settings.summary_model, settings) if settings.summary_model else choice


def _prompt_of(skill: Skill | str | None) -> str:
    if skill is None or isinstance(skill, str):
        return skill or ""
    if not skill.approved:
        raise SkillNotApproved(
            f"nobody has approved this version of {skill.name}. {skill.wants}", name=skill.name
        )
    spec = skill.spec
    return f"{spec.name}: {spec.description}\n\n{spec.body}"
