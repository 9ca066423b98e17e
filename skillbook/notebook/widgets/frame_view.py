"""An extracted DataFrame in the notebook: a click on a cell shows where it came from, there and in the page."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from skillbook.errors import SkillbookError
from skillbook.extraction.frames.crops import crop_of, find_shown
from skillbook.notebook.environment import STATIC
from skillbook.notebook.escaping import shorten, show_hidden
from skillbook.notebook.html.page_and_run import frame_html
from skillbook.notebook.widgets.assets import frame_module
from skillbook.notebook.widgets.widget import PageWidget

if TYPE_CHECKING:
    import pandas as pd

_LONGEST = 300  # characters of a cell
_MOST_ROWS = 1000


class FrameWidget(PageWidget):
    """Shows the first rows of a frame. What came of a click is found out on the I/O thread.

    Parameters
    ----------
    frame : it may be filtered, sorted or merged since it was extracted.
    rows : how many of its rows at most.
    """

    _esm = frame_module()
    _record_kind = STATIC

    def __init__(self, frame: pd.DataFrame, rows: int) -> None:
        super().__init__()
        self._frame = frame.copy()
        self._top = self._frame.head(min(rows, _MOST_ROWS))
        self._texts = texts_of(self._top)
        self._columns = [str(name) for name in self._top.columns]
        self._picked: tuple[int, int] | None = None
        self._facts: list[tuple[str, str]] = []
        self._problem = ""
        self._going: asyncio.Task[None] | None = None
        self._render()

    def _render(self) -> None:
        self.state = {
            "columns": self._columns,
            "rows": self._texts,
            "more": _more(self._frame, len(self._top)),
            "picked": self._picked,
            "facts": self._facts,
            "problem": self._problem,
            "busy": self._going is not None and not self._going.done(),
        }

    def _take(self, content: dict[str, Any]) -> None:
        row, column = content.get("row"), content.get("column")
        if content.get("type") != "source" or not isinstance(row, int) or not isinstance(column, int):
            return
        if 0 <= row < len(self._top) and 0 <= column < len(self._columns):
            if self._going is not None:
                self._going.cancel()
            self._picked, self._facts, self._problem, self.shot = (row, column), [], "", b""
            self._going = asyncio.ensure_future(self._show_source(row, column))
            self._going.add_done_callback(lambda _: self._changed())
            self._changed()

    async def _show_source(self, row: int, column: int) -> None:
        label, name = self._top.index[row], self._top.columns[column]
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
            said = [error.message, error.hint] if error.hint else [error.message]
            self._problem = " ".join(f"{part[:1].upper()}{part[1:]}." for part in said)

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
        return frame_html(title, self._columns, self._texts, more), plain_text(self._frame, len(self._top))

    def __repr__(self) -> str:
        return plain_text(self._frame, len(self._top))


def texts_of(frame: pd.DataFrame) -> list[list[str]]:
    """What each row shows, its label first."""
    columns = [_shown(frame.iloc[:, place]) for place in range(frame.shape[1])]
    labels = [str(label) for label in frame.index]
    return [list(line) for line in zip(labels, *columns, strict=True)]


def _shown(column: Any) -> list[str]:
    texts = column.astype(str) if column.dtype.kind == "M" else column.map(str)
    blanks = column.isna()
    return ["" if blank else shorten(text, _LONGEST) for text, blank in zip(texts, blanks, strict=True)]


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
