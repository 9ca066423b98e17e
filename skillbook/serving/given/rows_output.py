"""Rows that a run gave: read in pages, sorted, as a file, each cell with where it came from."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from skillbook.errors import ExtractionError, InvalidParams, SkillbookError, StaleRef
from skillbook.protocol.asks.run_asks import Output
from skillbook.protocol.asks.skill_asks import Rows, SourceShown
from skillbook.serving.given.run_output import RunOutput
from skillbook.session.page_driver import PageDriver

Kind = Literal["text", "number", "date", "boolean", "other"]
_LONGEST_CELL = 10_000


@dataclass
class RowsOutput(RunOutput):
    """A frame that a run gave.

    Parameters
    ----------
    page : the run's page, on which a cell's element is highlighted; None where it is gone.
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

        Raises
        ------
        InvalidParams : there is no such column.
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
