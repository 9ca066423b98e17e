"""What a kernel reports to the browser by itself. One entry here is one notice."""

from __future__ import annotations

from skillbook.protocol.asks.run_views import RunState
from skillbook.protocol.model import WireModel


class RunChanged(WireModel):
    """Something of a run is different; it comes at most ten times a second for each run."""

    run: str
    title: str
    state: RunState
    words: str
    question: str | None = None


class RowsCame(WireModel):
    """A run gave rows."""

    run: str
    output: str
    count: int


class QuestionOpen(WireModel):
    """A run waits for the person; once for each question."""

    run: str
    title: str
    question: str
    words: str


class RecordingChanged(WireModel):
    """A recording began, has another step, or ended."""

    steps: int
    active: bool


NOTICES: dict[str, type[WireModel]] = {
    "run_changed": RunChanged,
    "rows_came": RowsCame,
    "question_open": QuestionOpen,
    "recording_changed": RecordingChanged,
}
