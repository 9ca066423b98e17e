"""Which record an element belongs to: what names it, what are its facts, and whether another one is it."""

from __future__ import annotations

from skillbook.perception.records.nearest_record import Record, has_bounds, record_of
from skillbook.perception.records.same_record import (
    ANY,
    ChangedFact,
    Sameness,
    Verdict,
    compare,
    fits,
    is_in_record,
)

__all__ = [
    "ANY",
    "ChangedFact",
    "Record",
    "Sameness",
    "Verdict",
    "compare",
    "fits",
    "has_bounds",
    "is_in_record",
    "record_of",
]
