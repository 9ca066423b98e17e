"""Asks about what a run gave."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.asks.ask import Ask, RunParams
from skillbook.protocol.asks.run_asks import SkillSaved
from skillbook.protocol.commands.tabs import NoParams
from skillbook.protocol.model import WireModel


class OutputParams(RunParams):
    output: str


class ReadRowsParams(OutputParams):
    start: int = Field(0, ge=0)
    count: int = Field(100, ge=1, le=2000)
    sort: str | None = Field(
        None, description="The column to sort by; none for the order in which they were read."
    )
    descending: bool = False


class Rows(WireModel):
    """A part of the rows."""

    columns: list[str]
    kinds: list[Literal["text", "number", "date", "boolean", "other"]] = Field(
        description="One for each column."
    )
    rows: list[list[Any]] = Field(description="Cells as text, number, boolean or null.")
    places: list[int] = Field(
        description="For each row its number as it was read, which `show_source` takes."
    )
    total: int = Field(ge=0)


class SourceParams(OutputParams):
    row: int = Field(ge=0, description="The row's number as it was read.")
    column: str


class SourceShown(WireModel):
    """Whether the element that a cell came from is highlighted in the page."""

    found: bool
    words: str


class ReadFileParams(OutputParams):
    form: Literal["", "csv", "json", "text"] = Field(
        "", description="Rows as csv or json, facts as json; empty for a file as it is."
    )
    offset: int = Field(0, ge=0, description="Where to go on, in bytes.")


class FileChunk(WireModel):
    """A part of a file."""

    name: str
    media_type: str
    size: int = Field(ge=0, description="Bytes of the whole.")
    data: str = Field(description="The bytes from the offset on, base64.")
    next: int | None = Field(description="Where to go on; none at the end.")


class NotebookWritten(WireModel):
    path: str
    address: str | None = Field(
        description="Where the kernel's JupyterLab opens it; none where there is none."
    )


OUTPUT_ASKS = (
    Ask(
        name="read_rows",
        params=ReadRowsParams,
        result=Rows,
        description="A part of the rows that a run gave.",
    ),
    Ask(
        name="show_source",
        params=SourceParams,
        result=SourceShown,
        description="Highlight in the page what a cell came from.",
    ),
    Ask(
        name="read_file",
        params=ReadFileParams,
        result=FileChunk,
        description="A part of a file that a run gave.",
    ),
    Ask(
        name="write_notebook",
        params=RunParams,
        result=NotebookWritten,
        description="Write a notebook with the calls of a run and the path of its data.",
    ),
)


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
