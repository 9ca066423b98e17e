"""`evaluate`: what users call as `sb.evaluate`; results are kept as they come, so that a killed one goes on."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import EvalError
from skillbook.evals.answer import Approve
from skillbook.evals.attempt import Attempt, AttemptBrowsers, Plan, attempt_task, evaluators_of
from skillbook.evals.eval_target import make_target
from skillbook.evals.eval_task import Task, Tasks, load_tasks
from skillbook.evals.evaluation import Evaluation
from skillbook.evals.expectations import Evaluator
from skillbook.evals.langsmith_upload import Upload
from skillbook.limits import READ_SECONDS
from skillbook.storage import storing

if TYPE_CHECKING:
    from skillbook.session.sync import Browser


FILE = "attempts.jsonl"


class KeptAttempts:
    """The attempts of a folder.

    folder: where they are kept; None keeps them in memory only.
    """

    def __init__(self, folder: Path | str | None) -> None:
        self._path = None if folder is None else Path(folder) / FILE
        self._lock = threading.Lock()
        self._known: dict[str, Attempt] = {}
        if self._path is not None:
            with storing(self._path):
                self._path.parent.mkdir(parents=True, exist_ok=True)
            self._read(self._path)

    def _read(self, path: Path) -> None:
        """Take in what is there; a last line that a kill cut short is taken off."""
        if not path.exists():
            return
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            with path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.decode("utf-8").splitlines(), 1):
            try:
                attempt = Attempt.from_json(line)
            except ValueError:
                raise EvalError(
                    f"{path}, line {number}: no result of an evaluation",
                    hint="remove it, or use another folder",
                ) from None
            self._known[attempt.key] = attempt

    def find(self, key: str) -> Attempt | None:
        """The attempt of that key, if it was made."""
        return self._known.get(key)

    def keep(self, attempt: Attempt) -> None:
        """Write an attempt at once."""
        with self._lock:
            self._known[attempt.key] = attempt
            if self._path is None:
                return
            with storing(self._path):
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(attempt.to_json() + "\n")
                    file.flush()
                    os.fsync(file.fileno())


Progress = Callable[[int, int, Attempt], object]
Job = tuple[Task, int]


class Interrupted(Exception):
    """Ctrl-C came; what was made until then is kept."""


class Runner:
    """Makes attempts.

    client: a `distributed.Client` that makes them instead.
    attempt: what makes one; it gets plan, task, repetition and where its browser comes from.
    """

    def __init__(
        self,
        plan: Plan,
        kept: KeptAttempts,
        workers: int,
        client: Any = None,
        attempt: Callable[..., Attempt] = attempt_task,
    ) -> None:
        self._plan, self._kept, self._client, self._attempt = plan, kept, client, attempt
        self._workers = workers
        self._stopping = threading.Event()
        self._sources: list[AttemptBrowsers] = []

    def run(self, jobs: Sequence[Job], report: Callable[[Attempt], object]) -> list[Attempt]:
        """Make those that aren't made yet, and report each; what was kept is reported first.

        Raises Interrupted: with the attempts that were made in `args[0]`.
        """
        made: dict[str, Attempt] = {}
        left: list[Job] = []
        for task, repetition in jobs:
            known = self._kept.find(self._plan.key_of(task, repetition))
            if known is None:
                left.append((task, repetition))
            else:
                made[known.key] = known
                report(known)
        make = self._on_dask if self._client is not None else self._in_threads
        try:
            for attempt in make(left):
                self._kept.keep(attempt)
                made[attempt.key] = attempt
                report(attempt)
        except KeyboardInterrupt:
            raise Interrupted(self._in_order(jobs, made)) from None
        return self._in_order(jobs, made)

    def _in_order(self, jobs: Sequence[Job], made: dict[str, Attempt]) -> list[Attempt]:
        keys = (self._plan.key_of(*job) for job in jobs)
        return [made[key] for key in keys if key in made]

    def stop(self) -> None:
        """Begin no more attempts, and end those that are under way."""
        self._stopping.set()
        for source in self._sources:
            source.close()

    def _in_threads(self, jobs: Sequence[Job]) -> Iterator[Attempt]:
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        done: queue.SimpleQueue[Attempt | BaseException] = queue.SimpleQueue()
        count = min(self._workers, len(jobs))
        plan = self._plan
        self._sources = [AttemptBrowsers(plan.launch, plan.browser) for _ in range(count)]
        threads = [
            threading.Thread(
                target=self._work, args=(waiting, done, source), name="skillbook-eval", daemon=True
            )
            for source in self._sources
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in jobs:
                attempt = _next(done)
                if isinstance(attempt, BaseException):
                    raise attempt
                yield attempt
        finally:
            self.stop()
            for thread in threads:
                thread.join(READ_SECONDS)

    def _work(
        self,
        waiting: queue.SimpleQueue[Job],
        done: queue.SimpleQueue[Attempt | BaseException],
        source: AttemptBrowsers,
    ) -> None:
        while not self._stopping.is_set():
            try:
                task, repetition = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                attempt = self._attempt(self._plan, task, repetition, source)
            except BaseException as error:
                # A fault of ours, or an interrupt of the thread: whoever waits must not wait for ever.
                done.put(error)
                return
            if not self._stopping.is_set():
                done.put(attempt)

    def _on_dask(self, jobs: Sequence[Job]) -> Iterator[Attempt]:
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        futures = [
            self._client.submit(self._attempt, self._plan, task, repetition, pure=False)
            for task, repetition in jobs
        ]
        for future, (task, repetition) in zip(futures, jobs, strict=True):
            future.add_done_callback(
                lambda future, task=task, repetition=repetition: done.put((future, task, repetition))
            )
        try:
            for _ in jobs:
                future, task, repetition = _next(done)
                error = future.exception()
                yield future.result() if error is None else self._lost(task, repetition, error)
        finally:
            self._client.cancel(futures)

    def _lost(self, task: Task, repetition: int, error: BaseException) -> Attempt:
        """What is said of an attempt whose worker was lost."""
        key = self._plan.key_of(task, repetition)
        reason = f"{type(error).__name__}: {error}"[:500]
        return Attempt(task.name, repetition, self._plan.target.name, key, error=reason)


def _next(done: queue.SimpleQueue[Any]) -> Any:
    """The next result; wakes often, so that Ctrl-C is noticed everywhere."""
    while True:
        try:
            return done.get(timeout=0.2)
        except queue.Empty:
            continue


@contextmanager
def reporting(progress: Progress | bool, total: int) -> Iterator[Callable[[Attempt], None]]:
    """Report each attempt: to a function of done, total and attempt, or as a bar on standard error."""
    done = 0
    if callable(progress):

        def call(attempt: Attempt) -> None:
            nonlocal done
            done += 1
            progress(done, total, attempt)

        yield call
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), disable=not progress, transient=True) as bar:
        row = bar.add_task(f"{total} attempts", total=total)
        yield lambda attempt: bar.advance(row)


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
    """Refuse options that don't go together."""
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
