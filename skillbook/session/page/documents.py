"""What a snapshot says about the document of a ref: its key, its address, where the keyboard focus is."""

from __future__ import annotations

from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import split_ref
from skillbook.protocol.snapshot import State


def node_of(snapshot: Snapshot | None, ref: str) -> Node | None:
    """The node of a ref in a snapshot, or None."""
    return snapshot[ref] if snapshot is not None and ref in snapshot else None


def document_key(snapshot: Snapshot | None, ref: str) -> str:
    """The key of a ref's document; empty where it isn't known."""
    frame = split_ref(ref).frame
    documents = snapshot.documents if snapshot is not None else ()
    return next((doc.key for doc in documents if doc.frame == frame), "")


def frame_url(snapshot: Snapshot | None, ref: str) -> str | None:
    """The address that gives a ref's document its origin; None where that is the page's own.

    A document without an address of its own (`about:blank`, `srcdoc`) has its parent's origin.
    """
    frame = split_ref(ref).frame
    if not frame or snapshot is None:
        return None
    document = next((doc for doc in snapshot.documents if doc.frame == frame), None)
    while document is not None and document.url.startswith("about:"):
        if document.owner is None:
            return None
        document = snapshot.columns.document_at(document.owner)
    return None if document is None or document.frame == 0 else document.url


def focus_in(snapshot: Snapshot | None) -> tuple[int, Node | None]:
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
