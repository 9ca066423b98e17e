"""An extracted DataFrame in the notebook: a click on a cell shows where it came from, there and in the page."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import traitlets

from skillbook.errors import SkillbookError
from skillbook.extraction.frames.crops import crop_of, find_shown
from skillbook.extraction.frames.provenance import KEY, OriginKey
from skillbook.io_thread import io
from skillbook.notebook.environment import STATIC
from skillbook.notebook.escaping import shorten, show_hidden
from skillbook.notebook.html.page_and_run import frame_html
from skillbook.notebook.page.presence import Presence
from skillbook.notebook.widgets.widget import PageWidget
from skillbook.session.page_driver import PageDriver, driver_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


_BINS = 12
_MOST_FREQUENT = 3
_MOST_VALUES = 8
_VALUE_LENGTH = 40
_LAW_LENGTH = 300


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    kind: number, date, yes/no or text.
    blanks, distinct: how many cells are blank, and how many values differ.
    says: the range, or the most frequent values, in words.
    bars: heights of a histogram from 0 to 1; empty where values are no numbers or dates.
    ranges: of each bar from where to where it goes and how many rows it has, in words.
    values: the texts that come most often, each with how often; empty where each comes once.
    """

    kind: str
    blanks: int
    distinct: int
    says: str
    bars: tuple[float, ...] = ()
    ranges: tuple[str, ...] = ()
    values: tuple[tuple[str, int], ...] = ()


class FrameOrder:
    """The rows of a frame as a person sorted and filtered them.

    limits: of each filtered column what its cells must be: a `bar` of its histogram, a `value`, or `blank` or not.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._texts: Sequence[str] | None = None
        self.sorted_by: int | None = None
        self.descending = False
        self.words = ""
        self.limits: dict[int, tuple[str, Any]] = {}
        self._places: Any = None

    @property
    def places(self) -> np.ndarray[Any, Any]:
        """The places of the shown rows in the frame, in order."""
        if self._places is None:
            self._places = self._find()
        found: np.ndarray[Any, Any] = self._places
        return found

    def sort(self, column: int, descending: bool | None = None) -> None:
        """Sort by a column: upwards first, then downwards, then as the frame is; or the way that is given."""
        if column != self.sorted_by or (descending is not None and descending != self.descending):
            self.sorted_by, self.descending = column, descending or False
        elif descending is None and not self.descending:
            self.descending = True
        else:
            self.sorted_by, self.descending = None, False
        self._places = None

    def limit(self, column: int, by: str, value: Any) -> None:
        """Show only rows whose cell in a column is as `limits` has it; the same once more ends that."""
        if self.limits.get(column) == (by, value):
            del self.limits[column]
        else:
            self.limits[column] = by, value
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
        for limited, (by, value) in self.limits.items():
            places = places[_mask(self._frame.iloc[:, limited], by, value)[places]]
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


def _mask(column: pd.Series[Any], by: str, value: Any) -> np.ndarray[Any, Any]:
    """Which cells of a column are as a filter has them."""
    import numpy as np

    if by == "bar":
        numbers = _numbers(column)
        edges = _edges(numbers)
        inside = (numbers >= edges[value]) & (
            numbers <= edges[value + 1] if value == len(edges) - 2 else numbers < edges[value + 1]
        )
        return np.asarray(inside, dtype=bool)
    if by == "blank":
        return np.asarray(column.isna() == value, dtype=bool)
    return np.asarray([text == value for text in texts_in(column)], dtype=bool)


def texts_in(column: Any) -> list[str]:
    """What each cell of a column shows; a blank shows nothing."""
    texts = column.astype(str) if column.dtype.kind == "M" else column.map(str)
    blanks = column.isna()
    return ["" if blank else text for text, blank in zip(texts, blanks, strict=True)]


def _checked(frame: pd.DataFrame) -> dict[str, Any]:
    """Whether a frame is complete, in a line, and the laws that it was held to."""
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
    is_number, is_date = types.is_numeric_dtype(column), types.is_datetime64_any_dtype(column)
    if (is_number or is_date) and not types.is_bool_dtype(column) and len(known):
        write = _write_number if is_number else _write_day
        says = f"{write(known.min())} to {write(known.max())}"
        bars, ranges = _bars(_numbers(column), write)
        return ColumnSummary("number" if is_number else "date", blanks, distinct, says, bars, ranges)
    kind = "yes/no" if types.is_bool_dtype(column) else "text"
    return ColumnSummary(kind, blanks, distinct, _frequent(counts), values=_values(texts_in(known)))


def _frequent(counts: pd.Series[int]) -> str:
    """The values that come most often; empty where each comes once."""
    if not len(counts) or counts.iloc[0] == 1:
        return ""
    top = counts.head(_MOST_FREQUENT)
    return ", ".join(f"{str(value)[:_VALUE_LENGTH]} ({count:,})" for value, count in top.items())


def _values(texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The texts that come most often; empty where each comes once."""
    top = Counter(texts).most_common(_MOST_VALUES)
    return tuple(top) if top and top[0][1] > 1 else ()


def _write_number(value: float) -> str:
    return f"{value:,.10g}"


def _write_day(value: Any) -> str:
    import pandas as pd

    day = value if isinstance(value, pd.Timestamp) else pd.Timestamp(value, unit="s")
    return f"{day:%Y-%m-%d}"


def _numbers(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """A column's values as numbers, days as their seconds; nan for blanks."""
    import numpy as np

    if column.dtype.kind == "M":
        return np.asarray(
            [math.nan if blank else day.timestamp() for day, blank in zip(column, column.isna(), strict=True)]
        )
    return np.asarray(column.astype("Float64").to_numpy(dtype=float, na_value=math.nan))


def _edges(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where the bars of a histogram begin and end; empty where all values are one."""
    import numpy as np

    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() == finite.max():
        return np.asarray([])
    return np.histogram_bin_edges(finite, bins=_BINS)


def _bars(
    values: np.ndarray[Any, Any], write: Callable[[float], str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The heights of a histogram's bars, and what each stands for in words."""
    import numpy as np

    edges = _edges(values)
    if not len(edges):
        return (), ()
    counts, _ = np.histogram(values[np.isfinite(values)], bins=edges)
    heights = tuple(round(float(count) / float(counts.max()), 3) for count in counts)
    words = (
        f"{write(low)} to {write(high)}: {count:,} row{'' if count == 1 else 's'}"
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    )
    return heights, tuple(words)


_LONGEST = 300  # characters of a cell
_MOST_DECIMALS = 6
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
        self._numeric = [column.dtype.kind in "iufc" for _, column in self._frame.items()]
        self._decimals = _decimals(self._frame, self._numeric)
        self._presence = Presence(self._page, self._changed)
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

    def _page(self) -> PageDriver | None:
        """The page that all rows were read from, where there is one."""
        key = self._frame.attrs.get(KEY)
        page = key.origin.page if isinstance(key, OriginKey) else None
        return None if page is None else driver_of(page)

    def _render(self) -> None:
        places = self._order.places
        shown = places[self._first : self._first + self._size]
        self.state = {
            "columns": self._columns,
            "numeric": self._numeric,
            "rows": texts_of(self._frame.iloc[shown], self._decimals),
            "first": self._first,
            "size": self._size,
            "count": len(places),
            "total": len(self._frame),
            "sorted": self._order.sorted_by,
            "descending": self._order.descending,
            "words": self._order.words,
            "limits": [[column, by, value] for column, (by, value) in self._order.limits.items()],
            "gone": self._presence.gone,
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
        if kind in ("sort", "limit") and isinstance(column, int) and 0 <= column < len(self._columns):
            self._take_of_column(column, content)
        elif kind == "filter" and isinstance(content.get("words"), str):
            self._order.filter(content["words"][:_LONGEST])
            self._work(self._reorder())
        elif kind == "page" and isinstance(content.get("first"), int):
            last = max(len(self._order.places) - 1, 0)
            self._turn_to(min(max(content["first"], 0), last) // self._size * self._size)
            self._changed()
        elif kind == "source" and isinstance(row, int) and isinstance(column, int):
            self._pick(row, column)

    def _take_of_column(self, column: int, content: dict[str, Any]) -> None:
        by, value, way = content.get("by"), content.get("value"), content.get("descending")
        if content["type"] == "sort":
            self._order.sort(column, way if isinstance(way, bool) else None)
        elif self._can_limit(column, by, value):
            self._order.limit(column, str(by), value)
        else:
            return
        self._work(self._reorder())

    def _can_limit(self, column: int, by: object, value: object) -> bool:
        """Whether a filter is one that the column's menu has."""
        if by == "bar":
            bars = len(self._summaries[column]["bars"]) if self._summaries else 0
            return isinstance(value, int) and 0 <= value < bars
        return isinstance(value, bool) if by == "blank" else by == "value" and isinstance(value, str)

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
            self._facts = [(name, shorten(text, _LONGEST)) for name, text in source.facts]
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
        rows = texts_of(self._top, self._decimals)
        html = frame_html(title, self._columns, rows, more, self._numeric)
        return html, plain_text(self._frame, len(self._top))

    def __repr__(self) -> str:
        return plain_text(self._frame, len(self._top))


def texts_of(frame: pd.DataFrame, decimals: Mapping[int, int] | None = None) -> list[list[str]]:
    """What each row shows, its label first.

    decimals: with how many the numbers of a column are written; a number that has more keeps them.
    """
    columns = [_shown(frame.iloc[:, place]) for place in range(frame.shape[1])]
    for place, most in (decimals or {}).items():
        values = frame.iloc[:, place]
        columns[place] = [
            _with_decimals(value, most) or text for value, text in zip(values, columns[place], strict=True)
        ]
    labels = [str(label) for label in frame.index]
    return [list(line) for line in zip(labels, *columns, strict=True)]


def _with_decimals(value: Any, decimals: int) -> str:
    """A number with so many decimals; empty where that would be another number, or there is none."""
    text = f"{value:.{decimals}f}" if isinstance(value, float) and math.isfinite(value) else ""
    return text if text and float(text) == value else ""


def _decimals(frame: pd.DataFrame, numeric: Sequence[bool]) -> dict[int, int]:
    """With how many decimals the page wrote the numbers of a frame's columns, as far as its first rows say."""
    key = frame.attrs.get(KEY)
    if not isinstance(key, OriginKey):
        return {}
    found = {}
    for place in (place for place, is_number in enumerate(numeric) if is_number):
        counts = []
        for label, value in frame.iloc[:_MOST_ROWS, place].items():
            with suppress(SkillbookError, KeyError):
                cell = frame.skillbook.origin.cell(label, str(frame.columns[place]))
                if cell is not None:
                    counts.append(_decimals_in(cell.text, value))
        if counts:
            found[place] = max(counts)
    return found


def _decimals_in(text: str, value: Any) -> int:
    """How many decimals a number has in the text that it was read from: the most whose digits are all there."""
    if not isinstance(value, float) or not math.isfinite(value):
        return 0
    digits = re.sub(r"[^0-9]", "", text)
    wholes = [f"{abs(value):.{most}f}" for most in range(_MOST_DECIMALS, 0, -1)]
    fits = (
        len(whole.partition(".")[2])
        for whole in wholes
        if float(whole) == abs(value) and whole.replace(".", "") in digits
    )
    return next(fits, 0)


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
