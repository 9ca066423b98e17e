"""The journal: every step's intent before it happens, its outcome after, append-only."""

from __future__ import annotations

from skillbook.journal.records import (
    JournalRequest,
    JournalStep,
    Measure,
    Metric,
    Outcome,
    read_journal,
    read_measures,
    read_requests,
    summarize,
)
from skillbook.journal.transfer import SavedJournal, export_journal, load_journal
from skillbook.journal.writer import Journal

__all__ = [
    "Journal",
    "JournalRequest",
    "JournalStep",
    "Measure",
    "Metric",
    "Outcome",
    "SavedJournal",
    "export_journal",
    "load_journal",
    "read_journal",
    "read_measures",
    "read_requests",
    "summarize",
]
