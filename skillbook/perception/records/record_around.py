"""What of a control's record goes with a call, for the page to compare it at the last moment.

Lists that reuse their nodes keep a control's ref and label and give it another record. What `record_of` says that names
the record is found again here in the elements that say it, since the page compares these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillbook.perception.escape import LONGEST_NAME, MOST_NAMED, clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.records.nearest_record import Record, Unit, record_of, units_around
from skillbook.perception.records.record_pieces import (
    Piece,
    is_fact,
    kind_of_key,
    piece_text,
    pieces_in,
    uncounted,
)
from skillbook.perception.records.record_table import LONGEST, TITLES, VOLATILE, Rank, record_role
from skillbook.perception.roles import DIALOGS
from skillbook.protocol.envelopes import SeenPart, SeenRecord

_WRAPPED = 4
"""Nodes around a heading, such as a header with a picture."""
_REACH = 60
"""Elements before it among which a heading is looked for."""
_VOLATILE = re.compile(VOLATILE)


class _Holder(NamedTuple):
    """What says a text of a record: an element around the control, one apart from it, or the text before it."""

    node: Node
    apart: bool = False
    before: bool = False


def record_around(node: Node, *, in_part: bool = False) -> SeenRecord | None:
    """What is to be compared of the record around a control; None if nothing around it says anything.

    in_part: whether that has only what the page read around it; of headings only the one that is over it.
    """
    record, unit = record_of(node), next(units_around(node), None)
    dialog = next((up for up in node.ancestors if up.role in DIALOGS and up.frame == node.frame), None)
    found = None
    if record is not None and unit is not None and (dialog is None or unit.place > dialog.index):
        found = _seen(node, record, unit)
    if found is None:
        found = _of_dialog(dialog, node) if dialog is not None else _under_heading(node, in_part=in_part)
    return found


def record_outside(node: Node) -> SeenPart | None:
    """What names the record that a control's own record is in, where only both together say which it is."""
    record, units = record_of(node), list(units_around(node))
    if record is None or len(units) < 2 or not units[1].role:
        return None
    outer = node.snapshot.nodes[units[1].place]
    own = {piece.text for piece in units[0].pieces}
    for piece in units[1].pieces:
        if piece.text in record.names and piece.text not in own and outer.ref and _labels(piece, node):
            words = f"{record_role(node.snapshot, outer.index)} '{piece.text[:LONGEST_NAME]}'"
            return SeenPart(ref=outer.ref, words=words, text=_labels(piece, node)[0])
    return None


def _seen(node: Node, record: Record, unit: Unit) -> SeenRecord | None:
    spoken = {piece.text: piece for piece in reversed(unit.pieces) if not _is_inside(piece, node, unit)}
    wanted = record.names or (() if record.keys else record.facts or _alone(unit))
    pieces = [spoken[text] for text in wanted if text in spoken and _labels(spoken[text], node)]
    placed = [(at, piece) for piece in pieces if (at := _holder(piece, node, unit)) is not None]
    holder = placed[0][0] if placed else _block(node, unit)
    if holder is None or not holder.node.ref:
        return None
    names = [piece for at, piece in placed if at == holder]
    texts = list(dict.fromkeys(text for piece in names for text in _labels(piece, node)))
    leads = [*record.keys, *(key for key in record.counted if not kind_of_key(key))]
    keys = [key for key in leads if not holder.before and _is_compared(key, holder, node, unit)]
    if not texts and not keys:
        return None
    rest = [piece for piece in spoken.values() if piece.rank is Rank.TEXT and piece not in names]
    facts = [text for piece in rest for text in _labels(piece, node) if is_fact(text)]
    others = [
        one.text for place, beside in unit.family.texts.items() if place != unit.place for one in beside
    ]
    is_apart = holder.apart or holder.before
    alone = _alone(unit)
    called = sorted([piece.text for piece in names], key=lambda text: text not in alone)
    called = called or [
        label for label in [clean(node.name)] if label
    ]  # a person knows no record by its address
    return _record(holder, texts, keys, [] if is_apart else facts, others, called=called)


def _alone(unit: Unit) -> list[str]:
    """What no other record like it says, names of controls with it."""
    places = unit.family.places
    return [
        piece.text for piece in unit.pieces if piece.text and places[uncounted(piece.text)] == {unit.place}
    ]


def _is_inside(piece: Piece, node: Node, unit: Unit) -> bool:
    """Whether the control itself says something: the page compares that by its name."""
    return unit.place != node.index and node.index <= piece.source < node.snapshot.ends[node.index]


def _labels(piece: Piece, node: Node) -> list[str]:
    """What the elements are called that say a piece."""
    names, ends = node.snapshot.columns.name, node.snapshot.ends
    if piece.source < 0:
        return [piece.text]
    if piece.rank is Rank.VALUE:
        return []
    if own := names[piece.source]:
        return [own]
    return [names[at] for at in range(piece.source, ends[piece.source]) if _says(names[at])]


def _says(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _block(node: Node, unit: Unit) -> _Holder | None:
    """The element that is a record; of one that is none, the largest with none of its like in it."""
    if unit.role:
        return _Holder(node.snapshot.nodes[unit.place])
    ends, members = node.snapshot.ends, unit.family.texts
    alone = None
    for up in node.ancestors:
        if any(up.index < at < ends[up.index] for at in members if at != node.index):
            break
        alone = up if up.ref else alone
    return _Holder(alone) if alone is not None else None


def _holder(piece: Piece, node: Node, unit: Unit) -> _Holder | None:
    """Where the page finds again what says a piece."""
    block, snapshot = _block(node, unit), node.snapshot
    if unit.role:
        return block
    if piece.source < 0:
        titled = next((up for up in node.ancestors if piece_text(up.name) == piece.text and up.ref), None)
        return _Holder(titled) if titled is not None else None
    if block is not None and block.node.index <= piece.source < snapshot.ends[block.node.index]:
        return block
    spoken, branch = snapshot.nodes[piece.source], node
    around = {up.index for up in node.ancestors}
    while spoken.parent is not None and spoken.parent.index not in around:
        spoken = spoken.parent
    while (
        branch.parent is not None and spoken.parent is not None and branch.parent.index != spoken.parent.index
    ):
        branch = branch.parent
    if spoken.ref:
        return _Holder(spoken, apart=True)
    is_right_before = snapshot.ends[spoken.index] == branch.index and branch.parent is not None
    return _Holder(branch.parent, before=True) if is_right_before and branch.parent else None


def _is_compared(key: str, holder: _Holder, node: Node, unit: Unit) -> bool:
    """Whether the page looks for a key: in the links that the holder has, and on what the control is in."""
    ends = node.snapshot.ends
    inside = range(holder.node.index, ends[holder.node.index])
    return any(
        piece.href == key
        and (
            piece.source < node.index < ends[piece.source]
            if piece.rank is Rank.KEY
            else piece.source in inside
        )
        for piece in unit.pieces
    )


def _of_dialog(dialog: Node, node: Node) -> SeenRecord | None:
    """A dialog that shows one record at a time: its title and what it says first."""
    pieces = pieces_in(dialog.snapshot, [range(dialog.index + 1, dialog.snapshot.ends[dialog.index])])
    spoken = [
        text
        for piece in pieces
        if piece.rank in {Rank.TITLE, Rank.TEXT}
        and not node.index <= piece.source < node.snapshot.ends[node.index]
        for text in _labels(piece, node)
    ]
    texts = list(dict.fromkeys([*([dialog.name] if dialog.name else []), *spoken]))[:MOST_NAMED]
    return _record(_Holder(dialog), texts, called=texts[:1]) if texts and dialog.ref else None


def _under_heading(node: Node, *, in_part: bool) -> SeenRecord | None:
    """The heading of the part that a control is in, for parts that show one record at a time; of the page the first."""
    snapshot = node.snapshot
    for at in [node, *node.ancestors]:
        parent = at.parent
        if at.frame != node.frame:
            return None
        is_page = not in_part and (parent is None or parent.role == "main" or parent.frame != at.frame)
        for index in _before(at):
            for heading in snapshot.nodes[index : min(snapshot.ends[index], index + _WRAPPED)]:
                is_one = heading.role == "heading" and heading.name and heading.ref
                if is_one and (not is_page or heading.level == 1):
                    return _record(_Holder(heading, apart=True), [heading.name], called=[heading.name])
    return None


def _before(at: Node) -> Iterator[int]:
    """What stands before a node in the same one, the nearest first; of very much only that."""
    parents = at.snapshot.parents
    parent, index = parents[at.index], at.index - 1
    for _ in range(_REACH):
        if index <= parent:
            return
        while parents[index] != parent:
            index = parents[index]
        yield index
        index -= 1


def _record(
    holder: _Holder,
    texts: Sequence[str],
    keys: Sequence[str] = (),
    facts: Sequence[str] = (),
    others: Sequence[str] = (),
    *,
    called: Sequence[str],
) -> SeenRecord:
    node = holder.node
    steady = [_VOLATILE.sub("", text).split() for text in texts]
    taken = [_VOLATILE.sub("", text).split() for text in others]
    role = "card" if node.role == "generic" and node.index in node.snapshot.cards else node.role
    role = "" if role in {"generic", "text", *TITLES} or holder.before else f"{role} "
    return SeenRecord(
        ref=node.ref or "",
        words=f"{role}'{(called or texts or keys)[0][:LONGEST_NAME]}'",
        texts=[text[:LONGEST] for text in texts],
        links=list(keys),
        facts=[text[:LONGEST] for text in facts],
        loose=all(steady) and not any(words in taken for words in steady),
        before=holder.before,
        apart=holder.apart,
    )
