"""Makes the attempts of an evaluation: several at a time, none twice, and as many as were made at an interrupt."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from skillbook.evals.attempt import Attempt, Plan, attempt_task
from skillbook.evals.attempt_browser import AttemptBrowsers
from skillbook.evals.eval_task import Task
from skillbook.evals.kept_attempts import KeptAttempts

Progress = Callable[[int, int, Attempt], object]
Job = tuple[Task, int]
_END_SECONDS = 5.0


class Interrupted(Exception):
    """Ctrl-C came; what was made until then is kept."""


class Runner:
    """Makes attempts.

    Parameters
    ----------
    plan : what they have in common.
    kept : where they are kept.
    workers : how many at a time.
    client : a `distributed.Client` that makes them instead.
    attempt : what makes one; it gets plan, task, repetition and where its browser comes from.
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

        Raises
        ------
        Interrupted : with the attempts that were made in `args[0]`.
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
                thread.join(_END_SECONDS)

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
        said = f"{type(error).__name__}: {error}"[:500]
        return Attempt(task.name, repetition, self._plan.target.name, key, error=said)


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
