"""Asks to record what a person does, and to save it as a skill."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.asks.ask import Ask
from skillbook.protocol.asks.run_asks import SkillSaved
from skillbook.protocol.commands.tabs import NoParams
from skillbook.protocol.model import WireModel


class RecordedStepView(WireModel):
    """A step of a recording."""

    number: int = Field(ge=1)
    words: str
    input: str = Field("", description="The input that it is marked as; empty for none.")
    can_be_input: bool = False


class RecordingView(WireModel):
    """The recording under way."""

    state: Literal["recording", "paused", "stopped"]
    tab: int | None
    goal: str
    steps: list[RecordedStepView]
    can_redo: bool = False
    pointing: str = Field(
        "", description="What the person is to point at in the page, rows or check; empty for none."
    )
    problem: str = ""
    name: str = Field("", description="A name to save it by.")


class RecordingState(WireModel):
    recording: RecordingView | None = Field(description="None where there is no recording.")


class StartRecordingParams(WireModel):
    tab: int
    goal: str = ""


class MarkRecordingParams(WireModel):
    """Steer the recording, or mark something in it."""

    mark: Literal["check", "rows", "input", "delete", "undo", "redo", "pause", "resume"]
    step: int | None = Field(None, ge=1, description="For input and delete.")
    name: str = Field("", description="For input: its name; the field's label where it is empty.")


class SaveRecordingParams(WireModel):
    name: str
    description: str = ""
    overwrite: bool = False


RECORDING_ASKS = (
    Ask(
        name="show_recording",
        params=NoParams,
        result=RecordingState,
        description="The recording, if there is one.",
    ),
    Ask(
        name="start_recording",
        params=StartRecordingParams,
        result=RecordingState,
        description="Record what the person does in a tab.",
    ),
    Ask(
        name="mark_recording",
        params=MarkRecordingParams,
        result=RecordingState,
        description="Mark rows, a check or an input, take steps back, pause or resume.",
    ),
    Ask(
        name="stop_recording",
        params=NoParams,
        result=RecordingState,
        description="Stop recording; it can be saved.",
    ),
    Ask(
        name="drop_recording",
        params=NoParams,
        result=RecordingState,
        description="Stop recording, and forget it.",
    ),
    Ask(
        name="save_recording",
        params=SaveRecordingParams,
        result=SkillSaved,
        description="Save it as a skill.",
    ),
)
