"""The runs of one browser: those of this kernel, and the history on disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from skillbook.errors import InvalidParams, StorageError
from skillbook.io_thread import io
from skillbook.protocol.asks.run_asks import RunSummary
from skillbook.serving.runs.past_runs import PastRun
from skillbook.serving.runs.run_store import RunStore
from skillbook.serving.runs.served_run import FINAL_STATES, ServedRun

NOTICE_SECONDS = 0.1
KEEP_SECONDS = 1.0
_KEPT_LIVE = 100
_log = logging.getLogger("skillbook.serving")


class Notify(Protocol):
    """Reports something to the browser."""

    def __call__(self, notice: str, data: dict[str, Any]) -> None:
        """Report it."""


@dataclass
class _Known:
    """What was reported of a run."""

    run: ServedRun
    pending: bool = False
    question: str | None = None
    rows: dict[str, int] = field(default_factory=dict)
    kept_state: str = ""
    kept_at: float = 0.0


class RunList:
    """The runs. Used on the I/O thread only, but for `changed`.

    Parameters
    ----------
    store : the history on disk.
    notify : reports changes to the browser.
    go_on : goes on with an agent's run that an earlier process of this kernel began.
    """

    def __init__(
        self, store: RunStore, notify: Notify, go_on: Callable[[RunSummary], Awaitable[object]]
    ) -> None:
        self._store, self._notify, self._go_on = store, notify, go_on
        self._known: dict[str, _Known] = {}
        self._writing = asyncio.Lock()
        self._ended = False
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, run: ServedRun) -> ServedRun:
        """Know a run from now on; one that has its id gives way."""
        former = self._known.pop(run.id, None)
        if former is not None:
            former.run.changed = lambda: None
            run.started = former.run.started
        known = self._known[run.id] = _Known(run)
        run.changed = lambda: io.call_soon(self._changed, known)
        over = [each.run.id for each in self._known.values() if each.run.state in FINAL_STATES]
        for id in over[: max(0, len(self._known) - _KEPT_LIVE)]:
            del self._known[id]
        self._changed(known)
        return run

    def live(self) -> list[ServedRun]:
        """The runs of this process, the newest first."""
        return sorted((each.run for each in self._known.values()), key=lambda run: -run.started)

    async def find(self, id: str) -> ServedRun:
        """A run by its id.

        Raises
        ------
        InvalidParams : there is no such run.
        """
        if id in self._known:
            return self._known[id].run
        kept = await asyncio.to_thread(self._store.view, id)
        if kept is None:
            raise InvalidParams(f"there is no run {id!r}", hint="look at the list of runs")
        kernel, view = kept
        rows = await asyncio.to_thread(self._store.rows, id)
        ours = kernel == self._store.kernel and view.kind == "goal" and view.state != "succeeded"
        summary = RunSummary.model_validate(view.model_dump(include=set(RunSummary.model_fields)))

        async def go_on() -> None:
            await self._go_on(summary)

        return PastRun(view, rows, go_on if ours else None)

    async def summaries(self, limit: int, before: float | None = None) -> list[RunSummary]:
        """The last runs, the newest first."""
        live = {run.id: run.summary() for run in self.live()}
        kept = await asyncio.to_thread(self._store.summaries, before, limit + len(live))
        found = [one for one in live.values() if before is None or one.started < before]
        for kernel, one in kept:
            if one.id not in live:
                found.append(self._past(kernel, one))
        return sorted(found, key=lambda one: -one.started)[:limit]

    def _past(self, kernel: str, one: RunSummary) -> RunSummary:
        """A run on disk as it can be now: who worked on it is gone."""
        unfinished = one.state not in FINAL_STATES
        ours = kernel == self._store.kernel and one.kind == "goal"
        changed: dict[str, Any] = {"live": ours and one.state != "succeeded", "tab": None}
        if unfinished and ours:
            changed |= {"state": "awaiting_user", "words": "waits for you: the kernel was restarted"}
        elif unfinished:
            changed |= {"state": "cancelled", "words": "its kernel ended, or is another one"}
        return one.model_copy(update=changed)

    async def unfinished(self) -> list[RunSummary]:
        """The agents' runs that an earlier process of this kernel left unfinished."""
        return [
            one
            for one in await self.summaries(50)
            if one.id not in self._known and one.live and one.state == "awaiting_user"
        ]

    # --- changes ---

    def _changed(self, known: _Known) -> None:
        """Report a change, at most ten times a second for each run."""
        if not known.pending:
            known.pending = True
            asyncio.get_running_loop().call_later(NOTICE_SECONDS, self._report, known)

    def _report(self, known: _Known) -> None:
        known.pending = False
        run = known.run
        if self._ended or self._known.get(run.id) is not known:
            return
        view = run.view()
        question = view.question
        self._notify(
            "run_changed",
            {
                "run": run.id,
                "title": run.title,
                "state": view.state,
                "words": view.words,
                "question": question.id if question else None,
            },
        )
        if question is not None and question.id != known.question:
            self._notify(
                "question_open",
                {"run": run.id, "title": run.title, "question": question.id, "words": question.words},
            )
        known.question = question.id if question else None
        for output in run.rows():
            if known.rows.get(output.id) != len(output.frame):
                known.rows[output.id] = len(output.frame)
                self._notify("rows_came", {"run": run.id, "output": output.id, "count": len(output.frame)})
        self._keep_soon(known, view)

    def _keep_soon(self, known: _Known, view: Any) -> None:
        now = asyncio.get_running_loop().time()
        if view.state == known.kept_state and now - known.kept_at < KEEP_SECONDS:
            return
        known.kept_state, known.kept_at = view.state, now
        rows = known.run.rows() if view.state in FINAL_STATES else []
        self._spawn(self._keep(view, rows))

    async def keep(self, run: ServedRun) -> None:
        """Write down a run as it is now."""
        await self._keep(run.view(), [])

    async def _keep(self, view: Any, rows: Any) -> None:
        async with self._writing:
            try:
                try:
                    await asyncio.to_thread(self._store.keep, view, rows)
                except RuntimeError:  # the process ends, and gives no thread any more
                    self._store.keep(view, rows)
            except (StorageError, ValueError) as error:  # a full disk ends no run
                _log.warning("the run %s could not be written down: %s", view.id, error)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Write down every run as it is now, and nothing of how it ends with this process."""
        self._ended = True
        for known in list(self._known.values()):
            await self._keep(known.run.view(), known.run.rows())
        if self._tasks:
            await asyncio.wait(set(self._tasks))
