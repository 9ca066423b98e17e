"""Repeated structures of a page — tables, grids, lists, cards, definitions — as rows of named fields."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import kind_of
from skillbook.protocol.refs import make_ref

_NAMING = frozenset({"iframe", "region", "group", "tabpanel"})
Kind = Literal["table", "grid", "list", "cards", "definitions"]
Aside = tuple[str, int]


class Cell:
    """One value of a row: its text, and the node that says it, which is made when it is read."""

    __slots__ = ("index", "snapshot", "text")

    def __init__(self, text: str, snapshot: BaseSnapshot | None = None, index: int = 0) -> None:
        self.text = text
        self.snapshot = snapshot
        self.index = index

    @classmethod
    def of(cls, text: str, node: Node | None) -> Cell:
        """A cell of a node."""
        return cls(text) if node is None else cls(text, node.snapshot, node.index)

    @property
    def node(self) -> Node | None:
        """The node that says it; None where the text comes from elsewhere."""
        return None if self.snapshot is None else Node(self.snapshot, self.index)

    def __repr__(self) -> str:
        return f"<Cell {quote(self.text, 40)} [ref={self.ref}]>"

    @property
    def ref(self) -> str | None:
        """The ref of the node, or of the nearest element around it."""
        if self.snapshot is None:
            return None
        columns = self.snapshot.columns
        named = (at for at in chain((self.index,), columns.around(self.index)) if columns.number[at])
        at = next(named, None)
        return None if at is None else make_ref(columns.document_at(at).frame, columns.number[at])

    @property
    def href(self) -> str | None:
        """Where the first link in or around the node goes."""
        if self.snapshot is None or not self.snapshot.link_places:
            return None
        link = self.link
        return link.href if link else None

    @property
    def link(self) -> Node | None:
        """The first link in the node, or the node itself."""
        snapshot, first = self.snapshot, self.index
        if snapshot is None:
            return None
        places = snapshot.link_places
        place = bisect_left(places, first)
        if place == len(places) or places[place] >= snapshot.ends[first]:
            return None
        return Node(snapshot, places[place])


class Row(NamedTuple):
    """One item of a collection, with a cell for each field; `None` where the item has no such field."""

    node: Node
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Collection:
    """A repeated structure.

    name: its accessible name or caption, else the heading before it.
    fields: names of the fields, from headers, labels, roles or classes.
    rows: the items that the page has now.
    minor: whether it is navigation rather than content.
    places: the number of each field's column, from 1, where the page numbers them, or has more headers than columns.
    width: how many columns the headers name, where they are apart from the rows; else 0.
    faults: what of it is known to be missing or broken.
    left_out: how many rows that sum up others were left out.
    notes: what else is worth knowing of it, a sentence each.
    labelled: whether labels in its items name fields.
    aside: what else of it was read, each by its kind and index: "header", "heading", "sum", "filter", "message",
        "control", "repeated"; "cell" for what a cell says beside its node, "elsewhere" for what wasn't wanted.
    """

    kind: Kind
    name: str
    node: Node
    fields: Sequence[str]
    rows: Sequence[Row] = field(repr=False)
    minor: bool = False
    places: Sequence[int] = ()
    width: int = 0
    faults: Sequence[str] = ()
    left_out: int = 0
    notes: Sequence[str] = ()
    labelled: bool = False
    aside: Sequence[Aside] = field(default=(), repr=False)

    @property
    def count(self) -> int:
        """How many items the page has now."""
        return len(self.rows)

    @property
    def total(self) -> int:
        """How many items there are: a virtualised list has more than the page has now.

        As the page says, else estimated from the room that it keeps for them (`estimated`).
        """
        return self._total[0]

    @property
    def estimated(self) -> bool:
        """Whether `total` is an estimate."""
        return self._total[1]

    @cached_property
    def _total(self) -> tuple[int, bool]:
        claimed = self._claimed()
        if claimed > 0:
            return max(claimed, self.count), False
        room = self.node.snapshot.extents.room_for([row.node.index for row in self.rows])
        return (self.count, False) if room is None else (room, True)

    def _claimed(self) -> int:
        snapshot, extra = self.node.snapshot, self.node.snapshot.columns.extra
        if self.kind in {"table", "grid"}:
            claimed = extra.get(self.node.index, {}).get("setsize") or 0
            before = range(self.node.index, self.rows[0].node.index if self.rows else 0)
            claimed -= sum(snapshot.columns.role[at] == "row" for at in before) + self.left_out
        else:
            claimed = max((extra.get(row.node.index, {}).get("setsize") or 0 for row in self.rows), default=0)
        return int(claimed)

    @property
    def ref(self) -> str | None:
        """The container's ref."""
        return self.node.ref

    @cached_property
    def template(self) -> str:
        """The fields with a sample each, on one line."""
        first = self.rows[0].cells if self.rows else []
        columns = [
            f"{clean(name)}: {quote(cell.text, 40)}" if cell else clean(name)
            for name, cell in zip(self.fields, first, strict=False)
        ]
        return " | ".join(columns)

    def __repr__(self) -> str:
        name = f" {quote(self.name, 60)}" if self.name else ""
        about = "about " if self.estimated else ""
        count = f"{self.count} of {about}{self.total:,}" if self.total > self.count else str(self.count)
        return f"<{self.kind}{name} [ref={self.ref}]: {count} × {', '.join(map(clean, self.fields))}>"

    @property
    def item_kind(self) -> tuple[str, str]:
        """Role, tag and first class of an item."""
        item = self.rows[0].node
        return item.role, kind_of(item.snapshot.columns.tag[item.index])


def name_of(snapshot: BaseSnapshot, index: int) -> str:
    """A container's name, its caption's, else that of the heading before it."""
    columns = snapshot.columns
    if columns.name[index].strip():
        return clean(columns.name[index])
    for child in snapshot.child_indexes(index):
        if columns.role[child] in {"caption", "heading"}:
            return snapshot.nodes[child].label
    at = index
    while at >= 0:
        # What is in a frame or region belongs to it, and not to a heading that stands before that.
        if at != index and columns.role[at] in _NAMING and columns.name[at].strip():
            return clean(columns.name[at])
        parent = snapshot.parents[at]
        siblings = snapshot.child_indexes(parent) if parent >= 0 else snapshot.roots
        for sibling in reversed([child for child in siblings if child < at]):
            heading = _last_heading(snapshot, sibling)
            if heading is not None:
                return snapshot.nodes[heading].label
        at = parent
    return ""


def _last_heading(snapshot: BaseSnapshot, root: int) -> int | None:
    roles = snapshot.columns.role
    return next((at for at in range(snapshot.ends[root] - 1, root - 1, -1) if roles[at] == "heading"), None)


def unique_names(names: Sequence[str], blank: str = "column") -> list[str]:
    """Names that differ from each other: blank ones are numbered, repeated ones get a number."""
    seen: dict[str, int] = {}
    given: list[str] = []
    taken = {name for name in names if name}
    for place, name in enumerate(names, 1):
        base = name or f"{blank} {place}"
        seen[base] = seen.get(base, 0) + 1
        unique = base if seen[base] == 1 else f"{base} {seen[base]}"
        while seen[base] > 1 and unique in taken:
            seen[base] += 1
            unique = f"{base} {seen[base]}"
        taken.add(unique)
        given.append(unique)
    return given
