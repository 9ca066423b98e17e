"""A recording in the notebook: its steps as they are done, each with a mark as an input and a way to leave it out."""

from __future__ import annotations

from typing import Any

import traitlets

from skillbook.agents.run.run_code import code_of_recorded
from skillbook.errors import SkillbookError
from skillbook.io_thread import io
from skillbook.notebook.escaping import escape
from skillbook.notebook.html.page_and_run import wrap
from skillbook.notebook.page.presence import Presence
from skillbook.notebook.page.remote_input import Pointer, RemoteInput
from skillbook.notebook.page.watcher import PageWatcher
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.session.page_driver import PageDriver
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.model.spec_base import slug


class RecorderView(PageWidget):
    """Shows a recording live and takes its buttons' presses."""

    kind = traitlets.Unicode("recorder").tag(sync=True)

    def __init__(self, rec: Demonstration) -> None:
        super().__init__()
        self._rec = rec
        self._watcher = PageWatcher(self._page, self._changed)
        self._remote_input = RemoteInput(self._page, self._watcher, self._changed)
        self._pointer = Pointer(self._page)
        self._presence = Presence(self._page, self._changed)
        rec.on_change.append(self._note)
        self._note()

    def _page(self) -> PageDriver:
        return self._rec.driver

    def _note(self) -> None:
        """A step more or less: where the browser has no window, its page shows here, to be recorded in."""
        if not self._remote_input.has_window and self._rec.state != "stopped":
            io.call_soon(self._watcher.refresh)
        self._changed()

    def __repr__(self) -> str:
        return f"<View of {repr(self._rec).splitlines()[0]}>"

    def _render(self) -> None:
        rec, is_used_here = self._rec, not self._remote_input.has_window and self._rec.state != "stopped"
        if is_used_here:
            self._show_page(self._watcher.view)
        self.state = {
            "state": rec.state,
            "gone": self._presence.gone if rec.state != "stopped" else "",
            "shows_page": is_used_here,
            "remote_input_problem": self._remote_input.problem,
            "save": _save_code(rec) if rec.state == "stopped" and rec.steps else "",
            "steps": rec.steps,
            "codes": [code_of_recorded(step) for step in rec.recording.steps],
            "can_redo": rec.can_redo,
            "pointing": rec.pointing,
            "error": rec.problem,
        }

    def _take(self, content: dict[str, Any]) -> None:
        kind, number = content.get("type"), content.get("number")
        rec = self._rec
        if kind == "remote_input":
            self._remote_input.take(content)
        elif kind == "point":
            self._pointer.point(content.get("ref"))
        try:
            if kind in {"undo", "redo"}:
                rec.undo() if kind == "undo" else rec.redo()
            elif kind in {"delete", "input"} and isinstance(number, int):
                name = content.get("name")
                rec.delete(number) if kind == "delete" else rec.input(
                    number, name if isinstance(name, str) else ""
                )
            elif kind in {"pause", "resume", "stop"}:
                rec.request(kind)
            elif kind in {"rows", "check"}:
                rec.request_mark(kind)
        except SkillbookError as error:
            self.state = {**self.state, "error": error.message}

    def _record(self) -> tuple[str, str]:
        items = "".join(f"<li>{escape(words)}</li>" for words in self._rec.steps)
        head = f'<div class="hd"><b>{_RECORDED[self._rec.state]}</b></div>'
        return wrap(f"{head}<ol>{items}</ol>"), repr(self._rec)


_RECORDED = {"recording": "Recording", "paused": "Recording paused", "stopped": "Recorded"}


def _save_code(rec: Demonstration) -> str:
    name = slug(rec.recording.goal) or "my-skill"
    return f"skill = rec.save_skill({name!r})\nskill"


def show_recorder(rec: Demonstration) -> None:
    """Show a recording."""
    RecorderView(rec).show()
