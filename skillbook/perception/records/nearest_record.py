"""The record around an element: the nearest unit that repeats, what names it, and its facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from skillbook.perception.collections.measures import HALF
from skillbook.perception.escape import clean
from skillbook.perception.forms import says_only_value
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import FEWEST
from skillbook.perception.records.neighbours import Neighbours, others_like
from skillbook.perception.records.record_pieces import (
    KnownKey,
    Piece,
    is_code,
    is_name,
    keys_in,
    known_keys,
    links_of,
    piece_text,
    pieces_in,
    skeleton,
    uncounted,
)
from skillbook.perception.records.record_table import UNNAMED, Rank, is_record, record_role
from skillbook.perception.roles import FIELDS, words

_EDGES = words("main navigation banner contentinfo")
_MOST_FACTS = 20
_MOST_NAMES = 2
_LARGEST = 400
"""Nodes; what is larger is a part of the page."""


@dataclass(frozen=True)
class Record:
    """What a record says.

    names: what it is known by: as few texts as no other record here has together.
    keys: addresses of links, ids and attributes made for keys, such as `data-id=17`, that no other record here has.
    facts: everything else that it says: prices, counts, dates, states.
    place: which it is of those that say the same, as "2 of 3"; empty where no other does.
    role: the role by which a selector knows it; empty where no element is it.
    index: the node that it is; -1 where no element is it.
    counted: keys that may only say in which place it is, since they count the records.
    """

    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    place: str = ""
    role: str = ""
    counted: tuple[str, ...] = ()
    index: int = field(default=-1, compare=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that it says, names first."""
        return (*self.names, *self.facts)


class Family:
    """Records that may be taken for each other, with what each says, in document order.

    texts: what they say, each by the index of its node, or of its element where no node is the record.
    lists: what each of them stands in, by its index.
    labels: whether the labels of the elements in one place of each, by number, name the records.
    """

    def __init__(
        self, texts: dict[int, list[Piece]], lists: Mapping[int, int] = MappingProxyType({})
    ) -> None:
        self.texts = texts
        self.lists = lists
        self.labels: dict[int, bool] = {}
        self._telling: dict[int | None, dict[tuple[Rank, int], Column]] = {}

    @cached_property
    def _in_lists(self) -> dict[int | None, list[int]]:
        found: dict[int | None, list[int]] = {}
        for place in self.texts:
            found.setdefault(self.lists.get(place), []).append(place)
        return found

    def telling(self, place: int) -> dict[tuple[Rank, int], Column]:
        """What each column is good for in the list of a record, or in all lists where that is too short to tell."""
        its_list = self.lists.get(place)
        beside: Collection[int] = self._in_lists[its_list]
        if len(beside) < FEWEST:
            its_list, beside = None, self.texts
        if its_list not in self._telling:
            columns: dict[tuple[Rank, int], list[str]] = {}
            for pieces in (self.texts[one] for one in beside) if len(beside) > 1 else ():
                for piece, slot in zip(pieces, slots_of(pieces), strict=True):
                    columns.setdefault(slot, []).append(uncounted(piece.text))
            self._telling[its_list] = {slot: Column.of(texts) for slot, texts in columns.items()}
        return self._telling[its_list]

    @cached_property
    def places(self) -> dict[str, set[int]]:
        """The records that say a text, or have a link to an address."""
        found: dict[str, set[int]] = {}
        for place, pieces in self.texts.items():
            for piece in pieces:
                found.setdefault(uncounted(piece.text), set()).add(place)
            for href in links_of(pieces):
                found.setdefault(href, set()).add(place)
        return found

    @cached_property
    def keys(self) -> dict[str, KnownKey]:
        """The keys that one record of them has."""
        return known_keys(self.texts)

    def saying(self, names: Sequence[str]) -> set[int]:
        """The records that say all of some texts."""
        found = set(self.texts)
        for name in names:
            found &= self.places.get(uncounted(name), set())
        return found


class Column(NamedTuple):
    """What a column of a family's texts is good for.

    tells: whether most of its texts differ.
    is_measure: whether they differ by their numbers alone.
    """

    tells: bool
    repeats: bool
    is_measure: bool

    @classmethod
    def of(cls, texts: Sequence[str]) -> Column:
        """Of its texts."""
        different = len(set(texts))
        measure = len(texts) >= FEWEST and different > 1 and len({*map(skeleton, texts)}) == 1
        return cls(different > HALF * len(texts), different < len(texts), measure)


_ALONE = Column(tells=True, repeats=False, is_measure=False)


def slots_of(pieces: Sequence[Piece]) -> list[tuple[Rank, int]]:
    """The place of each piece among those of its rank."""
    counts = dict.fromkeys(Rank, -1)
    found = []
    for piece in pieces:
        counts[piece.rank] += 1
        found.append((piece.rank, counts[piece.rank]))
    return found


class Unit(NamedTuple):
    """A record among its like.

    Parameters
    ----------
    place : by what its family knows it.
    role : see `Record`.
    """

    place: int
    role: str
    family: Family

    @property
    def pieces(self) -> list[Piece]:
        """What it says, its elements with it."""
        return self.family.texts[self.place]

    def others(self, snapshot: BaseSnapshot, saying: Sequence[str]) -> list[int]:
        """The other records that say some texts; none that it is in, or that are in it."""
        ends = snapshot.ends
        found = self.family.saying(saying) - {self.place}
        if not self.role:
            return sorted(found)
        inside = range(self.place, ends[self.place])
        return sorted(one for one in found if one not in inside and not one < self.place < ends[one])


def record_of(node: Node) -> Record | None:
    """The record that an element is in, or is; None where nothing around it repeats or says anything.

    node: the element; what it says itself is no part of its record, unless it names that, or is it.
    """
    known = node.snapshot.memo
    if (key := ("record", node.index)) not in known:
        units = list(units_around(node))
        known[key] = _described(units, node) if units else None
    found: Record | None = known[key]
    return found


def has_bounds(node: Node) -> bool:
    """Whether markup shows where an element's record begins and ends, or nothing like it is there."""
    is_in_item = is_record(node) or any(is_record(up) for up in node.ancestors)
    return is_in_item or not (node.actionable and others_like(node))


def units_around(node: Node) -> Iterator[Unit]:
    """The record that an element is, if it has no name, and those that it is in, nearest first."""
    known = node.snapshot.memo
    if (key := ("units", node.index)) not in known:
        items = list(_items_around(node))
        is_among_others = bool(items) and _holds_several(items[0], node)
        region = _region_around(node, beside=not items) if is_among_others or not items else None
        if is_among_others and region is not None and not names_of(region, region.pieces):
            region = None
        inner = [region] if region is not None else []
        known[key] = [*inner, *items] or list(_items_around(node, linked=True))
    yield from known[key]


def _items_around(node: Node, *, linked: bool = False) -> Iterator[Unit]:
    """The records by markup that say something, or with `linked` those that say nothing and link somewhere."""
    snapshot = node.snapshot
    if not clean(node.name) and is_record(node):
        itself = unit_at(node)
        if any(piece.text for piece in itself.pieces):
            yield itself
    for outer in node.ancestors:
        if outer.role in _EDGES:
            return
        if not is_record(outer) or says_only_value(outer, node):
            continue
        if outer.role != "row" and snapshot.ends[outer.index] - outer.index > _LARGEST:
            return
        unit = unit_at(outer, node.role)
        if any(
            (links_of([piece]) if linked else piece.text) and not _is_of(piece, node) for piece in unit.pieces
        ):
            yield unit


def _holds_several(item: Unit, node: Node) -> bool:
    """Whether a record has more controls like one, as a board's column has: each may be in a record of its own."""
    snapshot, columns = node.snapshot, node.snapshot.columns
    if item.role == "row" or not node.actionable:
        return False
    alike = (
        at
        for at in range(item.place + 1, snapshot.ends[item.place])
        if at != node.index and (columns.role[at], columns.name[at]) == (node.role, node.name)
    )
    return any(
        next((up.index for up in snapshot.nodes[at].ancestors if is_record(up)), -1) == item.place
        for at in alike
    )


def unit_at(item: Node, holding: str = "") -> Unit:
    """A record that is an element, among those of its role."""
    snapshot, roles = item.snapshot, item.snapshot.columns.role
    role = record_role(snapshot, item.index)
    known = snapshot.memo
    if (key := ("family", role, holding)) not in known:
        kin = (
            sorted(snapshot.cards) if role == "card" else [at for at, one in enumerate(roles) if one == role]
        )
        having = [
            at
            for at in kin
            if not holding or any(roles[inner] == holding for inner in range(at, snapshot.ends[at]))
        ]
        lists = {at: snapshot.parents[at] for at in having}
        known[key] = Family({at: _pieces_of(snapshot, at) for at in having}, lists)
    return Unit(item.index, role, known[key])


def _pieces_of(snapshot: BaseSnapshot, index: int) -> list[Piece]:
    """What a record that is a node says."""
    known = snapshot.memo
    if ("pieces", index) not in known:
        node = snapshot.nodes[index]
        named = node.role not in {*UNNAMED, "generic"} and clean(node.name) != clean(node.text)
        title = piece_text(node.name) if named else ""
        inside = pieces_in(snapshot, [range(index + 1, snapshot.ends[index])])
        alone = "" if inside else piece_text(node.label)
        known["pieces", index] = [
            *([Piece(Rank.TITLE, title or alone, source=index)] if title or alone else []),
            *keys_in(snapshot, range(index, snapshot.ends[index])),
            *inside,
        ]
    found: list[Piece] = known["pieces", index]
    return found


def _region_around(node: Node, *, beside: bool) -> Unit | None:
    """What is nearer to an element than to any like it, where markup shows no bounds of records."""
    others = others_like(node) if node.actionable else []
    if not others:
        return None
    snapshot = node.snapshot
    near = Neighbours(snapshot, sorted([node.index, *others]))
    texts = {}
    for index in near.members:
        control = snapshot.nodes[index]
        titles, spans = near.region(control, beside=beside)
        pieces = [piece for piece in pieces_in(snapshot, spans) if not _is_of(piece, control)]
        keys = [key for span in spans for key in keys_in(snapshot, span)]
        texts[index] = [*(Piece(Rank.TITLE, piece_text(title)) for title in titles), *keys, *pieces]
    labels = [clean(snapshot.nodes[index].label).casefold() for index in near.members]
    is_silent = not any(piece.text for pieces in texts.values() for piece in pieces)
    if is_silent and all(labels) and len(set(labels)) == len(labels):
        return None  # the pages of a pager: their place changes as others come
    return Unit(node.index, "", Family(texts))


def _is_of(piece: Piece, node: Node) -> bool:
    """Whether a piece is said by a control, or only repeats its label."""
    inside = node.index <= piece.source < node.snapshot.ends[node.index]
    return inside or (piece.rank > Rank.TITLE and piece.text.casefold() == clean(node.label).casefold())


def _described(units: Sequence[Unit], node: Node) -> Record:
    unit, snapshot = units[0], node.snapshot
    is_itself = bool(unit.role) and unit.place == node.index
    own = [piece for piece in unit.pieces if is_itself or not _is_of(piece, node)]
    label = "" if is_itself else _own_label(unit, node)
    names = [label] if label else names_of(unit, own)
    keys, counted = _keys_of(unit, node, is_named=bool(label))
    rest = list(dict.fromkeys(piece.text for piece in own if piece.text and piece.rank < Rank.VALUE))
    if not rest:
        rest = list(dict.fromkeys(piece.text for piece in own if piece.rank is Rank.VALUE))
    left = unit.others(snapshot, names)
    for text in [*(text for text in rest if is_name(text)), *rest] if not keys else ():
        if left and text not in names:
            names.append(text)
            left = unit.others(snapshot, names)
    for outer in units[1:2] if left and not keys else ():
        around = names_of(outer, outer.pieces)
        names += [text for text in around if text not in names]
        apart = outer.others(snapshot, around)
        left = [
            one
            for one in left
            if any(at < one < snapshot.ends[at] for at in apart) or _is_in(outer, one, node)
        ]
    alike = sorted([unit.place, *left]) if left and not keys else []
    place = f"{alike.index(unit.place) + 1} of {len(alike)}" if alike else ""
    facts = tuple(text for text in rest if text not in names)[:_MOST_FACTS]
    index = unit.place if unit.role else -1
    return Record(tuple(names), tuple(keys), facts, place, unit.role, tuple(counted), index)


def _keys_of(unit: Unit, node: Node, *, is_named: bool) -> tuple[list[str], list[str]]:
    """The keys of an element's record that say which it is, and those that may say only its place.

    Of attributes only those count that stand on the element or around it: beside it they may be of something else.
    """
    ends, known = node.snapshot.ends, unit.family.keys
    around = [
        piece.href
        for piece in unit.pieces
        if piece.rank is Rank.KEY and piece.source <= node.index < ends[piece.source]
    ]
    leads = links_of([*unit.pieces, Piece(Rank.LINK, "", node.href or "")])
    sure: list[str] = []
    counted: list[str] = []
    for key in [*leads, *around]:
        held, is_its_link = known.get(key), key == node.href
        if held is None and is_its_link and key not in unit.family.places:
            sure.append(key)  # what stands beside it is read without it
        elif held is not None and held.place == unit.place:
            (sure if held.is_sure or (is_its_link and is_named) else counted).append(key)
    return sure, counted


def _is_in(outer: Unit, place: int, node: Node) -> bool:
    return outer.place < place < node.snapshot.ends[outer.place]


def _own_label(unit: Unit, node: Node) -> str:
    """The element's label where that names its record: those in its place in other records have each another."""
    label = piece_text(node.label)
    if not unit.role or node.role in FIELDS or not is_name(label):
        return ""
    snapshot, roles = node.snapshot, node.snapshot.columns.role

    def alike(index: int) -> list[int]:
        return [at for at in range(index, snapshot.ends[index]) if roles[at] == node.role]

    mine = alike(unit.place)
    place, family = mine.index(node.index) if node.index in mine else 0, unit.family
    if place not in family.labels:
        inside = (alike(index) for index in family.texts)
        labels = [uncounted(snapshot.nodes[found[place]].label) for found in inside if len(found) > place]
        family.labels[place] = len(labels) >= FEWEST and Column.of(labels).tells
    return label if family.labels[place] else ""


def names_of(unit: Unit, own: Sequence[Piece]) -> list[str]:
    """What a record is known by: titles, links and texts that differ among the records, in this order."""
    telling = unit.family.telling(unit.place)
    slots = dict(zip(map(id, unit.pieces), slots_of(unit.pieces), strict=True))

    def column(piece: Piece) -> Column:
        return telling.get(slots.get(id(piece), (piece.rank, -1)), _ALONE)

    several = len(unit.family.texts) >= FEWEST
    may_name = [piece for piece in own if piece.text and column(piece).tells]
    for rank in Rank:
        found = [piece for piece in may_name if piece.rank is rank and is_name(piece.text)]
        if rank is Rank.CONTROL and not (unit.role and several):
            continue
        if rank is Rank.TEXT:
            found = [piece for piece in found if not column(piece).is_measure]
            if several:  # a column in which no text repeats names records better than one in which some do
                found = sorted(found, key=lambda piece: column(piece).repeats)[:1]
        if found:
            is_titled = rank is Rank.TITLE
            codes = [
                piece for piece in may_name if is_code(piece.text) and piece not in found and not is_titled
            ]
            chosen = found if rank is Rank.TEXT else found[:_MOST_NAMES]
            return list(dict.fromkeys(piece.text for piece in (*codes[:1], *chosen)))
    numbered = [piece for piece in may_name if piece.rank < Rank.VALUE and not column(piece).repeats]
    return [piece.text for piece in numbered if piece.text.isdigit() or piece.rank is Rank.TITLE][:1]
