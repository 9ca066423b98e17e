"""Every node of a page as columns: the documents of the wire joined, which blocks repeat as cards, counts by tier."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from skillbook.errors import ProtocolError
from skillbook.perception.nodes.document import DocumentSnapshot, read_document
from skillbook.protocol.snapshot import State

_DEEPEST_FRAME = 50


@dataclass(frozen=True)
class Document:
    """One document of a page, without its nodes; `no_ai` where it asks not to be used by AI.

    `lang` is the language that its root element names (BCP 47), "" where it names none; `next` is the page after this
    one, as its head names it (`<link rel=next>`). `elements` counts what it shows, also what is no node.
    """

    key: str
    frame: int
    url: str
    title: str
    version: int
    viewport: tuple[int, int]
    scroll: tuple[int, int]
    size: tuple[int, int]
    lang: str = ""
    no_ai: bool = False
    next: str = ""
    ready_state: str = "complete"
    elements: int = 0
    owner: int | None = field(default=None, repr=False)


@dataclass
class Columns:
    """Every node of a page in document order; a frame's document follows the frame's node, one level deeper.

    `segments` says which document a node belongs to: node `starts[k]` and those after it, up to the next start,
    are of document `segments[k]`.
    """

    role: list[str] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    box: list[int] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    extra: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    documents: list[Document] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    segments: list[int] = field(default_factory=list)

    def document_at(self, index: int) -> Document:
        """The document that a node belongs to."""
        # Most pages are one document, and every cell of a table is looked up.
        place = bisect_right(self.starts, index) - 1 if len(self.segments) > 1 else 0
        return self.documents[self.segments[place]]

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """Runs of nodes of one document: first index, the index after the last, and which document it is."""
        ends = [*self.starts, len(self.role)][1:]
        return zip(self.starts, ends, self.segments, strict=True)

    @cached_property
    def parents(self) -> Sequence[int]:
        """Each node's parent by index, -1 for roots."""
        return self._tree[0]

    @cached_property
    def ends(self) -> Sequence[int]:
        """For each node, the index after its last descendant."""
        return self._tree[1]

    @cached_property
    def _tree(self) -> tuple[Sequence[int], Sequence[int]]:
        size = len(self.depth)
        parents, ends = array("q", [-1]) * size, array("q", range(1, size + 1))
        stack: list[int] = []  # what is around the node before
        up, level = -1, self.depth[0] if size else 0
        for index, depth in enumerate(self.depth):
            if depth > level:
                up, level = index - 1, depth
                stack.append(up)
            elif depth < level:
                while len(stack) > depth:
                    ends[stack.pop()] = index
                up, level = stack[-1] if stack else -1, depth
            parents[index] = up
        for index in stack:
            ends[index] = size
        return parents, ends

    def around(self, index: int) -> Iterator[int]:
        """Indexes of the nodes around a node, nearest first."""
        while (index := self.parents[index]) >= 0:
            yield index

    def child_indexes(self, index: int) -> Iterator[int]:
        """Indexes of the nodes directly inside a node."""
        ends = self.ends
        child, last = index + 1, ends[index]
        while child < last:
            yield child
            child = ends[child]


def join_documents(
    documents: Sequence[Mapping[str, Any]], earlier: Mapping[str, DocumentSnapshot] | None = None
) -> tuple[Columns, dict[str, DocumentSnapshot]]:
    """Join wire documents into columns; also return each document's snapshot, which later changes are applied to.

    documents: the wire's documents, parents before children.
    earlier: document snapshots by key, which documents that are only changes are applied to.
    Raises ProtocolError: columns of different length, or values that can't be.
    """
    if not documents:
        raise ProtocolError("a snapshot without a document")
    snapshots = [read_document(document, earlier or {}) for document in documents]
    try:
        columns = _Joiner(snapshots).join()
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ProtocolError(f"a snapshot that can't be read: {type(error).__name__}: {error}") from None
    return columns, {snapshot.key: snapshot for snapshot in snapshots if snapshot.stamp}


class _Joiner:
    """Copies runs of nodes from documents to the joined columns; a page of one document shares its columns."""

    def __init__(self, snapshots: Sequence[DocumentSnapshot]) -> None:
        self.snapshots = snapshots
        self.out = Columns()
        self.by_key = {snapshot.key: position for position, snapshot in enumerate(snapshots)}
        self.used: set[int] = set()

    def join(self) -> Columns:
        if len(self.snapshots) == 1:
            return _single(self.snapshots[0])
        for position in range(len(self.snapshots)):
            if position not in self.used:
                self.add(position, owner=None, offset=0, level=0)
        return self.out

    def add(self, position: int, owner: int | None, offset: int, level: int) -> None:
        snapshot = self.snapshots[position]
        self.used.add(position)
        out = self.out
        ordinal = len(out.documents)
        out.documents.append(_document(snapshot, owner))
        frames = sorted(
            (index, self.by_key[facts["document"]])
            for index, facts in snapshot.extra.items()
            if facts.get("document") in self.by_key
        )
        done = 0
        for index, child in frames:
            if child in self.used or level >= _DEEPEST_FRAME:
                continue
            self.copy(snapshot, ordinal, done, index + 1, offset)
            done = index + 1
            self.add(child, len(out.role) - 1, offset + snapshot.depth[index] + 1, level + 1)
        self.copy(snapshot, ordinal, done, len(snapshot.role), offset)

    def copy(self, snapshot: DocumentSnapshot, ordinal: int, first: int, last: int, offset: int) -> None:
        if first >= last:
            return
        out = self.out
        start = len(out.role)
        out.starts.append(start)
        out.segments.append(ordinal)
        out.role.extend(snapshot.role[first:last])
        out.tag.extend(snapshot.tag[first:last])
        out.name.extend(snapshot.name[first:last])
        out.number.extend(snapshot.number[first:last])
        out.flags.extend(snapshot.flags[first:last])
        out.box.extend(snapshot.box[4 * first : 4 * last])
        depths = snapshot.depth[first:last]
        out.depth.extend([depth + offset for depth in depths] if offset else depths)
        shift = start - first
        out.extra.update(
            {index + shift: facts for index, facts in snapshot.extra.items() if first <= index < last}
        )


def _single(snapshot: DocumentSnapshot) -> Columns:
    some = bool(snapshot.role)
    return Columns(
        role=snapshot.role,
        name=snapshot.name,
        number=snapshot.number,
        depth=snapshot.depth,
        flags=snapshot.flags,
        box=snapshot.box,
        tag=snapshot.tag,
        extra=snapshot.extra,
        documents=[_document(snapshot, None)],
        starts=[0] if some else [],
        segments=[0] if some else [],
    )


def _document(snapshot: DocumentSnapshot, owner: int | None) -> Document:
    head = snapshot.head
    return Document(
        key=head["key"],
        frame=int(head["frame"]),
        url=head["url"],
        title=head["title"],
        version=int(head["version"]),
        viewport=_pair(head["viewport"]),
        scroll=_pair(head["scroll"]),
        size=_pair(head["size"]),
        lang=head["lang"],
        no_ai=bool(head["no_ai"]),
        next=head["next"],
        ready_state=head["ready_state"],
        elements=head["elements"],
        owner=owner,
    )


def _pair(values: Sequence[int]) -> tuple[int, int]:
    first, second = values
    return int(first), int(second)


LARGEST_ITEM = 4000
"""Nodes; what has more is a part of the page, and no item."""
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
