"""A panel's source for tests of the panel alone: runs in the kernel and notes every answer."""

from __future__ import annotations

import dataclasses
import io as streams
from collections.abc import Callable
from typing import Any

from skillbook.agents.run.run_words import STATE_WORDS
from skillbook.notebook.page.panel_source import PageView, PanelState, PastStep, Row
from skillbook.protocol.asks.run_asks import (
    CallView,
    DecideParams,
    Question,
    RunView,
    StepLine,
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


STATES = {
    "idle": "created", "running": "executing", "waiting": "awaiting_user", "paused": "awaiting_user",
    "succeeded": "succeeded", "failed": "failed", "stopped": "cancelled",
}  # fmt: skip


def replace(thing: Any, **changes: Any) -> Any:
    """The same with changes: of a panel's state those of its run, of a question those of its call, too."""
    if isinstance(thing, PanelState):
        of_run = {name: changes.pop(name) for name in list(changes) if name in RunView.model_fields}
        return dataclasses.replace(thing, run=replace(thing.run, **of_run), **changes)
    if dataclasses.is_dataclass(thing):
        return dataclasses.replace(thing, **changes)  # type: ignore[type-var]
    if isinstance(thing, Question):
        of_call = {name: changes.pop(name) for name in list(changes) if name not in Question.model_fields}
        changes |= {"call": replace(thing.call, **of_call)} if of_call else {}
    if isinstance(thing, RunView) and "status" in changes:
        state = STATES[changes["status"]]
        changes = {**changes, "state": state, "words": STATE_WORDS[state], "can": can(changes["status"])}
    return thing.model_copy(update=changes)


def can(status: str) -> list[str]:
    """What a run can be told in this status."""
    able = ["pause"] if status == "running" else []
    able += ["stop"] if status in {"running", "waiting", "paused"} else []
    able += ["resume"] if status in {"idle", "paused", "stopped", "failed"} else []
    return able if status in {"succeeded", "failed", "stopped"} else [*able, "tell"]


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
        self, questions: list[Question], view: PageView | None = None, goal: str = "Buy a lamp"
    ) -> None:
        self.answers: list[DecideParams] = []
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
        run = RunView(
            id="r1", kind="goal", title=goal, state="awaiting_user", words="waits for you", started=0,
            status="waiting", max_steps=50, tokens=1234, cost=0.0123, model="test-model",
        )  # fmt: skip
        self.state = PanelState(run)
        self._ask()

    def _ask(self) -> None:
        question = self._questions.pop(0) if self._questions else None
        status = "succeeded" if question is None else "waiting"
        self.state = replace(self.state, question=question, status=status)

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

    def note_read(self, question: str, since: float | None = None) -> None:
        self.read.append(question)

    def answer(self, given: DecideParams) -> None:
        question = self.state.run.question
        assert question is not None
        if self.refuse_next:
            refused, self.refuse_next = replace(question, refusal=self.refuse_next), ""
            self.state = replace(self.state, question=refused, refusals=self.state.refusals + 1)
        else:
            self.answers.append(given)
            number = len(self.answers)
            made = step(
                number,
                question.call.tool if question.call else "",
                decision=given.decision,
                ok=given.decision in {"approve", "edit", "step", "done"},
                declined=given.decision in {"reject", "skip", "respond"},
                after=f"key {number}",
            )
            self.state = replace(self.state, steps=[*self.state.run.steps, made])
            self._ask()
        self.notify()

    def edit_tasks(self, edit: TaskEdit) -> None:
        self.edits.append(edit)

    def stop(self) -> None:
        self.stopped = True
        self.state = replace(self.state, status="stopped", question=None)
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
        return f"<AskingSource {self.state.run.title!r}>"


def call(id_: str, tool: str = "fill", schema: Any = SCHEMA, **args: Any) -> Question:
    """A call that waits."""
    shown = CallView(
        tool=tool,
        args=args or {"target": "e2", "value": "oak"},
        json_schema=schema,
        targets=["target"] if "target" in schema["properties"] else [],
        phrase="Fill in" if tool == "fill" else "",
        target='the button "Buy"' if tool == "fill" else "",
    )
    return Question(
        id=id_,
        kind="approve",
        words='Fill in the button "Buy"',
        why="It writes.",
        risk="write",
        call=shown,
        editable=list(schema["properties"]),
        decisions=["approve", "edit", "reject", "respond", "skip"],
    )


def help_wanted(id_: str, obstacle: str, words: str, **more: Any) -> Question:
    """A request for help, or a question with answers to choose from."""
    kind = "choose" if more.get("choices") else "assist"
    decisions = ["choose" if kind == "choose" else "done", "respond", "reject"]
    return Question.model_validate(
        {"id": id_, "kind": kind, "obstacle": obstacle, "words": words, "decisions": decisions, **more}
    )


def step(number: int, tool: str = "click", **more: Any) -> StepLine:
    """A step that was made."""
    made = {"words": f"{tool} it", "ok": True, "outcome": "done", "tool": tool, "args": "target=e2", **more}
    return StepLine(number=number, **made)


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
