"""Whether an element found another day is in the record that was meant, and what is kept of one to know it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.records.nearest_record import Record, Unit, record_of, units_around
from skillbook.perception.records.record_pieces import Piece, conflicting, is_price, uncounted
from skillbook.perception.records.record_table import Rank, is_record
from skillbook.perception.roles import DIALOGS, LANDMARKS, RECORDS, words

ANY = "${any}"
"""In a text that was seen: a part that differs from run to run."""


class Sameness(StrEnum):
    """Whether two records are one."""

    SAME = "same"
    OTHER_FACTS = "same with other facts"
    ANOTHER = "another"
    UNKNOWN = "can't tell"


class ChangedFact(NamedTuple):
    """Something that a record said, and what it says in its place; "" for nothing."""

    was: str
    now: str

    def __str__(self) -> str:
        if not self.was:
            return f"{self.now!r} is new"
        return f"{self.was!r} is {self.now!r} now" if self.now else f"{self.was!r} isn't there any more"

    @property
    def is_price(self) -> bool:
        """Whether it is an amount of money."""
        return is_price(self.was)


@dataclass(frozen=True)
class Verdict:
    """Whether an element is in a record, and why.

    changed: facts that are others now, each as it was and as it is.
    """

    sameness: Sameness
    why: str = ""
    changed: tuple[ChangedFact, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether it is the record, whatever its facts are."""
        return self.sameness in {Sameness.SAME, Sameness.OTHER_FACTS}


def fits(seen: str, now: str, folded: Callable[[str], str] = uncounted) -> bool:
    """Whether a text is the one that was seen; `ANY` in that stands for anything.

    folded: gives a text as it is compared.
    """
    rest, parts = folded(now), [folded(part) for part in seen.split(ANY)]
    if len(parts) == 1:
        return rest == parts[0]
    if not (rest.startswith(parts[0]) and rest.endswith(parts[-1])):
        return False
    rest = rest[len(parts[0]) : len(rest) - len(parts[-1])]
    for part in parts[1:-1]:
        _, found, rest = rest.partition(part)
        if part and not found:
            return False
    return True


def compare(seen: Record, now: Record) -> Verdict:
    """Whether a record is the one that was seen: its names decide, then its keys, and facts where it has neither."""
    missing = [name for name in seen.names if not any(fits(name, text) for text in now.texts)]
    has_key = bool({*seen.keys} & {*now.keys})
    other = conflicting(seen.keys, seen.counted, now.keys, now.counted)
    is_led = has_key and other is None
    if not missing and other is not None and not has_key:
        return Verdict(Sameness.UNKNOWN, f"its key was {other[0]!r} and is {other[1]!r}")
    changed = _changed(seen, now)
    if missing and (is_led or not seen.names):
        return Verdict(
            Sameness.OTHER_FACTS, changed=(*[ChangedFact(name, _said(now)) for name in missing], *changed)
        )
    if missing:
        return Verdict(Sameness.ANOTHER, f"it was {_said(seen)!r} and is {_said(now)!r}")
    if not seen.names and not is_led and changed:
        return Verdict(Sameness.UNKNOWN, f"it said {_said(seen)!r} and says {_said(now)!r}")
    return Verdict(Sameness.OTHER_FACTS if changed else Sameness.SAME, changed=changed)


def _said(record: Record) -> str:
    return " | ".join(record.names or record.facts or record.keys or record.counted)


def _changed(seen: Record, now: Record) -> tuple[ChangedFact, ...]:
    """The facts that a record had and hasn't, each with what stands in its place."""
    gone = [fact for fact in seen.facts if not any(fits(fact, text) for text in now.texts)]
    come = [text for text in now.facts if not any(fits(fact, text) for fact in seen.facts)]
    return tuple(
        ChangedFact(fact, come[place] if place < len(come) else "") for place, fact in enumerate(gone)
    )


def is_in_record(seen: Record, node: Node) -> Verdict:
    """Whether an element is in a record that was seen, or is it, and no other on its page could be that one."""
    now, unit = record_of(node), next(iter(units_around(node)), None)
    if now is None or unit is None:
        return Verdict(Sameness.ANOTHER, f"it was in {_said(seen)!r} and is in no record")
    found = compare(seen, now)
    if not found.is_same:
        return found
    if seen.place:
        if (here := _place(seen, node, unit)) != seen.place:
            return Verdict(
                Sameness.UNKNOWN, f"its place among those alike was {seen.place!r} and is {here!r}"
            )
    elif twins := _twins(seen, node, unit):
        return Verdict(Sameness.UNKNOWN, f"{len(twins) + 1} records say {_said(seen)!r}")
    return found


def place_among_twins(seen: Record, node: Node) -> str:
    """Which of the records that could be the one that was seen an element is in, as "2 of 3"."""
    return _place(seen, node, next(iter(units_around(node))))


def _place(seen: Record, node: Node, unit: Unit) -> str:
    alike = sorted([unit.place, *_twins(seen, node, unit)])
    return f"{alike.index(unit.place) + 1} of {len(alike)}"


def _twins(seen: Record, node: Node, unit: Unit) -> list[int]:
    """The other records of the page that could be the one that was seen."""
    known = unit.family.keys
    holders = {known[key].place for key in seen.keys if key in known and known[key].is_sure}
    wanted = seen.names or seen.facts
    first = [] if any(ANY in text for text in wanted) or seen.keys else wanted
    others = unit.others(node.snapshot, first)
    if holders:  # what it is called is no matter then
        return [place for place in others if place in holders]
    return [place for place in others if _could_be(seen, unit, place)]


def _could_be(seen: Record, unit: Unit, place: int) -> bool:
    keys = [key for key, known in unit.family.keys.items() if known.place == place and known.is_sure]
    if conflicting(seen.keys, (), keys, ()):
        return False
    own, other, wanted = unit.family.texts[unit.place], unit.family.texts[place], seen.names or seen.facts

    def says(pieces: Sequence[Piece], text: str, *, held: bool) -> bool:
        return any((held or piece.rank is not Rank.VALUE) and fits(text, piece.text) for piece in pieces)

    # What a field holds, as that of a form beside records, says a name only where theirs are in fields, too.
    return bool(wanted or seen.place) and all(
        says(other, text, held=not says(own, text, held=False)) for text in wanted
    )


_AREAS = DIALOGS | words("navigation banner contentinfo search complementary")
"""What stands before them says nothing of what is in them."""
_SECTIONS = RECORDS | LANDMARKS | DIALOGS | {"tabpanel"}


SEVERAL = "one of several"
"""The place of a record among those that say the same, where the whole page would show which it is."""


def kept_record(node: Node, *, in_part: bool = False) -> dict[str, Any]:
    """An element's record as the journal keeps it, or else the heading over it; empty where it has neither.

    in_part: whether it is in what was read around it alone.
    """
    record = record_of(node)
    if record is None:
        heading = next(iter(headings_over(node)), "")
        return {"heading": heading} if heading else {}
    parts = {"names": record.names, "keys": record.keys, "facts": record.facts, "counted": record.counted}
    kept = {key: [*texts] for key, texts in parts.items() if texts or key != "counted"}
    is_one_of_several = in_part and (record.place or not record.role)
    return {**kept, "place": SEVERAL if is_one_of_several else record.place}


def headings_over(node: Node) -> list[str]:
    """The headings that an element stands under, nearest first: of its section, of the section around that.

    Last come those of several sections alike that ended before it: a button below a form's lines is in none of them.
    """
    over, beside = _headings_before(node)
    return [*over, *beside]


def lasting_heading(node: Node, others: Sequence[BaseSnapshot]) -> str:
    """The nearest heading that an element stands under in other snapshots of its document, too; "" for none."""
    then = [_headings_before(one[node.ref])[0] for one in others if node.ref is not None and node.ref in one]
    over = headings_over(node)
    return next(
        (text for text in over if all(text in known for known in then if known)), next(iter(over), "")
    )


def _headings_before(node: Node) -> tuple[list[str], list[str]]:
    """The headings over an element, and those of several sections alike that ended before it."""
    snapshot, roles = node.snapshot, node.snapshot.columns.role
    site = next((up for up in node.ancestors if up.role in _AREAS), None)
    over: list[str] = []
    beside: list[str] = []
    level = 9
    for index in range(node.index - 1, site.index if site else -1, -1):
        if roles[index] != "heading" or node.index < snapshot.ends[index]:
            continue
        heading = snapshot.nodes[index]
        if (heading.level or 2) >= level or not clean(heading.label):
            continue
        ended = [up for up in heading.ancestors if node.index >= snapshot.ends[up.index]]
        if any(up.role in _SECTIONS or is_record(up) for up in ended):
            continue
        if ended and _is_one_of_several(ended[-1], heading):
            beside.append(clean(heading.label))
        else:
            over.append(clean(heading.label))
            level = heading.level or 2
    return over, beside


def _is_one_of_several(section: Node, heading: Node) -> bool:
    """Whether what stands beside a section is one of its kind, with a heading like its own."""
    snapshot, kind = section.snapshot, kind_of(section.tag or "")
    beside = section.parent.children if section.parent is not None else ()
    return any(
        one.index != section.index
        and kind_of(one.tag or "") == kind
        and any(
            inner.role == "heading" and inner.level == heading.level
            for inner in snapshot.nodes[one.index : snapshot.ends[one.index]]
        )
        for one in beside
    )
