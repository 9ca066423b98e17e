"""Which rows of a frame are shown, in which order, and what each column holds as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

_BINS = 12
_MOST_FREQUENT = 3
_VALUE_LENGTH = 40


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    Parameters
    ----------
    kind : number, date, yes/no or text.
    blanks, distinct : how many cells are blank, and how many values differ.
    says : the range, or the most frequent values, in words.
    bars : heights of a histogram from 0 to 1; empty where values are no numbers or dates.
    """

    kind: str
    blanks: int
    distinct: int
    says: str
    bars: tuple[float, ...] = ()


class FrameOrder:
    """The rows of a frame as a person sorted and filtered them.

    Parameters
    ----------
    frame : it stays as it is.
    """

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
