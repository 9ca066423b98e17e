"""The journal: every step's intent before it happens, its outcome after, append-only."""

from __future__ import annotations

from skillbook.journal.reader import read_journal
from skillbook.journal.records import JournalStep, Outcome
from skillbook.journal.writer import Journal

__all__ = ["Journal", "JournalStep", "Outcome", "read_journal"]
