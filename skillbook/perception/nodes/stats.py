"""How many nodes of each tier a snapshot has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from skillbook.perception.nodes.columns import Columns
from skillbook.protocol.snapshot import State

_STRUCTURAL, _INTERACTIVE, _SEMANTIC, _TEXT = range(4)


@dataclass(frozen=True)
class SnapshotStats:
    """What a page shows, counted.

    semantic: those with a role of their own.
    interactive: those without one that a person can act on all the same; `node.extra["why"]` has the reasons.
    structural: those that only lay the page out: most are no node of the snapshot.
    texts: Runs of text.
    took_ms: Milliseconds spent in the browser.
    """

    elements: int
    semantic: int
    interactive: int
    structural: int
    texts: int
    took_ms: float


def count_tiers(columns: Columns, took_ms: float) -> SnapshotStats:
    """Count a snapshot's nodes by tier."""
    tiers = Counter(map(_tier, columns.role, columns.flags))
    known = tiers[_SEMANTIC] + tiers[_INTERACTIVE]
    elements = max(sum(document.elements for document in columns.documents), known + tiers[_STRUCTURAL])
    return SnapshotStats(
        elements, tiers[_SEMANTIC], tiers[_INTERACTIVE], elements - known, tiers[_TEXT], took_ms
    )


def _tier(role: str, flags: int) -> int:
    if role == "text":
        return _TEXT
    if role not in {"generic", "none"}:
        return _SEMANTIC
    return _INTERACTIVE if flags & State.ACTIONABLE else _STRUCTURAL
