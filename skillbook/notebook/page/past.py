"""The page as it was before a step, shown in the place of the page as it is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_frames import Frame
from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.page_rows import view_of
from skillbook.notebook.page.panel_source import PageView, PastStep

_CALL_LENGTH = 300


@dataclass
class Past:
    """Which step of a run is looked at. Used on the I/O thread only.

    Parameters
    ----------
    run_of : gives the run.
    changed : called when another step is looked at.
    """

    run_of: Callable[[], Run]
    changed: Callable[[], None]
    step: PastStep | None = None
    view: PageView | None = None

    def show(self, number: int | None) -> None:
        """Look at a step; None goes back to what is now, and so does a step that there isn't."""
        frames = self.run_of().replay()
        frame = frames[number - 1] if number is not None and 1 <= number <= len(frames) else None
        self.step = self.view = None
        if frame is not None and number is not None:
            self.view = view_before(frame) or PageView("", "", ())
            self.step = PastStep(
                number, len(frames), shorten(frame.call, _CALL_LENGTH), target_of(frame) or ""
            )
        self.changed()


def view_before(frame: Frame) -> PageView | None:
    """The page before a step; None where it was never read, rather than the page of another step."""
    return view_of(frame.before) if frame.before is not None else None


def target_of(frame: Frame) -> str | None:
    """The ref that a step acted on."""
    node = frame.step.extra.get("node")
    target = frame.step.args.get("target") if frame.step.edited is None else frame.step.edited.get("target")
    return (node.ref if node is not None else None) or (target if isinstance(target, str) else None)
