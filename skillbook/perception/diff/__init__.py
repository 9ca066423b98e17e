"""What changed between two snapshots of a page."""

from __future__ import annotations

from skillbook.perception.diff.comparison import compare
from skillbook.perception.diff.snapshot_diff import Change, SnapshotDiff

__all__ = ["Change", "SnapshotDiff", "compare"]
