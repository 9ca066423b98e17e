"""`evaluate`: what users call as `sb.evaluate`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import EvalError
from skillbook.evals.answer import Approve
from skillbook.evals.attempt import Plan, attempt_task, evaluators_of
from skillbook.evals.eval_runner import Interrupted, KeptAttempts, Progress, Runner, reporting
from skillbook.evals.eval_target import make_target
from skillbook.evals.eval_task import Task
from skillbook.evals.evaluation import Evaluation
from skillbook.evals.expectations import Evaluator
from skillbook.evals.langsmith_upload import Upload
from skillbook.evals.task_files import Tasks, load_tasks

if TYPE_CHECKING:
    from skillbook.session.sync import Browser


def evaluate(
    tasks: Tasks,
    *,
    model: Any = None,
    skill: Any = None,
    workflow: Any = None,
    target: Callable[..., Any] | None = None,
    agent: Mapping[str, Any] | None = None,
    evaluators: Sequence[Evaluator] | Mapping[str, Evaluator] = (),
    tags: Sequence[str] = (),
    repetitions: int = 1,
    workers: int = 1,
    client: Any = None,
    browser: Browser | None = None,
    approve: Approve | None = None,
    folder: str | Path | None = None,
    cassettes: str | Path | None = None,
    launch: Mapping[str, Any] | None = None,
    upload_results: bool = False,
    progress: Progress | bool = True,
    name: str | None = None,
) -> Evaluation:
    """Let a skill, a workflow, an agent or a function of yours work on tasks, and score what comes of it.

    No attempt sees another's cookies: at an address each has a browser of its own, and sites that are served for it
    keep their visitor's cookies themselves. A task that fails never ends the evaluation. Ctrl-C ends it and returns
    what there is so far.

    Parameters
    ----------
    tasks : str, Path, Task, dict or list
        A bundled suite's name (`skillbook.evals.suites()`), a YAML file, a folder of them, or tasks.
    model : str, BaseChatModel or False, optional
        Evaluates `sb.agent` with this model, or without one for False.
    skill : Skill or str, optional
        Evaluates a skill; `model` is then the one that a prompt needs.
    workflow : Workflow or str, optional
        Evaluates a workflow.
    target : function, optional
        Evaluates a function of page and task. It may be `async`. Without any of the four, each task says what to run.
    agent : dict, optional
        More options of `sb.agent`, such as `{"skill": "prompt …"}`.
    evaluators : sequence or dict of functions
        More scores: functions of task and answer that return a number from 0 to 1, or several by name. `judge()` and
        `trajectory()` of `skillbook.evals` make such functions.
    tags : sequence of str
        Only tasks that have one of these.
    repetitions : int
        How often each task is attempted.
    workers : int
        How many browsers at a time; with cassettes and with `browser` always one.
    client : distributed.Client, optional
        Makes the attempts on a Dask cluster instead.
    browser : Browser, optional
        An open one to use instead; at addresses its cookies stay from task to task.
    approve : bool or function, optional
        How questions of agents and skills are answered: yes, no, or by a function of the question. By default yes on
        sites that are served for a task that says so, else no.
    folder : str or Path, optional
        Where results are written as they come. The same call goes on where it was killed.
    cassettes : str or Path, optional
        A folder of cassettes: the first time records each attempt, later ones need neither network nor model.
    launch : dict, optional
        Options of `sb.launch`.
    upload_results : bool
        Upload tasks, answers, calls and scores to LangSmith, with the key of the setting `langsmith_api_key`. Without
        it nothing is sent, and no host is looked up.
    progress : bool or function
        A bar, none, or a function of done, total and the attempt.
    name : str, optional
        What the result calls the target.

    Returns
    -------
    Evaluation
        `.frame` has one row for each attempt; `.compare(other)`, `.report(path)`, `.junit(path)`.

    Raises
    ------
    InvalidTask
        A task can't be read, or more than one target is given.
    EvalError
        The options don't go together.

    Examples
    --------
    >>> sb.evaluate("shop", model="openai:gpt-5-mini", repetitions=3).frame  # doctest: +SKIP
    """
    found = load_tasks(tasks, tags)
    chosen = make_target(model=model, skill=skill, workflow=workflow, target=target, agent=agent)
    alone = browser is not None or cassettes is not None or any(task.start.cassette for task in found)
    _check(repetitions, workers, client is not None and browser is not None, client is not None and alone)
    plan = Plan(
        target=chosen,
        evaluators=evaluators_of(evaluators),
        approve=approve,
        launch=dict(launch or {}),
        cassettes=None if cassettes is None else str(Path(cassettes).absolute()),
        browser=browser,
    )
    jobs = [(task, repetition) for repetition in range(1, repetitions + 1) for task in found]
    upload = _upload(found, chosen.name, on_dask=client is not None) if upload_results else None
    make = attempt_task if upload is None else upload.traced(attempt_task)
    runner = Runner(plan, KeptAttempts(folder), 1 if alone else workers, client, make)
    with reporting(progress, len(jobs)) as report:
        try:
            attempts = runner.run(jobs, report)
        except Interrupted as interrupted:
            attempts = interrupted.args[0]
    if upload is not None:
        upload.finish()
    return Evaluation(name or chosen.name, attempts, len(jobs), "" if upload is None else upload.link)


def _upload(tasks: Sequence[Task], target: str, *, on_dask: bool) -> Upload:
    if on_dask:
        raise EvalError("an upload is for one process", hint="leave out `client` or `upload_results`")
    return Upload(tasks, target)


def _check(repetitions: int, workers: int, both: bool, alone_on_dask: bool) -> None:
    """Refuse options that don't go together.

    Raises
    ------
    EvalError : they don't.
    """
    if repetitions < 1 or workers < 1:
        raise EvalError("repetitions and workers are at least 1", hint="give a positive number")
    if both:
        raise EvalError("a cluster's workers can't use your browser", hint="leave out `browser` or `client`")
    if alone_on_dask:
        raise EvalError("cassettes are for one process", hint="leave out `client`")


async def evaluate_async(tasks: Tasks, **options: Any) -> Evaluation:
    """Like `sb.evaluate`, awaitable; its work is done on a thread.

    Parameters
    ----------
    tasks : str, Path, Task, dict or list
        As for `sb.evaluate`.
    **options : object
        As for `sb.evaluate`.

    Returns
    -------
    Evaluation
        What was found.
    """
    return await asyncio.to_thread(partial(evaluate, tasks, **options))
