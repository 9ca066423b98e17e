"""What a reading says otherwise than was known, record by record: new ones, gone ones, and facts that changed."""

from __future__ import annotations

import pandas as pd

from skillbook.extraction.frames.changes import changes
from skillbook.perception.escape import clean, without_controls

_MOST_LINES, _MOST_CHARACTERS = 20, 160
_WORDS = {"added": "new", "removed": "gone"}


def plain(text: object) -> str:
    """A page's text as one line of plain text."""
    shown = clean(without_controls(str(text)))
    return shown if len(shown) <= _MOST_CHARACTERS else f"{shown[:_MOST_CHARACTERS]}…"


def as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as it is compared and kept: the same whatever type a column came as."""
    made = frame.astype(object).where(frame.notna(), "").map(_text)
    made.columns = [str(column) for column in frame.columns]
    made.attrs = {}
    return made.reset_index(drop=True)


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def key_of(frame: pd.DataFrame, key: list[str]) -> list[str]:
    """The columns that name a record: those that were given, else the first with another value in each row."""
    texts = as_texts(frame)
    if key or texts.empty:
        return key
    return [column for column in texts.columns if (texts[column] != "").all() and texts[column].is_unique][:1]


def changed_lines(known: pd.DataFrame, now: pd.DataFrame, key: list[str], *, complete: bool) -> list[str]:
    """What differs, in words, a line each; page text is plain and cut. Of an incomplete reading nothing is gone.

    Raises ExtractionError: the key names no record.
    """
    newer = as_texts(now) if len(now.columns) else known.head(0)
    found = changes(newer, known, key or None)
    names = [column for column in found.columns if column not in {"change", "column", "before", "after"}]
    lines = []
    for row in found.to_dict("records"):
        name = ", ".join(plain(row[each]) for each in names)
        if row["change"] == "changed":
            lines.append(f"{name}: {plain(row['column'])} {plain(row['before'])} -> {plain(row['after'])}")
        elif row["change"] == "added" or complete:
            lines.append(f"{_WORDS[row['change']]}: {name}")
    more = [f"… and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return lines[:_MOST_LINES] + more


def known_after(
    known: pd.DataFrame | None, now: pd.DataFrame, key: list[str], *, complete: bool
) -> pd.DataFrame:
    """What is known of the records after a reading: of one that isn't complete, the others stay as they were."""
    newer = as_texts(now) if len(now.columns) or known is None else known.head(0)
    if known is None or complete or not key:
        return newer
    names = set(newer[key].itertuples(index=False, name=None))
    others = [row not in names for row in known[key].itertuples(index=False, name=None)]
    return pd.concat([newer, known[others]], ignore_index=True).fillna("")
