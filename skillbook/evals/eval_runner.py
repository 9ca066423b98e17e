"""Results as they come, one line each in a file, so that a killed evaluation goes on where it was."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skillbook.errors import EvalError
from skillbook.evals.attempt import Attempt, AttemptBrowsers, Plan, attempt_task
from skillbook.evals.eval_task import Task
from skillbook.storage import storing

FILE = "attempts.jsonl"


class KeptAttempts:
    """The attempts of a folder.

    Parameters
    ----------
    folder : where they are kept; None keeps them in memory only.
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
