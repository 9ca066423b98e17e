"""The record that a control belongs to, and what tells it from its neighbours.

Lists that reuse their nodes keep a control's ref and label and give it another record. What is seen of a record goes
with a call therefore, and the page compares it at the last moment. Only what identifies the record counts: prices,
clocks and states may change. Structure decides which text that is; where it doesn't, the first text that no record
beside it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.nodes.cards import kind_of
from skillbook.perception.records.record_keys import keys_in, known_keys
from skillbook.perception.records.record_pieces import is_fact
from skillbook.perception.records.record_table import AROUND, LONGEST, TITLES, UNNAMED, VOLATILE, Rank
from skillbook.perception.roles import CELLS, DIALOGS, IMAGES, INTERACTIVE, words
from skillbook.protocol.envelopes import SeenRecord

_VALUED = words("textbox searchbox combobox spinbutton slider listbox progressbar meter")
_TICKED = words("checkbox radio switch option")
_NEIGHBOURS = 12
"""Records beside it that it is compared with."""
_REACH = 60
"""Nodes on either side among which the records beside it are looked for."""
_LARGEST = 120
"""Nodes; what is larger is a part of the page, of which only titles count."""
_WRAPPED = 4
"""Nodes around a heading, such as a header with a picture."""
_WORDS = 60
_VOLATILE = re.compile(VOLATILE)


@dataclass(frozen=True)
class _Piece:
    """Something that a record says, and its place among what has the same rank."""

    rank: Rank
    place: int
    text: str
    href: str = ""

    @property
    def slot(self) -> tuple[Rank, int]:
        """Where the records beside it have the same kind of thing."""
        return self.rank, self.place


def record_around(node: Node, *, in_part: bool = False) -> SeenRecord | None:
    """What is to be compared of the record around a control; None if nothing around it says anything.

    in_part: whether that has only what the page read around it; of headings only the one that is over it.
    """
    if not node.name and (own := _seen(node, None)):
        return own
    around = [node]
    while (
        (parent := around[-1].parent) is not None
        and parent.frame == node.frame
        and around[-1].role not in DIALOGS
    ):
        around.append(parent)
    for at in around:
        if at.role in CELLS:
            continue
        if at is not node and (found := _seen(at, node)):
            return found
        if found := _before(at):
            return found
    return next((found for at in around if (found := _under_heading(at, in_part=in_part))), None)


def _siblings(node: Node) -> list[int]:
    """The nodes beside one, itself among them; of very many those near it."""
    snapshot, parents = node.snapshot, node.snapshot.parents
    parent = parents[node.index]
    end = len(parents) if parent < 0 else snapshot.ends[parent]
    before: list[int] = []
    at = node.index - 1
    while at > parent and len(before) < _REACH:
        while parents[at] != parent:
            at = parents[at]
        before.append(at)
        at -= 1
    after: list[int] = []
    at = snapshot.ends[node.index]
    while at < end and len(after) < _REACH:
        after.append(at)
        at = snapshot.ends[at]
    return [*reversed(before), node.index, *after]


def _seen(record: Node, node: Node | None) -> SeenRecord | None:
    """A record by what is in it; None if it is none, or says nothing."""
    beside = _beside(record)
    repeats = node is None or any(_has_control(each, node) for each in beside)
    is_record = record.role in AROUND or (beside and repeats)
    if record.ref is None or not is_record:
        return None
    others = [list(_pieces(each, None)) for each in beside]
    own = list(_pieces(record, node))
    if record.role in DIALOGS:
        chosen = [piece for piece in own if piece.text and piece.rank in {Rank.TITLE, Rank.TEXT}][:3]
    else:
        chosen = _distinguishing(own, others, numbers=repeats)
    if node is not None:
        chosen = [*chosen, *_keys_around(node, record, beside)] if chosen else chosen
    facts = [piece for piece in own if piece not in chosen and is_fact(piece.text)]
    return _record(record, chosen, [piece.text for each in others for piece in each], facts=facts)


def _keys_around(node: Node, record: Node, beside: Sequence[Node]) -> list[_Piece]:
    """The keys of what a control is in, up to its record, that name this: no record beside it has them."""
    ends = node.snapshot.ends
    alike = sorted([record, *beside], key=lambda each: each.index)
    found = {each.index: keys_in(node.snapshot, range(each.index, ends[each.index])) for each in alike}
    known = known_keys(found)
    return [
        _Piece(piece.rank, place, "", piece.href)
        for place, piece in enumerate(found[record.index])
        if piece.source < node.index < ends[piece.source]
        and known.get(piece.href, (-1, False)) == (record.index, True)
    ]


def _has_control(record: Node, like: Node) -> bool:
    """Whether a record has a control of the same role and name: then the name doesn't say whose it is."""
    columns = record.snapshot.columns
    return any(
        columns.role[index] == like.role and columns.name[index] == like.name
        for index in range(record.index, min(record.snapshot.ends[record.index], record.index + _LARGEST))
    )


def _before(item: Node) -> SeenRecord | None:
    """What stands before an item, after the one before it: a term, a heading, or bare text."""
    siblings, nodes = _siblings(item), item.snapshot.nodes
    if not any(_is_alike(item, index) and index != item.index for index in siblings):
        return None
    for index in reversed([index for index in siblings if index < item.index]):
        if _is_alike(item, index):
            return None
        each, parent = nodes[index], item.parent
        if each.role == "text" and _says(each.name):
            if parent is None or parent.ref is None or _size(parent) > _LARGEST:
                return None
            return _record(parent, [_Piece(Rank.TEXT, 0, each.name)], [], before=True)
        pieces = [piece for piece in _pieces(each, None) if piece.rank is not Rank.CONTROL]
        if each.ref and pieces:
            beside = [list(_pieces(nodes[other], None)) for other in siblings if _is_twin(each, other)]
            return _record(each, _distinguishing(pieces, beside), [], apart=True)
    return None


def _under_heading(at: Node, *, in_part: bool) -> SeenRecord | None:
    """The heading of the part that a control is in, for parts that show one record at a time; of the page the first."""
    snapshot, parent = at.snapshot, at.parent
    is_page = not in_part and (parent is None or parent.role == "main" or parent.frame != at.frame)
    for index in reversed([each for each in _siblings(at) if each < at.index]):
        for inner in range(index, min(snapshot.ends[index], index + _WRAPPED)):
            node = snapshot.nodes[inner]
            if node.role == "heading" and node.name and node.ref and (not is_page or node.level == 1):
                return _record(node, [_Piece(Rank.TITLE, 0, node.name)], [], apart=True)
    return None


def _beside(record: Node) -> list[Node]:
    """The records beside one, nearest first."""
    alike = [index for index in _siblings(record) if _is_twin(record, index)]
    nearest = sorted(alike, key=lambda index: abs(index - record.index))[:_NEIGHBOURS]
    return [record.snapshot.nodes[index] for index in nearest]


def _is_twin(one: Node, index: int) -> bool:
    """Whether what is beside a node is of the same kind."""
    columns = one.snapshot.columns
    same = columns.role[index] == one.role and one.role != "text" and index != one.index
    return same and kind_of(columns.tag[index]) == kind_of(columns.tag[one.index])


def _is_alike(one: Node, index: int) -> bool:
    columns = one.snapshot.columns
    return columns.role[index] == one.role and one.role != "text" and columns.name[index] == one.name


def _size(record: Node) -> int:
    return record.snapshot.ends[record.index] - record.index


def _pieces(record: Node, node: Node | None) -> Iterator[_Piece]:
    """What a record says, without a control in it, and without what people enter."""
    columns, ends = record.snapshot.columns, record.snapshot.ends
    small = _size(record) <= _LARGEST
    places: dict[Rank, int] = {}
    index, end = record.index, ends[record.index]
    while index < end:
        role, name = columns.role[index], columns.name[index]
        if (node is not None and index == node.index) or role == "iframe":
            index = ends[index]  # the page can't read another document when it compares
            continue
        rank = _rank(role, is_record=index == record.index)
        if small and node is not None and rank is Rank.TEXT and index != record.index and role in AROUND:
            small = _nearby(record, index, node)
        if rank is not None and (small or rank is Rank.TITLE):
            href = str(columns.extra.get(index, {}).get("href", "")) if rank is Rank.LINK else ""
            if _says(name) or href:
                places[rank] = places.get(rank, -1) + 1
                yield _Piece(rank, places[rank], name if _says(name) else "", href)
        index = ends[index] if role in _VALUED or rank is Rank.CONTROL else index + 1


def _nearby(record: Node, index: int, node: Node) -> bool:
    """Items inside of a record are records of their own: only titles count then."""
    return record.role in AROUND or record.snapshot.ends[index] > node.index >= index


def _rank(role: str, *, is_record: bool) -> Rank | None:
    if is_record:
        return None if role in UNNAMED - {"listitem"} else Rank.TITLE
    if role in TITLES:
        return Rank.TITLE
    if role == "link":
        return Rank.LINK
    if role in IMAGES:
        return Rank.IMAGE
    if role in _VALUED:
        return None
    return Rank.CONTROL if role in INTERACTIVE - _TICKED else Rank.TEXT


def _says(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _distinguishing(
    own: Sequence[_Piece], beside: Sequence[Sequence[_Piece]], *, numbers: bool = True
) -> list[_Piece]:
    """The pieces that tell a record from those beside it: titles and links, else the first text that does.

    `numbers` says whether it may be told by numbers alone.
    """
    others = {piece.text for each in beside for piece in each if piece.text}
    leads = {piece.href for each in beside for piece in each if piece.href}
    links = [
        _Piece(Rank.LINK, piece.place, "", piece.href)
        for piece in own
        if piece.href and piece.href not in leads and not piece.href.lower().startswith("javascript:")
    ][:3]
    fresh = [piece for piece in own if piece.text and piece.text not in others]
    titles = [piece for piece in fresh if piece.rank is Rank.TITLE]
    named = [piece for piece in fresh if piece.rank is Rank.LINK]
    if titles or named:
        return [*(titles or named)[:2], *links]
    for rank in (Rank.TEXT, Rank.IMAGE, Rank.CONTROL):
        lettered = [piece for piece in fresh if piece.rank is rank and _has_letters(piece.text)]
        if lettered:
            return [_steadiest(lettered, beside), *links]
    if links:
        return links
    if numbers and (counted := [piece for piece in fresh if piece.rank is Rank.TEXT]):
        return counted[:3]
    # Nothing tells it from the records beside it: what it says at all still tells it from others.
    names = [
        piece for piece in own if piece.text and _has_letters(piece.text) and piece.rank is not Rank.CONTROL
    ]
    return names[:3]


def _steadiest(pieces: Sequence[_Piece], beside: Sequence[Sequence[_Piece]]) -> _Piece:
    """The first of the pieces in whose place texts repeat least: a state does that, a name doesn't."""

    def repeats(piece: _Piece) -> int:
        there = [other.text for each in beside for other in each if other.slot == piece.slot]
        return len(there) - len(set(there))

    return min(pieces, key=lambda piece: (repeats(piece), piece.place))


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in _VOLATILE.sub("", text))


def _record(
    holder: Node,
    chosen: Sequence[_Piece],
    others: Sequence[str],
    *,
    before: bool = False,
    apart: bool = False,
    facts: Sequence[_Piece] = (),
) -> SeenRecord | None:
    if not chosen:
        return None
    texts = [piece.text[:LONGEST] for piece in chosen if piece.text]
    steady = [_VOLATILE.sub("", text).split() for text in texts]
    taken = [_VOLATILE.sub("", text).split() for text in others]
    name = texts[0] if texts else chosen[0].href
    role = holder.role
    if role == "generic" and not before and holder.index in holder.snapshot.cards:
        role = "card"
    role = "" if role in {"generic", "text", *TITLES} or before else f"{role} "
    return SeenRecord(
        ref=holder.ref or "",
        words=f"{role}'{name[:_WORDS]}'",
        texts=texts,
        links=[piece.href for piece in chosen if piece.href and not piece.text],
        facts=[piece.text[:LONGEST] for piece in facts if piece.rank is Rank.TEXT],
        loose=all(steady) and not any(words in taken for words in steady),
        before=before,
        apart=apart,
    )
