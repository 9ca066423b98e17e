"""Whether a page says that it found nothing: then the rows that it shows are of another list.

A search without a result often offers popular things instead, and a person sees at once that they are none of what was
looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbook import lexicon
from skillbook.perception.collections import Row
from skillbook.perception.collections.belonging import is_aside
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.protocol.snapshot import State

_SAYING = {"heading", "status", "alert", "paragraph", "generic", "text", "strong", "emphasis"}
_LONGEST = 140  # characters; what is longer speaks of something else, too
_ASIDE = words("navigation banner contentinfo complementary dialog alertdialog search listbox")
_ZEROS = re.compile(r"\D{0,12}\b0\D{1,6}0\D{1,8}0\b")
"""Showing 0 to 0 of 0."""
_ZERO = re.compile(r"\W*0 ")
_FEW_WORDS = re.compile(r"(?: [^\s,.;:!]+){0,3} ")
_FRONT, _FIRST_PART = 12, 60  # characters
_PHRASE = 12  # characters; what is shorter says it at the front only


def says_nothing_found(text: str) -> bool:
    """Whether a short text says that a search or a list has nothing; a question doesn't."""
    folded = lexicon.fold(text)
    if len(folded) > _LONGEST or "?" in folded:
        return False
    if _ZEROS.match(folded):
        return True
    hits = lexicon.find(folded)
    counts = [hit.start for hit in hits if hit.meaning == "results"]
    none = [hit.end for hit in hits if hit.meaning == "none" and hit.start <= _FRONT]
    zero = _ZERO.match(folded)
    none += [zero.end() - 1] if zero else []
    if any(start >= end and _FEW_WORDS.fullmatch(folded[end:start]) for end in none for start in counts):
        return True
    phrases = (hit for hit in hits if hit.meaning == "nothing_found")
    return any(hit.start <= (_FIRST_PART if _is_phrase(folded, hit) else _FRONT) for hit in phrases)


def _is_phrase(folded: str, hit: lexicon.Hit) -> bool:
    return hit.end - hit.start >= _PHRASE or not folded[hit.start : hit.end].isascii()


def found_nothing(snapshot: BaseSnapshot, rows: Sequence[Row], within: Sequence[Node] | None = None) -> str:
    """The words in which a page, or a part of it, says beside these rows that it found nothing; "" where it doesn't.

    What a page's frame says (its head, foot, sides and dialogs) is of something else, such as a cart.
    """
    parts = (
        [(0, len(snapshot))] if within is None else [(one.index, snapshot.ends[one.index]) for one in within]
    )
    return next((message for part in parts if (message := _said_in(snapshot, rows, *part))), "")


def _said_in(snapshot: BaseSnapshot, rows: Sequence[Row], at: int, end: int) -> str:
    columns, ends = snapshot.columns, snapshot.ends
    skipped = {row.node.index for row in rows}
    first = rows[0].node.index if rows else None
    while at < end:
        role = columns.role[at]
        if at in skipped or role in _ASIDE:
            at = ends[at]
            continue
        holds_rows = first is not None and at < first < ends[at]
        if role in _SAYING and not holds_rows and ends[at] - at < _LONGEST and _is_seen(snapshot, at):
            text = clean(columns.name[at]) if role == "text" else clean(snapshot.text_of(at))
            if says_nothing_found(text) and not _is_of_other(snapshot, at, first):
                return text
        at += 1
    return ""


def _is_seen(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether people see words: pages keep what they say of an empty list ready, and don't show it."""
    columns = snapshot.columns
    texts = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return not texts or not all(columns.flags[at] & State.UNSEEN for at in texts)


def _is_of_other(snapshot: BaseSnapshot, index: int, row: int | None) -> bool:
    """Whether words are of another part of the page than a row, such as of a search box."""
    return row is not None and is_aside(snapshot, index, row)
