"""An extracted DataFrame in the notebook: a click on a cell shows where it came from, there and in the page."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import traitlets

from skillbook.errors import SkillbookError
from skillbook.extraction.frames.crops import crop_of, find_shown
from skillbook.io_thread import io
from skillbook.notebook.environment import STATIC
from skillbook.notebook.escaping import shorten, show_hidden
from skillbook.notebook.html.page_and_run import frame_html
from skillbook.notebook.widgets.widget import PageWidget

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


_BINS = 12
_MOST_FREQUENT = 3
_VALUE_LENGTH = 40
_LAW_LENGTH = 300


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    kind: number, date, yes/no or text.
    blanks, distinct: how many cells are blank, and how many values differ.
    says: the range, or the most frequent values, in words.
    bars: heights of a histogram from 0 to 1; empty where values are no numbers or dates.
    """

    kind: str
    blanks: int
    distinct: int
    says: str
    bars: tuple[float, ...] = ()


class FrameOrder:
    """The rows of a frame as a person sorted and filtered them."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._texts: Sequence[str] | None = None
        self.sorted_by: int | None = None
        self.descending = False
        self.words = ""
        self._places: Any = None

    @property
    def places(self) -> np.ndarray[Any, Any]:
        """The places of the shown rows in the frame, in order."""
        if self._places is None:
            self._places = self._find()
        found: np.ndarray[Any, Any] = self._places
        return found

    def sort(self, column: int | None) -> None:
        """Sort by a column: upwards first, then downwards, then as the frame is."""
        if column != self.sorted_by:
            self.sorted_by, self.descending = column, False
        elif not self.descending:
            self.descending = True
        else:
            self.sorted_by, self.descending = None, False
        self._places = None

    def filter(self, words: str) -> None:
        """Show only rows that have each of these words in a cell."""
        self.words, self._places = words, None

    def _find(self) -> np.ndarray[Any, Any]:
        import numpy as np

        places = np.arange(len(self._frame))
        if self.sorted_by is not None:
            column = self._frame.iloc[:, self.sorted_by]
            places = _sorted(column, self.descending)
        wanted = self.words.casefold().split()
        if wanted:
            texts = self._row_texts()
            kept = [int(at) for at in places if all(word in texts[int(at)] for word in wanted)]
            places = np.asarray(kept, dtype=int)
        return places

    def _row_texts(self) -> Sequence[str]:
        if self._texts is None:
            columns = [texts_in(self._frame.iloc[:, at]) for at in range(self._frame.shape[1])]
            self._texts = [" ".join(cells).casefold() for cells in zip(*columns, strict=True)]
        return self._texts


def _sorted(column: pd.Series[Any], descending: bool) -> np.ndarray[Any, Any]:
    """The places of a column's values in order, blanks last; values that can't be compared by their texts."""
    import numpy as np
    import pandas as pd

    values = column.reset_index(drop=True)
    try:
        ordered = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    except TypeError:
        texts = values.map(str).where(~values.isna(), None)
        ordered = texts.sort_values(ascending=not descending, kind="stable", na_position="last")
    return np.asarray(pd.Index(ordered.index).to_numpy(), dtype=int)


def texts_in(column: Any) -> list[str]:
    """What each cell of a column shows; a blank shows nothing."""
    texts = column.astype(str) if column.dtype.kind == "M" else column.map(str)
    blanks = column.isna()
    return ["" if blank else text for text, blank in zip(texts, blanks, strict=True)]


def _checked(frame: pd.DataFrame) -> dict[str, Any]:
    """Whether a frame is complete, in a line, and the laws that it was held to."""
    from skillbook.extraction.frames.provenance import KEY, OriginKey

    if not isinstance(frame.attrs.get(KEY), OriginKey):
        return {"complete": False, "reason": "", "laws": []}
    known = frame.skillbook
    laws = [{"holds": check.holds, "words": shorten(str(check), _LAW_LENGTH)} for check in known.evidence]
    return {"complete": known.complete, "reason": shorten(known.reason, _LAW_LENGTH), "laws": laws}


def summaries(frame: pd.DataFrame) -> list[ColumnSummary]:
    """What each column holds."""
    return [_summary(frame.iloc[:, at]) for at in range(frame.shape[1])]


def _summary(column: pd.Series[Any]) -> ColumnSummary:
    from pandas.api import types

    known = column.dropna()
    blanks = len(column) - len(known)
    try:
        counts = known.value_counts()
    except TypeError:  # lists and such
        counts = known.map(str).value_counts()
    distinct = len(counts)
    if types.is_bool_dtype(column):
        return ColumnSummary("yes/no", blanks, distinct, _frequent(counts))
    if types.is_numeric_dtype(column) and len(known):
        says = f"{known.min():,.10g} to {known.max():,.10g}"
        return ColumnSummary("number", blanks, distinct, says, _bars(known.astype(float)))
    if types.is_datetime64_any_dtype(column) and len(known):
        says = f"{known.min():%Y-%m-%d} to {known.max():%Y-%m-%d}"
        return ColumnSummary("date", blanks, distinct, says, _bars(known.map(lambda day: day.timestamp())))
    return ColumnSummary("text", blanks, distinct, _frequent(counts))


def _frequent(counts: pd.Series[int]) -> str:
    """The values that come most often; empty where each comes once."""
    if not len(counts) or counts.iloc[0] == 1:
        return ""
    top = counts.head(_MOST_FREQUENT)
    return ", ".join(f"{str(value)[:_VALUE_LENGTH]} ({count:,})" for value, count in top.items())


def _bars(values: pd.Series[float]) -> tuple[float, ...]:
    import numpy as np

    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() == finite.max():
        return ()
    counts, _ = np.histogram(finite, bins=_BINS)
    return tuple(round(float(count) / float(counts.max()), 3) for count in counts)


_LONGEST = 300  # characters of a cell
_MOST_ROWS = 1000


class FrameWidget(PageWidget):
    """Shows a frame, a page of its rows at a time. What came of a click is found out on the I/O thread.

    frame: it may be filtered, sorted or merged since it was extracted.
    """

    kind = traitlets.Unicode("frame").tag(sync=True)
    _record_kind = STATIC

    def __init__(self, frame: pd.DataFrame, rows: int) -> None:
        super().__init__()
        self._frame = frame.copy()
        self._size = max(1, min(rows, _MOST_ROWS))
        self._top = self._frame.head(self._size)
        self._columns = [str(name) for name in self._top.columns]
        self._order = FrameOrder(self._frame)
        self._first = 0
        self._summaries: list[dict[str, Any]] = []
        self._checked = _checked(self._frame)
        self._picked: tuple[int, int] | None = None
        self._facts: list[tuple[str, str]] = []
        self._problem = ""
        self._going: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._render()
        io.call_soon(self._summarize_soon)

    def _render(self) -> None:
        places = self._order.places
        shown = places[self._first : self._first + self._size]
        self.state = {
            "columns": self._columns,
            "rows": texts_of(self._frame.iloc[shown]),
            "first": self._first,
            "size": self._size,
            "count": len(places),
            "total": len(self._frame),
            "sorted": self._order.sorted_by,
            "descending": self._order.descending,
            "words": self._order.words,
            "summaries": self._summaries,
            "checked": self._checked,
            "picked": self._picked,
            "facts": self._facts,
            "problem": self._problem,
            "busy": self._going is not None and not self._going.done(),
        }

    def _summarize_soon(self) -> None:
        self._work(self._summarize())

    async def _summarize(self) -> None:
        found = await asyncio.to_thread(summaries, self._frame)
        self._summaries = [asdict(one) for one in found]

    def _work(self, going: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside, and show what came of it."""
        task = asyncio.ensure_future(going)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._changed())
        return task

    def _take(self, content: dict[str, Any]) -> None:
        kind, row, column = content.get("type"), content.get("row"), content.get("column")
        if kind == "sort" and isinstance(column, int) and 0 <= column < len(self._columns):
            self._order.sort(column)
            self._work(self._reorder())
        elif kind == "filter" and isinstance(content.get("words"), str):
            self._order.filter(content["words"][:_LONGEST])
            self._work(self._reorder())
        elif kind == "page" and isinstance(content.get("first"), int):
            last = max(len(self._order.places) - 1, 0)
            self._turn_to(min(max(content["first"], 0), last) // self._size * self._size)
            self._changed()
        elif kind == "source" and isinstance(row, int) and isinstance(column, int):
            self._pick(row, column)

    async def _reorder(self) -> None:
        await asyncio.to_thread(lambda: self._order.places)
        self._turn_to(0)

    def _turn_to(self, first: int) -> None:
        self._first = first
        self._picked, self._facts, self._problem, self.shot = None, [], "", b""

    def _pick(self, row: int, column: int) -> None:
        """Show where a cell of the shown page came from."""
        places = self._order.places[self._first : self._first + self._size]
        if not (0 <= row < len(places) and 0 <= column < len(self._columns)):
            return
        if self._going is not None:
            self._going.cancel()
        self._picked, self._facts, self._problem, self.shot = (row, column), [], "", b""
        self._going = self._work(self._show_source(int(places[row]), column))
        self._changed()

    async def _show_source(self, row: int, column: int) -> None:
        label, name = self._frame.index[row], self._frame.columns[column]
        try:
            origin, place, known = await asyncio.to_thread(self._frame.skillbook.find_cell, label, name)
            source = origin.source(place, known)
            if source is None:
                self._problem = "The page had no such field in this row."
                return
            self._facts = [
                ("The page said", shorten(source.text, _LONGEST)),
                ("Address", source.url),
                ("Selector", source.selector or source.path),
                ("Read", datetime.fromtimestamp(source.taken_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")),
            ]
            self._changed()
            await self._point(origin, place, known)
        except SkillbookError as error:
            parts = [error.message, error.hint] if error.hint else [error.message]
            self._problem = " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)

    async def _point(self, origin: Any, place: Hashable, name: str) -> None:
        """Show the screenshot that was kept, and outline the element in the page, if it is still there."""
        if origin.page is None:
            self._problem = "The page isn't known in this kernel."
            return
        driver = origin.page.driver
        # Before the outline, which would be in it; one that was kept is shown also where the page is another by now.
        self.shot = (await crop_of(driver, origin, place, name)).data
        ref = await find_shown(driver, origin, place, name)
        await driver.run("scroll", {"ref": ref})
        await driver.run("highlight", {"refs": [ref]})

    def _record(self) -> tuple[str, str]:
        title, more = self._frame.skillbook.title, _more(self._frame, len(self._top))
        return frame_html(title, self._columns, texts_of(self._top), more), plain_text(
            self._frame, len(self._top)
        )

    def __repr__(self) -> str:
        return plain_text(self._frame, len(self._top))


def texts_of(frame: pd.DataFrame) -> list[list[str]]:
    """What each row shows, its label first."""
    columns = [_shown(frame.iloc[:, place]) for place in range(frame.shape[1])]
    labels = [str(label) for label in frame.index]
    return [list(line) for line in zip(labels, *columns, strict=True)]


def _shown(column: Any) -> list[str]:
    return [shorten(text, _LONGEST) for text in texts_in(column)]


def plain_text(frame: pd.DataFrame, rows: int) -> str:
    """The first rows as text for terminals and notebooks that run as tests."""
    import pandas as pd

    top = frame.head(rows)
    table = pd.DataFrame(
        [[show_hidden(text) for text in line[1:]] for line in texts_of(top)],
        index=[show_hidden(str(label)) for label in top.index],
        columns=[show_hidden(str(name)) for name in top.columns],
    )
    more = _more(frame, len(top))
    return "\n".join(filter(None, [table.to_string(max_colwidth=60), more]))


def _more(frame: pd.DataFrame, shown: int) -> str:
    return f"{shown:,} of {len(frame):,} rows" if shown < len(frame) else ""


def show_frame(frame: pd.DataFrame, rows: int) -> None:
    """Show a frame, and beside it a record for when the notebook is opened again."""
    FrameWidget(frame, rows).show()
