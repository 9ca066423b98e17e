"""Progress in a notebook, and updates put together, so that a frontend never gets more than it can render."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from skillbook.io_thread import io
from skillbook.notebook.environment import LIVE, Mode, display_mode
from skillbook.notebook.escaping import escape, shorten, show_hidden

if TYPE_CHECKING:
    from skillbook.skill.replay.skill_result import StepOutcome


MAX_HERTZ = 10.0


class Throttle:
    """Runs a callback on the I/O thread soon after a request, at most ten times a second.

    The last request is never lost.

    hertz: the most runs a second.
    delay: seconds from the first request to its run.
    """

    def __init__(self, callback: Callable[[], None], hertz: float = MAX_HERTZ, delay: float = 0.0) -> None:
        self._callback = callback
        self._gap = 1.0 / hertz
        self._delay = delay
        self._last = float("-inf")
        self._waiting = False
        self._lock = threading.Lock()

    def request(self) -> None:
        """Request a run; may be called from any thread."""
        with self._lock:
            if self._waiting:
                return
            self._waiting = True
        io.call_soon(self._schedule)

    def _schedule(self) -> None:
        delay = max(self._last + self._gap - io.loop.time(), self._delay)
        if delay > 0:
            io.loop.call_later(delay, self._run)
        else:
            self._run()

    def _run(self) -> None:
        with self._lock:
            self._waiting = False
        self._last = io.loop.time()
        self._callback()


NOTE_LENGTH = 80


class _Line(Protocol):
    def render(self, progress: Progress) -> None: ...

    def end(self, progress: Progress) -> None: ...


class Progress:
    """Shows how far something is, as a context manager.

    Parameters
    ----------
    title : what is being done.
    total : how many parts there are; None while that isn't known.
    mode : how to show it; found out where None.
    unit : what follows the count.
    """

    def __init__(
        self, title: str, total: int | None = None, mode: Mode | None = None, unit: str = ""
    ) -> None:
        self.title = title
        self.unit = unit
        self.total = total
        self.done = 0
        self.note = ""
        self.ended = ""
        self._mode: Mode = mode or display_mode()
        self._line: _Line | None = None
        self._rendered_at = 0.0

    def __enter__(self) -> Progress:
        if self._mode == "notebook":
            self._line = _NotebookLine(self)
        elif self._mode == "terminal":
            self._line = _TerminalLine(self)
        return self

    def advance(self, parts: int = 1, note: str = "") -> None:
        """Report that more parts are done; `note` says what is at hand, such as a page's title."""
        self.done += parts
        self.note = note
        now = time.monotonic()
        if self._line is not None and now - self._rendered_at >= 1 / MAX_HERTZ:
            self._rendered_at = now
            self._line.render(self)

    def show(self, done: int, note: str) -> None:
        """Report how many parts are done by now."""
        self.advance(done - self.done, note)

    def on_page(self, pages: int, rows: int) -> None:
        """For `sb.extract(progress=…)`: the pages and rows read so far."""
        self.advance(pages - self.done, f"{rows} rows")

    def on_site(self, opened: int, known: int) -> None:
        """For `sb.explore(progress=…)`: the pages opened and known so far."""
        self.advance(opened - self.done, f"{known} pages known")

    def on_step(self, outcome: StepOutcome) -> None:
        """For `skill.run(progress=…)`: the step that was just done."""
        self.advance(outcome.index - self.done, f"{outcome.command} {outcome.target}".rstrip())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended = "" if error is None else "stopped" if isinstance(error, KeyboardInterrupt) else "failed"
        if self._line is not None:
            self._line.end(self)
            self._line = None

    @property
    def share(self) -> float | None:
        """What part is done, from 0 to 1; None where the total isn't known."""
        return min(self.done / self.total, 1.0) if self.total else None

    def __str__(self) -> str:
        count = f"{self.done}/{self.total}" if self.total is not None else f"{self.done}{self.unit}"
        state = f" {self.ended}" if self.ended else ""
        note = f" · {shorten(show_hidden(self.note), NOTE_LENGTH)}" if self.note else ""
        return f"{self.title}: {count}{state}{note}"


def progress_html(progress: Progress) -> str:
    """One line with a bar; everything in it is escaped."""
    share = progress.share
    bar = (
        ""
        if share is None
        else f'<progress max="1" value="{share:.3f}" style="vertical-align: middle"></progress> '
    )
    return f'<div class="tex2jax_ignore mathjax_ignore" role="status">{bar}{escape(progress)}</div>'


class _NotebookLine:
    def __init__(self, progress: Progress) -> None:
        from IPython.display import display

        self._handle: Any = display(self._bundle(progress), raw=True, display_id=True, metadata=LIVE)

    @staticmethod
    def _bundle(progress: Progress) -> dict[str, str]:
        return {"text/plain": str(progress), "text/html": progress_html(progress)}

    def render(self, progress: Progress) -> None:
        self._handle.update(self._bundle(progress), raw=True, metadata=LIVE)

    def end(self, progress: Progress) -> None:
        self.render(progress)


class _TerminalLine:
    def __init__(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        note = TextColumn("{task.fields[note]}", markup=False)
        self._bar = RichProgress(*columns, note, console=Console(file=sys.stderr))
        self._task = self._bar.add_task(progress.title.replace("[", r"\["), total=progress.total, note="")
        self._bar.start()

    def render(self, progress: Progress) -> None:
        note = shorten(show_hidden(progress.note), NOTE_LENGTH)
        self._bar.update(self._task, completed=progress.done, total=progress.total, note=note)

    def end(self, progress: Progress) -> None:
        self.render(progress)
        self._bar.stop()
