"""Cards: blocks without a role that repeat side by side, such as a shop's products.

They count as a role, "card", in role selectors and in a page's text.
"""

from __future__ import annotations

from collections import defaultdict

from skillbook.perception.nodes.columns import Columns
from skillbook.protocol.snapshot import State

FEWEST = 3
"""Of a kind: so many show what all are like; two may be alike by chance."""
_NO_CARD = int(State.INLINE)


def find_cards(columns: Columns) -> frozenset[int]:
    """Indexes of the cards: at least three siblings of one tag and first class, each with several things in it."""
    parents, ends = columns.parents, columns.ends
    families: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, role in enumerate(columns.role):
        if role == "generic" and ends[index] - index > FEWEST and not columns.flags[index] & _NO_CARD:
            families[parents[index], kind_of(columns.tag[index])].append(index)
    return frozenset(index for family in families.values() if len(family) >= FEWEST for index in family)


def kind_of(tag: str) -> str:
    """A tag with its first class; the other classes name states and variants."""
    return ".".join(tag.split(".", 2)[:2])
