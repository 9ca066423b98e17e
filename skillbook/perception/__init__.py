"""What a page is, from one snapshot: text for the model, role selectors, differences, collections, summaries.

Everything here is pure: a `Snapshot` goes in, text or objects come out.
"""

from __future__ import annotations

from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.selectors.grammar import Selector, parse_selector
from skillbook.perception.snapshot import Snapshot

__all__ = ["Node", "Selector", "Snapshot", "parse_selector"]
