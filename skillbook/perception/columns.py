"""The documents of a page joined into one list of nodes, as columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import sub
from typing import Any

from skillbook.errors import ProtocolError

_COLUMNS = ("number", "depth", "role", "tag", "flags", "name")
_DEEPEST_FRAME = 50


@dataclass(frozen=True)
class Document:
    """One document of a page, without its nodes."""

    key: str
    frame: int
    url: str
    title: str
    version: int
    viewport: tuple[int, int]
    scroll: tuple[int, int]
    size: tuple[int, int]
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
        return self.documents[self.segments[bisect_right(self.starts, index) - 1]]


def join_documents(documents: Sequence[Mapping[str, Any]]) -> Columns:
    """Join wire documents into columns.

    Raises
    ------
    ProtocolError : columns of different length, or values that can't be.
    """
    if not documents:
        raise ProtocolError("a snapshot without a document")
    try:
        return _Joiner(documents).join()
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ProtocolError(f"a snapshot that can't be read: {type(error).__name__}: {error}") from None


class _Joiner:
    """Copies runs of nodes from the wire's documents to the joined columns."""

    def __init__(self, documents: Sequence[Mapping[str, Any]]) -> None:
        self.wire = documents
        self.out = Columns()
        self.by_key = {document["key"]: position for position, document in enumerate(documents)}
        self.used: set[int] = set()

    def join(self) -> Columns:
        for position in range(len(self.wire)):
            if position not in self.used:
                self.add(position, owner=None, offset=0, level=0)
        return self.out

    def add(self, position: int, owner: int | None, offset: int, level: int) -> None:
        document = self.wire[position]
        self.used.add(position)
        size = _check(document)
        out = self.out
        ordinal = len(out.documents)
        out.documents.append(_document(document, owner))
        extras = {int(index): facts for index, facts in document["extra"]}
        frames = sorted(
            (index, self.by_key[facts["document"]])
            for index, facts in extras.items()
            if facts.get("document") in self.by_key
        )
        done = 0
        for index, child in frames:
            if child in self.used or level >= _DEEPEST_FRAME:
                continue
            self.copy(document, ordinal, done, index + 1, offset, extras)
            done = index + 1
            self.add(child, len(out.role) - 1, offset + document["depth"][index] + 1, level + 1)
        self.copy(document, ordinal, done, size, offset, extras)

    def copy(
        self,
        document: Mapping[str, Any],
        ordinal: int,
        first: int,
        last: int,
        offset: int,
        extras: Mapping[int, Mapping[str, Any]],
    ) -> None:
        if first >= last:
            return
        out = self.out
        start = len(out.role)
        out.starts.append(start)
        out.segments.append(ordinal)
        whole = first == 0 and last == len(document["role"])

        def part(column: str, scale: int = 1) -> list[Any]:
            values: list[Any] = document[column]
            return values if whole else values[first * scale : last * scale]

        out.role.extend(map(document["roles"].__getitem__, part("role")))
        out.tag.extend(map([*document["tags"], ""].__getitem__, part("tag")))
        out.name.extend(part("name"))
        out.number.extend(part("number"))
        out.flags.extend(part("flags"))
        out.box.extend(part("box", 4))
        depths = part("depth")
        out.depth.extend([depth + offset for depth in depths] if offset else depths)
        shift = start - first
        if whole and not shift:
            out.extra.update(extras)
        else:
            out.extra.update(
                {index + shift: facts for index, facts in extras.items() if first <= index < last}
            )


def _check(document: Mapping[str, Any]) -> int:
    size = len(document["role"])
    for column in _COLUMNS:
        values = document[column]
        if len(values) != size:
            raise ProtocolError(f"a snapshot's {column} column has {len(values)} values for {size} nodes")
        kind = str if column == "name" else int
        if size and set(map(type, values)) != {kind}:
            raise ProtocolError(
                f"a snapshot's {column} column has values of another type than {kind.__name__}"
            )
    if len(document["box"]) != 4 * size:
        raise ProtocolError(f"a snapshot's box column has {len(document['box'])} values for {size} nodes")
    if size:
        depths = document["depth"]
        if min(depths) < 0 or depths[0] != 0 or max(map(sub, depths[1:], depths), default=0) > 1:
            raise ProtocolError("a snapshot's depth column is no tree")
        if min(document["tag"]) < -1 or min(document["role"]) < 0 or min(document["number"]) < 0:
            raise ProtocolError("a snapshot's columns have negative numbers")
    return size


def _document(document: Mapping[str, Any], owner: int | None) -> Document:
    return Document(
        key=document["key"],
        frame=int(document["frame"]),
        url=document["url"],
        title=document["title"],
        version=int(document["version"]),
        viewport=_pair(document["viewport"]),
        scroll=_pair(document["scroll"]),
        size=_pair(document["size"]),
        owner=owner,
    )


def _pair(values: Sequence[int]) -> tuple[int, int]:
    first, second = values
    return int(first), int(second)
