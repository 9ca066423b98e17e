"""The viewer of a run's replay: one step at a time, from the run's record."""

from __future__ import annotations

from typing import Any

from skillbook.agents.run.run_frames import Frame, Replay
from skillbook.notebook.environment import STATIC
from skillbook.notebook.html.page_and_run import text_html
from skillbook.notebook.page.panel_source import PageView
from skillbook.notebook.page.past import target_of, view_before
from skillbook.notebook.widgets.assets import replay_module
from skillbook.notebook.widgets.widget import PageWidget


class ReplayWidget(PageWidget):
    """Shows a replay; ◀ and ▶ go from step to step.

    Parameters
    ----------
    replay : what to show.
    """

    _esm = replay_module()
    _record_kind = STATIC

    def __init__(self, replay: Replay) -> None:
        super().__init__()
        self._replay = replay
        self._at = 0
        self._render()

    def _render(self) -> None:
        frame = self._replay[self._at] if self._replay else None
        # A step whose page was never read shows none, rather than the page of another step.
        view = view_before(frame) if frame is not None else None
        self._show_page(view if view is not None else PageView("", "", ()))
        self.state = {
            "goal": self._replay.goal,
            "steps": len(self._replay),
            "at": self._at,
            "call": frame.call if frame is not None else "",
            "facts": _facts(frame) if frame is not None else [],
            "target": target_of(frame) if frame is not None else None,
        }

    def _take(self, content: dict[str, Any]) -> None:
        at = content.get("at")
        if content.get("type") == "show" and isinstance(at, int) and 0 <= at < len(self._replay):
            self._at = at
            self._render_soon.request()

    def _record(self) -> tuple[str, str]:
        return replay_html(self._replay), repr(self._replay)

    def __repr__(self) -> str:
        return repr(self._replay)


def replay_html(replay: Replay) -> str:
    """A replay as static HTML: every step, without pages; everything from a page is escaped."""
    return text_html(repr(replay))


def show_replay(replay: Replay) -> None:
    """Show a replay's viewer, and beside it the record for when the notebook is opened again."""
    ReplayWidget(replay).show()


def _facts(frame: Frame) -> list[tuple[str, str]]:
    step = frame.step
    decision = step.decision if step.edited is None else f"edited; proposed: {step.args}"
    facts = [
        ("The model said", step.said),
        ("Decision", f"{decision}{f' ({step.reason})' if step.reason else ''}"),
        ("Outcome", frame.outcome),
        ("What changed", frame.changes),
    ]
    return [(name, text) for name, text in facts if text]
