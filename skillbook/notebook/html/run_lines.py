"""Where a run is, in the terminal: one line for each step, while `run.run()` goes on."""

from __future__ import annotations

import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from skillbook.agents.state.step_records import FINAL_STATUSES, StepRecord
from skillbook.notebook.escaping import shorten, show_hidden
from skillbook.notebook.page.visited_pages import place_of

if TYPE_CHECKING:
    from skillbook.agents.run.agent_run import Run

_CALL_LENGTH, _END_LENGTH, _GOAL_LENGTH = 100, 80, 200


class RunLines:
    """Writes a line for each step of a run, as a context manager.

    A line begins when its call does, with the state of the task, the number of the step and the call in words, and ends
    with what came of it and the address that it led to. A thread of its own writes, so that a terminal that was stopped
    (Ctrl-S) holds up neither the run nor the browser.

    Parameters
    ----------
    run : the run.
    stream : where to write; standard error where None.
    """

    def __init__(self, run: Run, stream: TextIO | None = None) -> None:
        self._run = run
        self._stream = stream or sys.stderr
        self._texts: SimpleQueue[str | None] = SimpleQueue()
        self._writer = Thread(target=self._write, name="skillbook-lines", daemon=True)
        self._done = len(run.records)
        self._call = ""  # whose line has no end yet
        self._asked = ""  # id of the question whose line was written last
        self._url = run.page.url if run.page is not None else ""

    def __enter__(self) -> RunLines:
        self._writer.start()
        if not self._done:
            self._line(f"planning · {shorten(show_hidden(self._run.goal), _GOAL_LENGTH)}")
        self._run.on_progress.append(self._changed)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run.on_progress.remove(self._changed)
        self._break()
        if self._run.status in FINAL_STATUSES:
            self._line(self._end())
        self._texts.put(None)
        self._writer.join()

    def _changed(self, run: Run) -> None:
        """Called on the I/O thread after each change of the run."""
        for step in run.records[self._done :]:
            self._step(step)
        if run.under_way and run.under_way != self._call:
            self._begin(run.under_way)
        pending = run.first_question
        if pending is not None and pending.id != self._asked and run.status == "waiting":
            self._asked = pending.id
            self._break()
            self._line(f"{self._where(self._done + 1)} · {shorten(show_hidden(repr(pending)), _GOAL_LENGTH)}")

    def _begin(self, call: str) -> None:
        self._break()
        self._call = call
        self._texts.put(f"{self._where(self._done + 1)} · {shorten(show_hidden(call), _CALL_LENGTH)}")

    def _step(self, step: StepRecord) -> None:
        if not self._call:
            self._begin(step.in_words)
        self._done = step.index
        outcome = "" if step.ok else f" failed: {step.error}" if step.error else f" {_DECIDED[step.decided]}"
        led = f" → {place_of(step.url, self._url)}" if step.url and step.url != self._url else ""
        self._url = step.url or self._url
        self._texts.put(f"{outcome}{shorten(show_hidden(led), _END_LENGTH)}\n")
        self._call = ""

    def _break(self) -> None:
        """End the line of a call that something came in between of."""
        if self._call:
            self._texts.put(" …\n")
            self._call = ""

    def _where(self, number: int) -> str:
        run = self._run
        tasks = run.tasks.progress()
        far = tasks or (f"{run.progress:.0%}" if run.progress is not None else "")
        words = [run.state.replace("_", " "), far, f"step {number}/{run.max_steps}"]
        return " · ".join(filter(None, words))

    def _end(self) -> str:
        run = self._run
        steps = "1 step" if self._done == 1 else f"{self._done} steps"
        return " · ".join(filter(None, [run.state, run.tasks.progress(), steps, str(run.cost)]))

    def _line(self, text: str) -> None:
        self._texts.put(f"{text}\n")

    def _write(self) -> None:
        while (text := self._texts.get()) is not None:
            with suppress(OSError, ValueError):  # a terminal that is gone ends no run
                self._stream.write(text)
                self._stream.flush()


_DECIDED = {"reject": "rejected", "skip": "skipped", "respond": "answered"}
