"""What changed between two snapshots of a page."""

from __future__ import annotations

from skillbook.perception.diff.compare import Change, SnapshotDiff, compare

__all__ = ["Change", "SnapshotDiff", "compare"]
