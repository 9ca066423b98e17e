"""The runs of one browser: those of this kernel, and the history on disk, which outlives it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from skillbook.agents.state.question_queue import Place, ShownQuestions
from skillbook.errors import InvalidParams, StorageError
from skillbook.io_thread import io
from skillbook.limits import ENDING_SECONDS, MOMENT_SECONDS
from skillbook.protocol.asks.run_asks import Question, RunState, RunSummary, RunView
from skillbook.serving.outputs import FactsOutput, RowsOutput, RunOutput, TextOutput
from skillbook.serving.runs.served_run import FINAL_STATES, ServedRun
from skillbook.session.page_driver import PageDriver
from skillbook.storage import HOME, private_folder, storing

_KEPT_RUNS = 500
_KEPT_ROWS = 100
_MOST_ROWS = 20_000
_TABLES = """
CREATE TABLE IF NOT EXISTS shown (
    run TEXT PRIMARY KEY, kernel TEXT NOT NULL, started REAL NOT NULL, state TEXT NOT NULL, summary TEXT NOT NULL,
    view TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS rows (
    run TEXT NOT NULL, output TEXT NOT NULL, title TEXT NOT NULL, frame TEXT NOT NULL, PRIMARY KEY (run, output)
);
"""


class RunStore:
    """The runs of all kernels of this user, the newest ones.

    path: an SQLite file, made with mode 0600.
    """

    def __init__(self, path: Path, kernel: str) -> None:
        self.path, self.kernel = path, kernel

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, for one transaction."""
        with storing(self.path, HOME):
            private_folder(self.path.parent)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, timeout=10)) as db, db:
                db.executescript(_TABLES)
                yield db

    def keep(self, view: RunView, rows: Sequence[RowsOutput] = ()) -> None:
        """Write down a run as it is, and what rows it gave; what it asks is for now, and isn't written down."""
        view = view.model_copy(update={"question": None})
        summary = RunSummary.model_validate(view.model_dump(include=set(RunSummary.model_fields)))
        record = (
            view.id, self.kernel, view.started, view.state, summary.model_dump_json(), view.model_dump_json(),
        )  # fmt: skip
        with self._opened() as db:
            db.execute("INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?, ?, ?)", record)
            for each in rows:
                frame = each.frame.head(_MOST_ROWS).to_json(
                    orient="split", date_format="iso", force_ascii=False
                )
                db.execute(
                    "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)", (view.id, each.id, each.title, frame)
                )
            newest = "SELECT run FROM shown ORDER BY started DESC LIMIT ?"
            db.execute(f"DELETE FROM shown WHERE run NOT IN ({newest})", (_KEPT_RUNS,))  # noqa: S608
            db.execute(f"DELETE FROM rows WHERE run NOT IN ({newest})", (_KEPT_ROWS,))  # noqa: S608

    def summaries(self, before: float | None, limit: int) -> list[tuple[str, RunSummary]]:
        """The newest runs that began before a time, with the kernel of each."""
        if not self.path.exists():
            return []
        with self._opened() as db:
            found = db.execute(
                "SELECT kernel, summary FROM shown WHERE ? IS NULL OR started < ? ORDER BY started DESC LIMIT ?",
                (before, before, limit),
            ).fetchall()
        summaries = []
        for kernel, summary in found:
            try:
                summaries.append((kernel, RunSummary.model_validate_json(summary)))
            except ValidationError:  # of another version
                continue
        return summaries

    def view(self, run: str) -> tuple[str, RunView] | None:
        """A run as it was kept last, and its kernel."""
        if not self.path.exists():
            return None
        with self._opened() as db:
            row = db.execute("SELECT kernel, view FROM shown WHERE run = ?", (run,)).fetchone()
        try:
            return None if row is None else (row[0], RunView.model_validate_json(row[1]))
        except ValidationError:
            return None

    def rows(self, run: str) -> list[RowsOutput]:
        """The rows that are kept of a run; types such as dates are texts by now."""
        if not self.path.exists():
            return []
        with self._opened() as db:
            kept = db.execute("SELECT output, title, frame FROM rows WHERE run = ?", (run,)).fetchall()
        found = []
        for output, title, text in kept:
            parts = json.load(StringIO(text))
            frame = pd.DataFrame(parts["data"], columns=parts["columns"], index=parts["index"])
            found.append(RowsOutput(output, title, frame))
        return found


_GONE = "the kernel was restarted in the middle of it"


class PastRun(ServedRun):
    """A run that is only known from disk.

    view: as it was kept last.
    go_on: goes on with it in this kernel; None where that can't be.
    """

    def __init__(
        self, view: RunView, rows: Sequence[RowsOutput], go_on: Callable[[], Awaitable[object]] | None
    ) -> None:
        super().__init__(view.id, view.kind, view.title, name=view.name, inputs=view.inputs)
        self.started, self.ended = view.started, view.ended
        self._view, self._rows, self._go_on = view, list(rows), go_on
        self._shown = ShownQuestions()

    @property
    def state(self) -> RunState:
        if self._view.state in FINAL_STATES:
            return self._view.state
        return "awaiting_user" if self._go_on is not None else "cancelled"

    @property
    def page(self) -> PageDriver | None:
        return None

    def view(self) -> RunView:
        unfinished = self._view.state not in FINAL_STATES
        question = None
        if unfinished and self._go_on is not None:
            question = Question(
                id=f"go-on-{self.id}",
                kind="confirm",
                words=f"{_GONE[0].upper()}{_GONE[1:]}. Go on from where it was?",
                why="what was under way may have happened or not; look at the page first",
                decisions=["approve", "reject"],
            )
        changed = {
            **self._summary(),
            "live": self._go_on is not None,
            "tab": None,
            "page": self._view.page,
            "status": "waiting" if question else "stopped" if unfinished else self._view.status,
            "question": question,
            "under_way": "",
            "error": self._view.error or (_GONE if unfinished and question is None else ""),
            "outputs": [output.view() for output in self.outputs()],
            "can": [] if self._go_on is None or self.state == "succeeded" else ["resume"],
        }
        return self._view.model_copy(update=changed)

    def outputs(self) -> Sequence[RunOutput]:
        found: list[RunOutput] = list(self._rows)
        for each in self._view.outputs:
            if each.kind == "text":
                found.append(TextOutput(each.id, each.title, each.text))
            elif each.kind == "facts":
                found.append(FactsOutput(each.id, each.title, each.facts))
        return found

    def note_shown(self, question: str, place: Place) -> None:
        self._shown.show(place, question)

    def shows(self, question: str, place: Place) -> bool:
        """Whether a place showed a question of this run."""
        return not self._shown.problem(place, question)

    gone = "the kernel was restarted"

    async def stop(self) -> None:
        self._view = self._view.model_copy(update={"state": "cancelled", "status": "stopped"})

    async def resume(self) -> None:
        if self._go_on is None:
            raise InvalidParams("this run can't go on", hint="run it again with the same inputs")
        await self._go_on()


_KEPT_LIVE = 100
_log = logging.getLogger("skillbook.serving")


Notify = Callable[[str, dict[str, Any]], object]
"""Reports something to the browser: what, and its facts."""


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

    store: the history on disk.
    notify: reports changes to the browser.
    go_on: goes on with an agent's run that an earlier process of this kernel began.
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

        Raises InvalidParams: there is no such run.
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
            asyncio.get_running_loop().call_later(MOMENT_SECONDS, self._report, known)

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
        if view.state == known.kept_state and now - known.kept_at < ENDING_SECONDS:
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
