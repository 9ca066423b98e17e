"""The element that a person means by a place in the page."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.protocol.refs import make_ref


def pointed_at(
    snapshot: BaseSnapshot | None, frame: int, path: Sequence[int], *, wants_control: bool = True
) -> Node | None:
    """The nearest element that can be acted on, or else the nearest that the snapshot has; None where it has none.

    Parameters
    ----------
    frame : the document's frame number.
    path : ref numbers of the element at the place and of what it is in, innermost first.
    wants_control : False takes the nearest element, whatever it is.
    """
    if snapshot is None:
        return None
    refs = (make_ref(frame, number) for number in path)
    nodes = [snapshot[ref] for ref in refs if ref in snapshot]
    nearest = next(iter(nodes), None)
    return next((node for node in nodes if node.actionable), nearest) if wants_control else nearest
