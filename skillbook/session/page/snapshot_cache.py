"""What the kernel has seen of a page: which refs it knows, and of which documents only the changes are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillbook.errors import UnknownRef
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import split_ref

if TYPE_CHECKING:
    from skillbook.perception.nodes import DocumentSnapshot

_MOST_PARTS = 16


class SnapshotCache:
    """One page's documents so far.

    Attributes
    ----------
    documents : keys of all documents seen.
    document_snapshots : the latest of each document that the dom engine read, by key.
    """

    def __init__(self) -> None:
        self.documents: set[str] = set()
        self.document_snapshots: Mapping[str, DocumentSnapshot] = {}
        self._parts: deque[Snapshot] = deque(maxlen=_MOST_PARTS)
        self._highest = 0
        self._highest_frame = 0

    @property
    def highest(self) -> int:
        """The highest number of a ref that was given out in the page itself."""
        return self._highest

    def known(self, engine: str) -> Mapping[str, DocumentSnapshot]:
        """The documents of which an engine sends only what changed."""
        return self.document_snapshots if engine == "dom" else {}

    def wanted(self, engine: str = "dom") -> dict[str, Any]:
        """Parameters of the next snapshot."""
        return {
            "engine": engine,
            "after": self._highest,
            "frames_after": self._highest_frame,
            "known": {key: document.stamp for key, document in self.known(engine).items()},
        }

    def parts_wanted(self, refs: Sequence[str]) -> dict[str, Any]:
        """Parameters for reading some elements."""
        return {"refs": list(refs), "after": self._highest, "frames_after": self._highest_frame}

    def take_part(self, data: dict[str, Any]) -> Snapshot:
        """The part of a snapshot of its data: refs in it were given out."""
        part = Snapshot.from_wire(data)
        if len(part):
            self._note_numbers(part)
        self.documents.update(document.key for document in part.documents)
        self._parts.appendleft(part)
        return part

    def part_with(self, ref: str) -> Snapshot | None:
        """The last part with an element, of the last few that were read since the snapshot."""
        return next((part for part in self._parts if ref in part), None)

    def _note_numbers(self, snapshot: Snapshot) -> None:
        self._highest = max(self._highest, snapshot.highest_ref)
        self._highest_frame = max(self._highest_frame, snapshot.highest_frame)

    def take(
        self, data: dict[str, Any], known: Mapping[str, DocumentSnapshot], engine: str = "dom"
    ) -> Snapshot:
        """The snapshot of its data; `known` as it was when the data was requested."""
        snapshot = Snapshot.from_wire(data, earlier=known)
        if engine == "dom":
            self.document_snapshots = snapshot.document_snapshots
        self._parts.clear()
        self._note_numbers(snapshot)
        self.documents.update(document.key for document in snapshot.documents)
        return snapshot

    def check(self, ref: str, url: str) -> None:
        """Make sure that a ref was given out.

        Raises
        ------
        UnknownRef : it never was.
        """
        parts = split_ref(ref)
        given = parts.frame <= self._highest_frame if parts.frame else parts.number <= self._highest
        if not given:
            raise UnknownRef(f"{ref} was never given out on this page", ref=ref, url=url)
