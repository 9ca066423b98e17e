"""A run, step by step, from what it kept: no browser is needed, and nothing is done again."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, overload

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import StepRecord
from skillbook.journal.trace_file import Trace, TraceStep
from skillbook.policy.secrets import store

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot


_OUTCOME_LENGTH = 300


@dataclass(frozen=True)
class Frame:
    """One step as it was.

    step: the call, who decided, and what came of it.
    before, after: the page as it was last read before and after the step; None where it wasn't read.
    """

    step: StepRecord
    before: Snapshot | None
    after: Snapshot | None

    @property
    def call(self) -> str:
        """The call in words, such as `click link 'Next'`; page text."""
        return self.step.in_words

    @property
    def outcome(self) -> str:
        """What came of it; page text."""
        text = f"{self.step.error}: {self.step.result}" if self.step.error else self.step.result
        return text if len(text) <= _OUTCOME_LENGTH else f"{text[: _OUTCOME_LENGTH - 1]}…"

    @property
    def page(self) -> str:
        """The text of the page before the step, as a model would read it; empty where it wasn't read."""
        return self.before.text(budget=4000) if self.before is not None else ""

    @property
    def changes(self) -> str:
        """What differs on the page after the step; empty where that isn't known."""
        if self.before is None or self.after is None or self.before is self.after:
            return ""
        return self.after.diff(self.before).text()

    def __repr__(self) -> str:
        step = self.step
        spoken = f"\n   the model said: {step.said}" if step.said else ""
        where = f"\n   on: {self.before.title}" if self.before is not None else ""
        decision = step.decision if step.edited is None else f"edit, proposed: {json.dumps(step.args)}"
        at = f"\n   in: {step.place}" if step.place else ""
        return f"{step.index}  {self.call}{at}{where}{spoken}\n   decision: {decision}\n   outcome: {self.outcome}"


class Replay(Sequence[Frame]):
    """A run's steps to go through one by one. In a notebook a viewer with ◀ and ▶; `print(replay)` is the record."""

    def __init__(
        self,
        goal: str,
        status: str,
        steps: Sequence[StepRecord],
        result: str = "",
    ) -> None:
        self.goal = goal
        self.status = status
        self.result = result
        self._frames = _frames_of(steps)

    @overload
    def __getitem__(self, place: int) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Frame]: ...
    def __getitem__(self, place: int | slice) -> Frame | Sequence[Frame]:
        return self._frames[place]

    def __len__(self) -> int:
        return len(self._frames)

    def __repr__(self) -> str:
        many = "step" if len(self) == 1 else "steps"
        head = f"Replay of {self.goal!r}: {self.status}, {len(self)} {many}"
        end = [f"result: {self.result}"] if self.result else []
        return "\n".join([head, *map(repr, self._frames), *end])


def _frames_of(steps: Sequence[StepRecord]) -> list[Frame]:
    frames: list[Frame] = []
    page: Snapshot | None = None
    for step in steps:
        before = step.before if step.before is not None else page
        after = step.after if step.after is not None else before
        frames.append(Frame(step, before, after))
        page = after
    return frames


def trace_of(context: RunContext, replay: Replay, model: str) -> Trace:
    """A run's steps, pages, screenshots, requests and decisions."""
    facts = [
        ("Status", replay.status),
        ("Result", replay.result),
        ("Model", model),
        ("Cost", str(context.cost)),
        ("Page", context.page.url if context.page is not None else ""),
    ]
    steps = [_step(context, frame) for frame in replay]
    return Trace(replay.goal, facts, steps, store.redact_kept)


def _step(context: RunContext, frame: Frame) -> TraceStep:
    step = frame.step
    edited = json.dumps(step.args, ensure_ascii=False, default=str) if step.edited is not None else ""
    facts = [
        ("Decision", step.decided),
        ("Proposed", edited),
        ("Why it asked", step.reason),
        ("The model said", step.said),
        ("Outcome", frame.outcome),
        ("Effect", step.effect),
        ("Address", step.url),
        ("Time", f"{_clock(step.at)}{step.elapsed_ms:,.0f} ms"),
        ("Tokens", f"{step.tokens:,}" if step.tokens else ""),
    ]
    texts = [("Page before", frame.page), ("What changed", frame.changes)]
    status = "ok" if step.ok else "declined" if step.was_declined else "failed"
    requests = [one.row for one in step.extra.get("requests") or ()]
    image = _image(context, frame)
    return TraceStep(frame.call, status, facts, texts, requests, image, step.at, step.elapsed_ms)  # type: ignore[arg-type]


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%H:%M:%S}, " if at else ""


def _image(context: RunContext, frame: Frame) -> tuple[str, str] | None:
    """The step's screenshot, or the small one that the journal keeps of an agent's action."""
    shot = frame.step.extra.get("screenshot")
    if shot is not None:
        return f"image/{shot['format']}", shot["data"]
    browser = getattr(context.page, "browser", None)
    small = (
        browser.gateway.journal.thumbnail(context.key_of(frame.step.call_id)) if browser is not None else None
    )
    return None if small is None else ("image/jpeg", base64.b64encode(small).decode("ascii"))
