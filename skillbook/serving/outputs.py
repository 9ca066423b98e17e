"""What a run gave: one thing that is read in parts, and rows read in pages, sorted, each cell with its source."""

from __future__ import annotations

import base64
import json
import math
import mimetypes
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from skillbook.errors import ExtractionError, InvalidParams, SkillbookError, StaleRef
from skillbook.protocol.asks.run_asks import Output
from skillbook.protocol.asks.skill_asks import FileChunk, Rows, SourceShown
from skillbook.session.page_driver import PageDriver

CHUNK_BYTES = 2_000_000
_SHOWN_TEXT = 20_000
_SHOWN_FACT = 2_000


class RunOutput(ABC):
    """Something that a run gave."""

    id: str

    @abstractmethod
    def view(self) -> Output:
        """What is shown of it at once."""

    @abstractmethod
    def file(self, form: str) -> tuple[str, str, bytes]:
        """Its name, media type and bytes as a file.

        Raises InvalidParams: it has no such form.
        """

    def chunk(self, form: str, offset: int) -> FileChunk:
        """A part of it as a file."""
        name, media_type, data = self.file(form)
        part = data[offset : offset + CHUNK_BYTES]
        end = offset + len(part)
        return FileChunk(
            name=name,
            media_type=media_type,
            size=len(data),
            data=base64.b64encode(part).decode(),
            next=end if end < len(data) else None,
        )


@dataclass
class TextOutput(RunOutput):
    """Text that a run gave, such as an agent's answer."""

    id: str
    title: str
    text: str

    def view(self) -> Output:
        note = "" if len(self.text) <= _SHOWN_TEXT else "only the beginning is shown; the file has all of it"
        return Output(
            id=self.id,
            kind="text",
            title=self.title,
            text=self.text[:_SHOWN_TEXT],
            note=note,
            count=len(self.text),
        )

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "text", "")
        return f"{self.id}.txt", "text/plain", self.text.encode()


@dataclass
class FactsOutput(RunOutput):
    """Values by name that a run gave."""

    id: str
    title: str
    facts: Mapping[str, Any]

    def view(self) -> Output:
        shown = {str(name): str(value)[:_SHOWN_FACT] for name, value in self.facts.items()}
        return Output(id=self.id, kind="facts", title=self.title, facts=shown, count=len(shown))

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "json", "")
        text = json.dumps(dict(self.facts), ensure_ascii=False, indent=2, default=str)
        return f"{self.id}.json", "application/json", text.encode()


@dataclass
class FileOutput(RunOutput):
    """A file that a run saved."""

    id: str
    path: Path

    def view(self) -> Output:
        try:
            size, note = self.path.stat().st_size, ""
        except OSError:
            size, note = 0, "the file is gone"
        return Output(
            id=self.id,
            kind="file",
            title=self.path.name,
            note=note,
            count=size,
            media_type=_media_type(self.path),
        )

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "")
        try:
            return self.path.name, _media_type(self.path), self.path.read_bytes()
        except OSError as error:
            raise InvalidParams(f"{self.path} can't be read: {error.strerror}") from None


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def _check(form: str, *known: str) -> None:
    if form not in known:
        raise InvalidParams(f"there is no form {form!r} of it", hint=f"one of: {', '.join(map(repr, known))}")


Kind = Literal["text", "number", "date", "boolean", "other"]
_LONGEST_CELL = 10_000


@dataclass
class RowsOutput(RunOutput):
    """A frame that a run gave.

    page: the run's page, on which a cell's element is highlighted; None where it is gone.
    """

    id: str
    title: str
    frame: pd.DataFrame
    page: PageDriver | None = None
    is_partial: bool = False

    def view(self) -> Output:
        complete, note = None, ""
        with suppress(SkillbookError):
            known = self.frame.skillbook
            complete, note = known.complete, known.reason
        if self.is_partial:
            complete, note = False, note or "the run ended before all was read"
        return Output(
            id=self.id,
            kind="rows",
            title=self.title,
            complete=complete,
            note=note,
            columns=list(map(str, self.frame.columns)),
            count=len(self.frame),
        )

    def read(self, start: int, count: int, sort: str | None, descending: bool) -> Rows:
        """A part of the rows, in the order in which they were read or by a column.

        Raises InvalidParams: there is no such column.
        """
        frame, places = self.frame, list(range(len(self.frame)))
        if sort is not None:
            column = frame.iloc[:, self._column(sort)].reset_index(drop=True)
            places = _sorted_places(column, descending)
        chosen = places[start : start + count]
        part = frame.iloc[chosen]
        return Rows(
            columns=list(map(str, frame.columns)),
            kinds=[kind_of(frame.iloc[:, at]) for at in range(frame.shape[1])],
            rows=[[plain(value) for value in row] for row in part.itertuples(index=False, name=None)],
            places=chosen,
            total=len(frame),
        )

    def file(self, form: str) -> tuple[str, str, bytes]:
        if form in {"csv", ""}:
            text = self.frame.skillbook.to_csv(None, index=False) or ""
            return f"{self.id}.csv", "text/csv", text.encode("utf-8-sig")
        if form == "json":
            text = self.frame.to_json(orient="records", force_ascii=False, date_format="iso") or "[]"
            return f"{self.id}.json", "application/json", text.encode()
        raise InvalidParams(f"there is no form {form!r} of rows", hint="csv or json")

    async def show_source(self, row: int, column: str) -> SourceShown:
        """Highlight what a cell came from; the answer says so where it can't be."""
        if row >= len(self.frame):
            raise InvalidParams(f"there is no row {row}", hint=f"there are {len(self.frame)}")
        name = self.frame.columns[self._column(column)]
        try:
            origin, label, part = self.frame.skillbook.find_cell(self.frame.index[row], name)
            found = origin.source(label, part)
            page = origin.page.driver if origin.page is not None else self.page
            if found is None or found.ref is None or page is None or page.closed:
                raise ExtractionError("its element isn't known, or its page was closed")
            latest = page.latest
            if latest is None or all(document.key != found.document for document in latest.documents):
                raise StaleRef(f"its document is gone; it was on {found.url}")
            await page.browser.switch_to(page)
            await page.highlight([found.ref])
        except SkillbookError as error:
            return SourceShown(found=False, words=error.message)
        return SourceShown(found=True, words=f"read from {found.url}")

    def _column(self, name: str) -> int:
        names = list(map(str, self.frame.columns))
        if name not in names:
            raise InvalidParams(f"there is no column {name!r}", hint=f"there are: {', '.join(names)}")
        return names.index(name)


def _sorted_places(column: pd.Series[Any], descending: bool) -> list[int]:
    """The places of the values in order, blanks last; what can't be compared is compared as text."""
    try:
        ordered = column.sort_values(ascending=not descending, kind="stable", na_position="last")
    except TypeError:
        as_text = column.map(lambda value: None if value is None else str(value))
        ordered = as_text.sort_values(ascending=not descending, kind="stable", na_position="last")
    return [int(place) for place in ordered.index]


def kind_of(column: pd.Series[Any]) -> Kind:
    """What a column holds."""
    types = pd.api.types
    if types.is_bool_dtype(column):
        return "boolean"
    if types.is_numeric_dtype(column):
        return "number"
    if types.is_datetime64_any_dtype(column):
        return "date"
    return "text" if types.is_string_dtype(column) or types.is_object_dtype(column) else "other"


def plain(value: Any) -> str | int | float | bool | None:
    """A cell as JSON has it."""
    if isinstance(value, bool | int | str):
        return value[:_LONGEST_CELL] if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    try:
        if pd.isna(value):
            return None
    except (TypeError, ValueError):
        pass
    if hasattr(value, "item"):
        return plain(value.item())
    return value.isoformat() if hasattr(value, "isoformat") else str(value)[:_LONGEST_CELL]
