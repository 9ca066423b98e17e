"""`df.skillbook`: where a frame's cells came from, what the page said, and safe export."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from skillbook.errors import ExtractionError, IncompleteRead, StaleRef
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.crops import crop_of
from skillbook.extraction.frames.derived_frames import (
    PUT_TOGETHER,
    changes,
    completeness_of,
    keeps_labels,
    renamed_columns,
)
from skillbook.extraction.frames.evidence import Evidence, check_of_rules
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey, Source
from skillbook.extraction.frames.row_sources import (
    SOURCE,
    check_labels,
    check_same,
    find_by_column,
    is_in_place,
    keep_origin,
    load_origins,
    origins_of,
    save_origins,
    source_columns,
)
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.lexicon.table import without_unseen
from skillbook.perception.escape import counted
from skillbook.session.aio.browser import Page as AioPage
from skillbook.storage import storing

_FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_INNER_FORMULA = re.compile(
    r"(?<=[;\t\r\n\uff1b])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?![+\-]\s*[\d.,]+\s*(?:[;\t\r\n]|\Z))"
)
"""A formula after a separator at which some spreadsheets split a cell, quoted or not; numbers aren't any."""
_LOST = "merges, concat, groups and files keep it with the column that df.skillbook.with_sources() adds"


class FrameAccessor:
    """What skillbook knows of a frame that it extracted."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._known: tuple[list[Hashable], Origin, Origin] | None = None
        """The columns' names, the rows as they were read, and these rows under the names."""

    def __repr__(self) -> str:
        rows, columns = self._frame.shape
        try:
            known = ", ".join([f"complete={self.complete}", *filter(None, [self.reason])])
        except ExtractionError as error:
            known = str(error).splitlines()[0]
        return f"<df.skillbook {self.title!r}: {rows} rows × {columns} columns, {known}>"

    @property
    def origin(self) -> Origin:
        """The rows that the frame was made of.

        Raises
        ------
        ExtractionError
            The frame wasn't extracted, or has lost it.
        """
        read = self._as_read
        columns: list[Hashable] = list(self._frame.columns)
        known = self._known
        if known is None or known[0] != columns or known[1] is not read:
            names = renamed_columns(self._frame, read)
            known = self._known = (columns, read, read.renamed(names) if names else read)
        return known[2]

    @property
    def _as_read(self) -> Origin:
        """The same, with the names that the columns had then."""
        key = self._frame.attrs.get(KEY)
        if not isinstance(key, OriginKey):
            raise ExtractionError("this frame doesn't know where it came from", hint=_LOST)
        return key.origin

    @property
    def name(self) -> str:
        """What the page calls the table or list."""
        return self.origin.name

    @property
    def title(self) -> str:
        """What the page calls the rows, where that is known; empty for frames put together from several."""
        key = self._frame.attrs.get(KEY)
        return key.origin.name if isinstance(key, OriginKey) else ""

    @property
    def run(self) -> str:
        """What names the extraction, for `sb.recover`."""
        return self.origin.run

    @property
    def complete(self) -> bool:
        """Whether the frame has every row that the page claims to have; filtered and grouped ones haven't."""
        return self._completeness.complete

    @property
    def reason(self) -> str:
        """How much was read; where that isn't all, also why no more, and what the page claims."""
        return self._completeness.reason

    @property
    def expected(self) -> Mapping[str, int]:
        """What the page claims to have: `rows`, `columns`, `pages`; empty for a part of the rows."""
        return self._completeness.expected

    @property
    def _completeness(self) -> Completeness:
        if KEY not in self._frame.attrs and source_columns(self._frame):
            return PUT_TOGETHER
        return completeness_of(self._frame, self.origin)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is worth knowing: rows that came twice, and waits that the site asked for."""
        return tuple(self.origin.completeness.notes)

    @property
    def evidence(self) -> Evidence:
        """What was checked before the frame was called complete: printed, a line for each law; `.to_list()` as data."""
        found = self._completeness.evidence
        return found.with_checks(check_of_rules(self.rules)) if KEY in self._frame.attrs else found

    @property
    def report(self) -> pd.DataFrame:
        """What is wrong with rows of the frame, a line each: `row`, `column`, `value`, `problem` and `url`.

        The rows stay in the frame; what is wrong with a whole column has row -1. `value` is
        what the page says, also where the frame has a blank because it is no number or date.
        """
        origin = self.origin
        check_labels(self._frame, origin)
        lines = [
            {
                "row": each.row,
                "column": each.column,
                "value": each.value,
                "problem": each.problem,
                "url": _address(origin, each.row),
            }
            for each in origin.problems
            if each.row < 0 or each.row in self._frame.index
        ]
        return pd.DataFrame(lines, columns=["row", "column", "value", "problem", "url"])

    @property
    def units(self) -> Mapping[str, str]:
        """Currency or "%" of the columns whose numbers had one."""
        return self.origin.units

    @property
    def rules(self) -> Mapping[str, str]:
        """How columns were read that could be read otherwise: "decimal comma", "day first", "ambiguous: …"."""
        return self.origin.rules

    def changes(self, older: pd.DataFrame, key: str | Sequence[str] | None = None) -> pd.DataFrame:
        """What differs from an earlier read of the same rows: one line an added or removed row or a changed cell.

        Parameters
        ----------
        older : DataFrame
            The earlier read.
        key : str or sequence of str, optional
            The column or columns that name a row; without, the first column whose values differ in every row of both.

        Returns
        -------
        DataFrame
            Columns: the key's, `change` ("added", "removed", "changed"), `column`, `before` and `after`. There is an
            `IncompleteFrame` warning where one of the reads isn't whole: a row may be missing there without being
            gone.

        Raises
        ------
        ExtractionError
            No such key, or rows that it doesn't tell apart.
        """
        return changes(self._frame, older, key)

    @property
    def raw(self) -> pd.DataFrame:
        """What the page said, as text, for the frame's rows and columns.

        Raises
        ------
        ExtractionError
            The labels may stand for other rows by now.
        """
        if len(self._frame) and not keeps_labels(self._frame, self.origin):
            raise ExtractionError("labels may stand for other rows by now", hint=_LOST)
        columns = [column for column in self._frame.columns if column in self.origin.columns]
        texts = {column: [self._text(label, column) for label in self._frame.index] for column in columns}
        return pd.DataFrame(texts, index=self._frame.index, columns=columns, dtype="str")

    def source(self, row: Hashable, column: str) -> Source | None:
        """Where a cell came from; None where the page had no such field in that row.

        Frames of `with_sources()` know it after merging, concatenating and grouping too, and from files. What isn't
        known for sure is an error, never a guess: the cell must still say what its source said.

        Parameters
        ----------
        row : Hashable
            The row's index label.
        column : str
            The column's name.

        Returns
        -------
        Source, optional
            The page, element and text of the cell.

        Raises
        ------
        ExtractionError
            There is no such cell, or its source isn't known.
        """
        origin, label, name = self.find_cell(row, column)
        return origin.source(label, name)

    def find_cell(self, row: Hashable, column: str) -> tuple[Origin, Hashable, str]:
        """The origin of a cell, and its row and column there; raises what `source` does."""
        if source_columns(self._frame):
            return find_by_column(self._frame, row, column)
        try:
            self.origin.cell(row, column)
        except KeyError:
            known = column in self._frame.columns
            listed = ", ".join(map(repr, self._frame.columns))
            raise ExtractionError(
                f"no cell {row!r}, {column!r} was extracted",
                hint="give an index label" if known else f"the columns are {listed}",
            ) from None
        check_same(self._frame, self.origin, row, column)
        return self.origin, row, column

    def with_sources(self) -> pd.DataFrame:
        """A copy with the column `_source`, by which each row keeps where it came from.

        The column goes through merge, concat, groupby().first(), Parquet, CSV, SQLite and DuckDB like any other. What
        it stands for is kept on this machine, for the newest 50 frames; `save_sources` writes it to a file.

        Returns
        -------
        DataFrame
            Another frame.

        Raises
        ------
        ExtractionError
            The frame doesn't know where it came from, or its labels may stand for other rows by now.
        """
        origin = self.origin
        check_labels(self._frame, origin)
        keep_origin(self._as_read)
        return self._frame.assign(**{SOURCE: [f"{origin.run}:{label}" for label in self._frame.index]})

    def save_sources(self, path: str | PathLike[str]) -> None:
        """Write where the rows came from to a file, to give along with one that has the frame; see `load_sources`.

        Parameters
        ----------
        path : str or PathLike
            The file to write.

        Raises
        ------
        ExtractionError
            The frame doesn't know it.
        """
        save_origins(origins_of(self._frame) or [self.origin], Path(path))

    def load_sources(self, path: str | PathLike[str]) -> None:
        """Read what `save_sources` wrote, so that `source` knows it.

        Parameters
        ----------
        path : str or PathLike
            The file.

        Raises
        ------
        ExtractionError
            It is no such file.
        """
        load_origins(Path(path))

    def provenance(self) -> pd.DataFrame:
        """One line a cell: row, column, text, url, ref, document, path, selector, time.

        Returns
        -------
        DataFrame
            The cells that came from a page, by row and column.
        """
        lines = []
        in_place = not source_columns(self._frame) and is_in_place(self._frame, self.origin)
        find = self.origin.source if in_place else self.source
        for row in self._frame.index:
            for column in self._frame.columns:
                if column not in self.origin.columns:
                    continue
                found = find(row, column)
                if found is not None:
                    lines.append(
                        {
                            "row": row,
                            "column": column,
                            "text": found.text,
                            "url": found.url,
                            "ref": found.ref,
                            "document": found.document,
                            "path": found.path,
                            "selector": found.selector,
                            "time": pd.Timestamp(found.taken_at, unit="s", tz="UTC"),
                        }
                    )
        columns = ["row", "column", "text", "url", "ref", "document", "path", "selector", "time"]
        return pd.DataFrame(lines, columns=columns)

    def highlight(self, row: Hashable, column: str) -> Any:
        """Outline a cell's element in the real page; awaitable where the page is.

        Parameters
        ----------
        row : Hashable
            The row's index label.
        column : str
            The column's name.

        Returns
        -------
        object
            Nothing; something to await if the page is of the async version.

        Raises
        ------
        StaleRef
            Its document is gone.
        ExtractionError
            The cell has no element, or the page isn't known.
        """
        origin, label, name = self.find_cell(row, column)
        found, page = origin.source(label, name), origin.page
        if found is None or found.ref is None or page is None:
            raise ExtractionError(f"the cell {row!r}, {column!r} has no element to show")
        latest = page.driver.latest
        if latest is not None and all(document.key != found.document for document in latest.documents):
            raise StaleRef(
                f"the document of {row!r}, {column!r} is gone", hint=f"open {found.url} and extract again"
            )
        return page.highlight(found.ref)

    def crop(self, row: Hashable, column: str) -> Any:
        """A screenshot of where a cell came from; awaitable where the page is.

        With `sb.extract(…, crops=True)` it shows the row as it was when it was read; else the cell's element as it is
        now, if it still says the same.

        Parameters
        ----------
        row : Hashable
            The row's index label.
        column : str
            The column's name.

        Returns
        -------
        object
            A `Crop`: it shows itself in a notebook; `.data` are its PNG bytes, `.save(path)` writes them.

        Raises
        ------
        StaleRef
            The element or its document is gone.
        ExtractionError
            It says something else by now, has no element, or the page isn't known.
        """
        origin, label, name = self.find_cell(row, column)
        page = origin.page
        if page is None:
            raise ExtractionError(f"the cell {row!r}, {column!r} has no page to show it on")
        taking = crop_of(page.driver, origin, label, name)
        return io.wait(taking) if isinstance(page, AioPage) else io.sync(taking)

    def show(self, rows: int = 50) -> None:
        """Show the first rows in the notebook; a click on a cell shows where it came from, there and in the page.

        Parameters
        ----------
        rows : int
            How many rows to show.

        Raises
        ------
        ExtractionError
            The frame doesn't know where it came from.
        """
        if not source_columns(self._frame):
            _ = self.origin
        hooks.show_frame(self._frame, rows)

    def to_csv(
        self, path: str | PathLike[str] | None = None, *, partial: bool = False, **options: Any
    ) -> str | None:
        """Write the frame as CSV that spreadsheets take for data only: text that looks like a formula is quoted.

        Text cells and column names that begin with `=`, `+`, `-`, `@`, tab or return, also after blanks, get an
        apostrophe in front; numbers stay numbers. So does such text after a semicolon, tab or line break within a
        cell, where some spreadsheets split it. `options` go to `DataFrame.to_csv`.

        Rows of a read that isn't complete go to `rows.partial.csv` where `rows.csv` was wanted.

        Parameters
        ----------
        path : str or PathLike, optional
            The file to write.
        partial : bool
            Write what there is to `path`, though the read isn't complete.
        **options : object
            As for `DataFrame.to_csv`.

        Returns
        -------
        str, optional
            The text, without a path.

        Raises
        ------
        IncompleteRead
            The read isn't complete; the rows there are stand in the file that the error names.
        """
        if path is None:
            return neutralised(self._frame).to_csv(None, **options)
        self._write(path, partial, lambda place: neutralised(self._frame).to_csv(place, **options))
        return None

    def to_excel(self, path: str | PathLike[str], *, partial: bool = False, **options: Any) -> None:
        """Write the frame as an Excel file, with formulas made harmless as in `to_csv`.

        Parameters
        ----------
        path : str or PathLike
            The file to write.
        partial : bool
            As for `to_csv`.
        **options : object
            As for `DataFrame.to_excel`.

        Raises
        ------
        IncompleteRead
            As for `to_csv`.
        ExtractionError
            Openpyxl isn't installed.
        """
        if "engine" not in options and not any(map(find_spec, ("openpyxl", "xlsxwriter"))):
            raise ExtractionError(
                "Excel files need openpyxl, which isn't installed", hint='pip install "skillbook[excel]"'
            )
        self._write(path, partial, lambda place: neutralised(self._frame).to_excel(place, **options))

    def to_parquet(self, path: str | PathLike[str], *, partial: bool = False, **options: Any) -> None:
        """Write the frame as a Parquet file; `options` go to `DataFrame.to_parquet`.

        Parameters
        ----------
        path : str or PathLike
            The file to write.
        partial : bool
            As for `to_csv`.
        **options : object
            As for `DataFrame.to_parquet`.

        Raises
        ------
        IncompleteRead
            As for `to_csv`.
        ExtractionError
            Pyarrow isn't installed.
        """
        if find_spec("pyarrow") is None:
            raise ExtractionError(
                "Parquet files need pyarrow, which isn't installed", hint='pip install "skillbook[parquet]"'
            )
        self._write(path, partial, lambda place: self._frame.to_parquet(place, **options))

    def _write(self, path: Any, partial: bool, write: Callable[[Any], object]) -> None:
        """Write the frame; to a file that says that it is a part where the read it is of isn't complete."""
        is_file = isinstance(path, str | PathLike)
        reason = "" if partial or not is_file else self._why_partial()
        place = path
        if reason:
            stem, suffix = os.path.splitext(os.fspath(path))
            place = f"{stem}.partial{suffix}"
        with storing(str(place)):
            write(place)
        if reason:
            rows = len(self._frame)
            raise IncompleteRead(
                f"{place} has the {counted(rows, 'row')} there are, not all: {reason}",
                hint=f"read the rest, or partial=True writes {os.fspath(path)}",
                path=str(place),
            )

    def _why_partial(self) -> str:
        """Why the reads that the rows are of aren't complete; what the caller filtered is no reason."""
        key = self._frame.attrs.get(KEY)
        known = [key.origin] if isinstance(key, OriginKey) else origins_of(self._frame)
        return "; ".join(
            origin.completeness.reason or "it isn't complete"
            for origin in known
            if not origin.completeness.complete
        )

    def _text(self, row: Hashable, column: str) -> str | None:
        try:
            cell = self.origin.cell(row, column)
        except KeyError:
            raise ExtractionError(f"the row {row!r} was not extracted", hint=_LOST) from None
        return cell.text if cell else None


def _address(origin: Origin, row: int) -> str:
    """The address that a row was read at."""
    if row < 0:
        return ""
    found = (origin.source(row, column) for column in origin.columns)
    return next((source.url for source in found if source is not None), "")


def neutralised(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy in which no text can be taken for a formula."""
    safe = frame.copy()
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.CategoricalDtype):
            safe.isetitem(place, frame.iloc[:, place].astype(object).map(_harmless).array)
        elif pd.api.types.is_string_dtype(dtype) or pd.api.types.is_object_dtype(dtype):
            safe.isetitem(place, frame.iloc[:, place].map(_harmless).array)
    safe.columns, safe.index = _harmless_labels(frame.columns), _harmless_labels(frame.index)
    return safe


def _harmless_labels(labels: pd.Index[Any]) -> Any:
    names = [_harmless(name) for name in labels.names]
    if isinstance(labels, pd.MultiIndex):
        found = [tuple(map(_harmless, label)) for label in labels]
        return pd.MultiIndex.from_tuples(found, names=names) if found else labels
    if labels.dtype.kind in "biufcmM":
        return pd.Index(labels, name=names[0])
    return pd.Index([_harmless(label) for label in labels], name=names[0])


def _harmless(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    safe = _INNER_FORMULA.sub(r"\1'", value)
    # Spreadsheets leave out what nobody sees, such as the mark of a file's byte order.
    return f"'{safe}" if _FORMULA.match(without_unseen(safe)) else safe
