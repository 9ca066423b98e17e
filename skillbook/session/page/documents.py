"""What a snapshot says about the document of a ref: its key, its address, where the keyboard focus is."""

from __future__ import annotations

from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import split_ref


def node_of(snapshot: BaseSnapshot | None, ref: str) -> Node | None:
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
