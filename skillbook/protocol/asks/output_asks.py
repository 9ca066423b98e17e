"""Asks about what a run gave."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from skillbook.protocol.asks.ask import Ask, RunParams
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
