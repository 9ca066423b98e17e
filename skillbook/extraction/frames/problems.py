"""What is wrong with single cells: kept beside a frame, so that a row with a fault is flagged and not lost."""

from __future__ import annotations

from dataclasses import dataclass

INVALID = "don't fit the schema: see `df.skillbook.report`"


class InvalidRows(UserWarning):
    """Rows of a frame don't fit its schema."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    column: its column; "" where the whole row is meant.
    value: what the page says there; None where it says nothing.
    """

    row: int
    column: str
    value: str | None
    problem: str
