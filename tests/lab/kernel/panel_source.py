"""A panel's source for tests of the panel alone: runs in the kernel and notes every answer."""

from __future__ import annotations

import io as streams
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from skillbook.notebook.page.panel_source import (
    Decision,
    PageView,
    PanelState,
    PastStep,
    PendingView,
    Refusal,
    Row,
    StepView,
    TaskEdit,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "target": {"type": "string", "description": "A ref such as e12, or a role selector."},
        "value": {"type": "string", "minLength": 1},
        "times": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1},
        "button": {"enum": ["left", "middle", "right"], "default": "left"},
        "force": {"type": "boolean", "default": False},
        "modifiers": {"type": "array", "items": {"enum": ["Alt", "Control", "Shift"]}, "default": []},
        "values": {"type": "array", "items": {"type": "string"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    },
    "required": ["target", "value"],
}


def make_rows(names: list[str]) -> tuple[Row, ...]:
    """A page with one button for each name."""
    top = Row("e1", "main", "", 0)
    buttons = [
        Row(f"e{n + 2}", "button", name, 1, "", True, (10, 10 + 40 * n, 120, 30))
        for n, name in enumerate(names)
    ]
    return (top, *buttons)


class AskingSource:
    """Puts one question after the other and notes the answers.

    Parameters
    ----------
    questions : what to ask.
    view : the page to show.
    """

    def __init__(
        self, questions: list[PendingView], view: PageView | None = None, goal: str = "Buy a lamp"
    ) -> None:
        self.answers: list[Decision] = []
        self.read: list[str] = []
        self.stopped = False
        self.went: list[object] = []
        self.edits: list[TaskEdit] = []
        self.view = view
        self.refuse_next = ""
        self.pointed: list[object] = []
        self.asked_to_pick: list[str | None] = []
        self.past_page = PageView("https://shop.test/before", "Before", make_rows(["Buy", "Once"]))
        self.handed: list[dict[str, Any]] = []
        self._questions = list(questions)
        self._listeners: list[Callable[[], None]] = []
        self.state = PanelState(
            goal, "waiting", step=1, max_steps=50, tokens=1234, cost=0.0123, model="test-model"
        )
        self._ask()

    def _ask(self) -> None:
        pending = self._questions.pop(0) if self._questions else None
        status = "succeeded" if pending is None else "assistance" if pending.assistance else "waiting"
        self.state = replace(self.state, pending=pending, status=status, refusal=None)

    def panel_state(self) -> PanelState:
        return self.state

    def page_view(self) -> PageView | None:
        return self.view

    def past_view(self) -> PageView | None:
        return self.past_page if self.state.past else None

    def look_at(self, number: int | None) -> None:
        past = PastStep(number, 3, "click button 'Buy'", "e2") if number is not None and number <= 3 else None
        self.state = replace(self.state, past=past)
        self.notify()

    def note_read(self, question: str) -> None:
        self.read.append(question)

    def answer(self, decision: Decision) -> None:
        assert self.state.pending is not None
        if self.refuse_next:
            refusal = Refusal(decision.id, 1, self.refuse_next)
            self.state, self.refuse_next = replace(self.state, refusal=refusal), ""
        else:
            self.answers.append(decision)
            number = len(self.answers)
            step = StepView(
                number,
                self.state.pending.tool,
                "target=e2",
                "done",
                decision.kind in {"approve", "edit", "step"},
                decision.kind,
                declined=decision.kind in {"reject", "skip", "respond"},
                after=f"key {number}",
                fork=f"branch = run.fork(at={number})",
            )
            self.state = replace(self.state, steps=(*self.state.steps, step))
            self._ask()
        self.notify()

    def edit_tasks(self, edit: TaskEdit) -> None:
        self.edits.append(edit)

    def stop(self) -> None:
        self.stopped = True
        self.state = replace(self.state, status="stopped", pending=None)
        self.notify()

    def pause(self) -> None:
        self.went.append("pause")

    def go_on(self, n: int | None, until: str) -> None:
        self.went.append((n, until))

    def point(self, ref: object) -> None:
        self.pointed.append(ref)

    def step_details(self, number: int) -> dict[str, str] | None:
        return {"outcome": "done\nin full", "changes": "+ button 'New'"}

    def fork(self, number: int) -> None:
        self.went.append(("fork", number))

    def pick(self, question: str | None) -> None:
        self.asked_to_pick.append(question)
        self.state = replace(self.state, picking=question is not None)
        self.notify()

    def use_remote_input(self, content: dict[str, Any]) -> None:
        self.handed.append(content)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def notify(self) -> None:
        for callback in list(self._listeners):
            callback()

    def __repr__(self) -> str:
        return f"<AskingSource {self.state.goal!r}>"


def call(id_: str, tool: str = "fill", **args: Any) -> PendingView:
    """A call that waits."""
    return PendingView(
        id_,
        tool,
        args or {"target": "e2", "value": "oak"},
        "write",
        SCHEMA,
        ("target",),
        target_text='button "Buy"',
        reason="It writes.",
    )


def png(width: int, height: int) -> bytes:
    """A white screenshot, made here so that the tests need no file."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    out = streams.BytesIO(b"\x89PNG\r\n\x1a\n")
    out.seek(8)
    out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)))
    out.write(chunk(b"IDAT", zlib.compress((b"\x00" + b"\xff" * width) * height)))
    out.write(chunk(b"IEND", b""))
    return out.getvalue()
