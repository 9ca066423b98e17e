"""A recording in the notebook: its steps as they are done, each with a mark as an input and a way to leave it out."""

from __future__ import annotations

from html import escape
from typing import Any

import traitlets

from skillbook.agents.run.run_code import code_of_recorded
from skillbook.errors import SkillbookError
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.skill.authoring.demonstration import Demonstration


class RecorderView(PageWidget):
    """Shows a recording live and takes its buttons' presses."""

    kind = traitlets.Unicode("recorder").tag(sync=True)

    def __init__(self, rec: Demonstration) -> None:
        super().__init__()
        self._rec = rec
        rec.on_change.append(self._changed)
        self._changed()

    def __repr__(self) -> str:
        return f"<View of {repr(self._rec).splitlines()[0]}>"

    def _render(self) -> None:
        rec = self._rec
        self.state = {
            "state": rec.state,
            "steps": rec.steps,
            "codes": [code_of_recorded(step) for step in rec.recording.steps],
            "can_redo": rec.can_redo,
            "pointing": rec.pointing,
            "error": rec.problem,
        }

    def _take(self, content: dict[str, Any]) -> None:
        kind, number = content.get("type"), content.get("number")
        rec = self._rec
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
        return f"<b>Recording {self._rec.state}</b><ol>{items}</ol>", repr(self._rec)


def show_recorder(rec: Demonstration) -> None:
    """Show a recording."""
    RecorderView(rec).show()
