"""A name without what is no part of it: whether a field must be filled in, which way a column is sorted."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from skillbook import lexicon
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import FIELDS

SIGNS = " *＊∗:："
"""What stands beside a field's name and is no part of it."""
_JOINTS = SIGNS + ",;|–—-"
_BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]*)[)\]）】]\Z")
_MARKS = ("required", "optional")


def bare_name(label: str, is_required: bool = False) -> str:
    """A field's name, folded, without stars, colons, and a word at its end that says whether the field is required.

    is_required: whether the markup says so. Only then the word counts without brackets: "Signature required" may be
        what a checkbox asks.
    """
    folded = lexicon.fold(label).strip(SIGNS)
    if mark := _BRACKETS.search(folded):
        is_mark = any(lexicon.is_all(meaning, mark[1]) for meaning in _MARKS)
        return folded[: mark.start()].strip(_JOINTS) if is_mark else folded
    if is_required:
        ends = [hit.start for hit in lexicon.find(folded) if hit.meaning == "required" and hit.ends]
        return folded[: min(ends)].strip(_JOINTS) or folded if ends else folded
    return folded


def without_arrows(label: str) -> str:
    """A name, folded, without the arrows and triangles before and after it; "" where it is nothing else."""
    folded = lexicon.fold(label)
    first, last = 0, len(folded)
    while first < last and _is_arrow(folded[first]):
        first += 1
    while first < last and _is_arrow(folded[last - 1]):
        last -= 1
    return folded[first:last].strip()


@cache
def _is_arrow(char: str) -> bool:
    """Whether a character is a blank, an arrow or a triangle, by its name in Unicode."""
    words = unicodedata.name(char, "").replace("-", " ").split()
    return char.isspace() or not {"ARROW", "ARROWS", "ARROWHEAD", "TRIANGLE", "TRIANGLES"}.isdisjoint(words)


def says_only_value(card: Node, field: Node) -> bool:
    """Whether a card around a field is no record: each card has a field with a name of its own.

    Fields that a script renders are such cards, and what these say is the field's value. In records the fields are
    called the same.
    """
    snapshot = field.snapshot
    roles, names = snapshot.columns.role, snapshot.folded_names
    if field.role not in FIELDS or not field.name or card.index not in snapshot.cards:
        return False
    outside = [*range(card.index), *range(snapshot.ends[card.index], len(snapshot))]
    others = [at for at in outside if roles[at] in FIELDS]
    if any(roles[at] == field.role and names[at] == names[field.index] for at in others):
        return False
    cards = [range(at, snapshot.ends[at]) for at in snapshot.cards if at != card.index]
    return any(names[at] and any(at in one for one in cards) for at in others)
