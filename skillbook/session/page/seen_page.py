"""What was seen of a page: by the kernel its documents, by a caller its controls, by a person the element there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from skillbook.errors import UnknownRef
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records.record_around import record_around, record_outside
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.secrets import MASK
from skillbook.protocol.envelopes import SeenPart, SeenRecord, SeenTarget
from skillbook.protocol.refs import make_ref, split_ref
from skillbook.session.action import Resolved

if TYPE_CHECKING:
    from skillbook.perception.nodes import DocumentSnapshot


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


Seen: TypeAlias = Callable[[str], "Node | None"]
"""Gives a ref's node as the caller saw it last."""


class ShownControls:
    """What a person saw of a page's controls: the snapshot that they were shown last.

    What their own action made of a control's name, its result said.
    """

    def __init__(self) -> None:
        self._shown: BaseSnapshot | None = None
        self._named: dict[str, Node] = {}

    def show(self, snapshot: BaseSnapshot) -> None:
        """The person sees the whole page."""
        self._shown = snapshot
        self._named.clear()

    def acted_on(self, node: Node | None) -> None:
        """The person acted on a control, which is this now."""
        if node is not None and node.ref:
            self._named[node.ref] = node

    def renamed(self, ref: str) -> str | None:
        """What the person's own action made of a control's name; None if it had none."""
        return self._named[ref].name if ref in self._named else None

    def frozen(self, latest: BaseSnapshot | None, seen: Seen | None = None) -> Seen:
        """What was seen so far, by a person or, as `seen` says, by an agent.

        `latest` has the controls of which they saw nothing.
        """
        shown = self._shown if seen is None else None

        def look_up(ref: str) -> Node | None:
            known = seen(ref) if seen is not None else node_of(shown, ref)
            return known or node_of(latest, ref)

        return look_up


def seen_of(target: object, found: Resolved, seen: Seen, renamed: str | None = None) -> SeenTarget | None:
    """What goes with a call on a control; None if nothing is known of it.

    target: what the caller gave: a node or an element has what was seen of it; a ref is what was shown last; a selector
        is looked up on the page as it is.
    seen: gives the node of a ref.
    renamed: what the caller's own action made of its name.
    """
    own = target if isinstance(target, Node) else getattr(target, "node", None)
    known = own or (seen(found.ref) if target == found.ref else None)
    node = known or found.node
    if node is None or node.snapshot.engine != "dom":
        return None
    # What a selector names was found on the page as it is.
    name = node.name if renamed is None or known is None else renamed
    return seen_target(name, record_around(node), record_outside(node))


def seen_target(name: str, record: SeenRecord | None, outside: SeenPart | None = None) -> SeenTarget:
    """A name, a record and what that is in, as they go with a call, without what has a secret in it."""
    if record is not None and any(MASK in text for text in (*record.texts, *record.links, *record.facts)):
        record = None
    parts = [outside] if outside is not None and MASK not in outside.text else []
    return SeenTarget(name="" if MASK in name else name, record=record, parts=parts)


@dataclass(frozen=True)
class Around:
    """What the page read around few elements, a part of a snapshot for each."""

    parts: Sequence[Snapshot]

    def node(self, ref: str) -> Node | None:
        """One of them; None where the page read nothing around it."""
        return next((part[ref] for part in self.parts if ref in part), None)


def seen_around(name: str, node: Node | None) -> SeenTarget:
    """What goes with a call on an element that was found.

    node: the element in what the page read around it.
    """
    return seen_target(name, record_around(node, in_part=True) if node is not None else None)


_MOST_PARTS = 16


class SnapshotCache:
    """One page's documents so far.

    document_snapshots: the latest of each document that the dom engine read, by key.
    css: selectors that every snapshot is to answer, as a person's hints have them.
    """

    def __init__(self) -> None:
        self.documents: set[str] = set()
        self.document_snapshots: Mapping[str, DocumentSnapshot] = {}
        self._parts: deque[Snapshot] = deque(maxlen=_MOST_PARTS)
        self.css: Sequence[str] = ()
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
            **({"elements": {"css": list(self.css)}} if self.css else {}),
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

    def take_around(self, trees: Sequence[dict[str, Any]]) -> Around:
        """What the page read around few elements: refs in it were given out."""
        parts = [Snapshot.from_wire({"documents": [tree]}) for tree in trees]
        for part in parts:
            self._note_numbers(part)
        return Around(parts)

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

        Raises UnknownRef: it never was.
        """
        parts = split_ref(ref)
        given = parts.frame <= self._highest_frame if parts.frame else parts.number <= self._highest
        if not given:
            raise UnknownRef(f"{ref} was never given out on this page", ref=ref, url=url)


def pointed_at(
    snapshot: BaseSnapshot | None, frame: int, path: Sequence[int], *, wants_control: bool = True
) -> Node | None:
    """The nearest element that can be acted on, or else the nearest that the snapshot has; None where it has none.

    frame: the document's frame number.
    path: ref numbers of the element at the place and of what it is in, innermost first.
    wants_control: False takes the nearest element, whatever it is.
    """
    if snapshot is None:
        return None
    refs = (make_ref(frame, number) for number in path)
    nodes = [snapshot[ref] for ref in refs if ref in snapshot]
    nearest = next(iter(nodes), None)
    return next((node for node in nodes if node.actionable), nearest) if wants_control else nearest
