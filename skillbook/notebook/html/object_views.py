"""The map of a site, a patch and a run as escaped HTML or lines, for whoever displays one."""

from __future__ import annotations

import base64
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from skillbook.agents.state.step_records import FINAL_STATUSES, StepRecord
from skillbook.notebook.environment import LIVE, Mode
from skillbook.notebook.escaping import escape, shorten, show_hidden
from skillbook.notebook.html.page_and_run import wrap
from skillbook.notebook.html.progress import Progress, progress_html
from skillbook.notebook.page.page_rows import place_of
from skillbook.skill.model.inputs import cell_button
from skillbook.skill.replay.skill_result import Change, Patch

if TYPE_CHECKING:
    from skillbook.agents.run.agent_run import Run


class SiteView:
    """Shows one exploration; called with the pages opened, and whether it has ended.

    mode: "notebook" or "terminal".
    thumbnails: whether it shows what the pages look like.
    """

    def __init__(self, result: Any, pages: int, mode: Mode) -> None:
        self._result = result
        self.thumbnails = mode == "notebook"
        self._line = Progress("Exploring", pages, "quiet" if mode == "notebook" else mode)
        self._handle: Any = None
        if mode == "notebook":
            from IPython.display import display

            self._handle = display(self._bundle(), raw=True, display_id=True, metadata=LIVE)
        else:
            self._line.__enter__()

    def __call__(self, opened: int, ended: bool) -> None:
        """Show it as it is now."""
        self._line.on_site(opened, self._result.graph.number_of_nodes())
        if self._handle is not None:
            self._handle.update(self._bundle(ended), raw=True, metadata=LIVE)
        elif ended:
            self._line.__exit__(None, None, None)

    def _bundle(self, ended: bool = False) -> dict[str, str]:
        # What an exploration came to is its value, which the cell shows; the bar was of its budget.
        words = repr(self._result) if ended else str(self._line)
        line = f'<div role="status">{escape(words)}</div>' if ended else progress_html(self._line)
        return {"text/plain": words, "text/html": f"<div>{line}{self._result.picture()}</div>"}


_LONGEST = 200
_APPLY = "skill = skill.apply(result.patch)\nskill"
_SIDE = 'style="text-align:left;vertical-align:top"'


def patch_html(patch: Patch) -> str:
    """Render a patch."""
    heads = "".join(f"<th>{name}</th>" for name in ("step", "recorded", "now", "why"))
    rows = "".join(_row(change) for change in patch.changes)
    count = f"{len(patch)} change{'s' if len(patch) != 1 else ''}"
    return wrap(
        f'<div class="hd"><b>{escape(patch.skill)}</b><span class="m">{count}, made by '
        f"<code>skill.apply(result.patch)</code></span>{cell_button(_APPLY, 'Apply')}</div>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(change: Change) -> str:
    where = f"{change.step}{' (to)' if change.part == 'to' else ''}"
    sides = "".join(
        f"<td {_SIDE}><code>{escape(shorten(side.selectors[0], _LONGEST))}</code><br>{_image(png)}</td>"
        for side, png in ((change.old, change.before), (change.new, change.after))
    )
    why = escape(shorten(change.why, 2 * _LONGEST))
    return f"<tr><td {_SIDE}>{where}</td>{sides}<td {_SIDE}><b>{change.sureness}</b><br>{why}</td></tr>"


def _image(png: bytes) -> str:
    if not png:
        return '<span class="m">no screenshot</span>'
    data = base64.b64encode(png).decode()
    return f'<img alt="" style="max-width:300px;max-height:200px" src="data:image/png;base64,{data}">'


_CALL_LENGTH, _END_LENGTH, _GOAL_LENGTH = 100, 80, 200


class RunLines:
    """Writes a line for each step of a run, as a context manager.

    A line begins when its call does, with the state of the task, the number of the step and the call in words, and ends
    with what came of it and the address that it led to. A thread of its own writes, so that a terminal that was stopped
    (Ctrl-S) holds up neither the run nor the browser.

    stream: where to write; standard error where None.
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
