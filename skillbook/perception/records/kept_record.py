"""What is kept of where an element is, so that it is known another day: its record, or the heading over it."""

from __future__ import annotations

from typing import Any

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.records.nearest_record import record_of
from skillbook.perception.records.record_table import is_record
from skillbook.perception.roles import DIALOGS, LANDMARKS, RECORDS, words

_AREAS = DIALOGS | words("navigation banner contentinfo search complementary")
"""What stands before them says nothing of what is in them."""
_SECTIONS = RECORDS | LANDMARKS | DIALOGS | {"tabpanel"}


SEVERAL = "one of several"
"""The place of a record among those that say the same, where the whole page would show which it is."""


def kept_record(node: Node, *, in_part: bool = False) -> dict[str, Any]:
    """An element's record as the journal keeps it, or else the heading over it; empty where it has neither.

    in_part: whether it is in what was read around it alone.
    """
    record = record_of(node)
    if record is None:
        heading = next(iter(headings_over(node)), "")
        return {"heading": heading} if heading else {}
    parts = {"names": record.names, "keys": record.keys, "facts": record.facts, "counted": record.counted}
    kept = {key: [*texts] for key, texts in parts.items() if texts or key != "counted"}
    is_one_of_several = in_part and (record.place or not record.role)
    return {**kept, "place": SEVERAL if is_one_of_several else record.place}


def headings_over(node: Node) -> list[str]:
    """The headings that an element stands under, nearest first: of its section, of the section around that."""
    snapshot, roles = node.snapshot, node.snapshot.columns.role
    site = next((up for up in node.ancestors if up.role in _AREAS), None)
    found: list[str] = []
    level = 9
    for index in range(node.index - 1, site.index if site else -1, -1):
        if roles[index] != "heading" or node.index < snapshot.ends[index]:
            continue
        heading = snapshot.nodes[index]
        if (heading.level or 2) >= level or not clean(heading.label):
            continue
        apart = any(
            (up.role in _SECTIONS or is_record(up)) and node.index >= snapshot.ends[up.index]
            for up in heading.ancestors
        )
        if not apart:
            found.append(clean(heading.label))
            level = heading.level or 2
    return found
