"""What has the keyboard focus."""

from __future__ import annotations

from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.protocol.snapshot import State


def focus_in(snapshot: BaseSnapshot | None) -> tuple[int, Node | None]:
    """The number of the document with the focus, and its focused node.

    Every document has a focused element, whether or not keys go to it: the way leads from the main document down.
    """
    frame, holder = 0, None
    if snapshot is None:
        return frame, holder
    flags, bit = snapshot.columns.flags, int(State.FOCUSED)
    focused = [snapshot.nodes[at] for at in range(len(flags)) if flags[at] & bit]
    while True:
        holder = next((node for node in focused if node.frame == frame), None)
        inner = holder and next((each.frame for each in holder.children if each.frame != frame), None)
        if not inner:
            return frame, holder
        frame = inner
