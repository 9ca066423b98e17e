"""The panel of a run, and the viewer of its replay: one step at a time, from the run's record."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import traitlets
from pydantic import ValidationError

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_trace import Frame, Replay
from skillbook.notebook.environment import STATIC, display_mode
from skillbook.notebook.html.page_and_run import record_html, text_html
from skillbook.notebook.page.panel_source import PageView, PanelSource
from skillbook.notebook.page.past import close_open, list_open, target_of, view_before
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.protocol.asks.run_asks import DecideParams, RunView, TaskEdit
from skillbook.protocol.model import WireModel

W = TypeVar("W", bound=WireModel)
_RENDER_DELAY = 0.05
"""Seconds: an approved call goes out first, then the panel shows it."""


class Panel(PageWidget):
    """Shows a `PanelSource` live and hands it the person's decisions.

    Parameters
    ----------
    source : what to show.
    """

    kind = traitlets.Unicode("run").tag(sync=True)
    details = traitlets.Dict().tag(sync=True)
    listed = traitlets.Dict().tag(sync=True)

    def __init__(self, source: PanelSource) -> None:
        super().__init__(_RENDER_DELAY)
        self._source = source
        self._closing: asyncio.Task[None] | None = None
        self._before: list[tuple[RunView, str]] = []
        self._unsubscribe = source.subscribe(self._changed)
        self._changed()

    def _render(self) -> None:
        self._show_page(self._source.past_view() or self._source.page_view())
        self.state = self._source.panel_state().to_json()
        for panel in {self, *_panels.values()}:
            if panel.listed:  # it stands beside the notebook
                panel._list()

    def _list(self) -> None:
        opened = list_open(_runs(), lambda run: _panels[run].model_id)
        self.listed = {**opened, "panel": self.model_id}

    async def _close_open(self, kind: str, id_: str) -> None:
        try:
            await close_open(kind, id_, _runs())
        finally:
            self._list()

    def _record(self) -> tuple[str, str]:
        state, view = self._source.panel_state(), self._kept(self._source.page_view())
        return record_html([*self._before, (state.run, state.waits)], view), repr(self)

    def _take(self, content: dict[str, Any]) -> None:
        kind = content.get("type")
        if kind == "stop":
            self._source.stop()
        elif kind == "pause":
            self._source.pause()
        elif kind == "go":
            self._go_on(content.get("n"), content.get("until"))
        elif kind == "decision":
            given = _read(DecideParams, content)
            if given is not None and self._shows(given.question):
                self._source.answer(given)
        elif kind == "task":
            edit = _read(TaskEdit, content)
            if edit is not None:
                self._source.edit_tasks(edit)
        elif kind in ("step", "fork", "look"):
            number = content.get("number")
            if isinstance(number, int) and not isinstance(number, bool):
                {"step": self._open, "fork": self._fork, "look": self._source.look_at}[kind](number)
            elif kind == "look":
                self._source.look_at(None)
        elif kind == "remote_input":
            self._source.use_remote_input(content)
        elif kind == "pick":
            waits = self._shows(content.get("id")) and self.state["run"]["question"]["call"] is not None
            self._source.pick(content["id"] if waits and content.get("on") is True else None)
        elif kind == "shown":
            if self._shows(content.get("id")):
                self._source.note_read(content["id"], content.get("sent"))
        elif kind == "point":
            self._source.point(content.get("ref"))
        elif kind == "list_open":
            self._list()
        elif kind == "close_open":
            self._closing = asyncio.ensure_future(
                self._close_open(str(content.get("kind")), str(content.get("id")))
            )

    def _go_on(self, n: object, until: object) -> None:
        count = n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None
        if (until == "write" or until == "irreversible") and (n is None or count is not None):
            self._source.go_on(count, until)

    def _open(self, number: int) -> None:
        found = self._source.step_details(number)
        if found is not None:
            self.details = {**self.details, str(number): found}

    def _fork(self, number: int) -> None:
        before = self._source.panel_state()
        branch = self._source.fork(number)
        if branch is None:
            return
        self._before.append((before.run, before.waits))
        self.details = {}
        for owner in [owner for owner, panel in _panels.items() if panel is self]:
            del _panels[owner]  # it gets a panel of its own when it is started again
        _panels[branch] = self

    def _shows(self, question: object) -> bool:
        """Whether the front end was sent this question last."""
        run = self.state.get("run")
        return run is not None and run["question"] is not None and run["question"]["id"] == question

    def close(self) -> None:
        """End the panel; what it shows goes on."""
        self._unsubscribe()
        super().close()

    def __repr__(self) -> str:
        return f"<Panel of {self._source!r}>"


def _read(model: type[W], content: dict[str, Any]) -> W | None:
    """Read the front end's message; None for one that isn't what it says."""
    try:
        return model.model_validate(
            {name: content[name] for name in model.model_fields if name in content}, strict=True
        )
    except ValidationError:
        return None


_panels: weakref.WeakKeyDictionary[Any, Panel] = weakref.WeakKeyDictionary()


def _runs() -> list[Run]:
    return [owner for owner in list(_panels) if isinstance(owner, Run)]


def show_panel(owner: Any, make_source: Callable[[], PanelSource]) -> Panel | None:
    """Show the panel of something; None where nothing live may be shown.

    Parameters
    ----------
    owner : whose panel it is; it has one panel, however often it is shown.
    make_source : makes what its panel reads.
    """
    if display_mode() != "notebook":
        return None
    panel = panel_of(owner, make_source)
    panel.show()
    return panel


def panel_of(owner: Any, make_source: Callable[[], PanelSource]) -> Panel:
    """The panel of something, which isn't shown by that; see `show_panel`."""
    panel = _panels.get(owner)
    if panel is None:
        panel = _panels[owner] = Panel(make_source())
    return panel


class ReplayWidget(PageWidget):
    """Shows a replay; ◀ and ▶ go from step to step."""

    kind = traitlets.Unicode("replay").tag(sync=True)
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
