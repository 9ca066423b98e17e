"""Rows that sum up the others: left out where the grid pins them outside of its rows, else kept; both are told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from skillbook.perception.collections.cells import is_head, scroller_of
from skillbook.perception.collections.parts import containers
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import IMAGES, INTERACTIVE

_NEAR = 4  # pixels
_SUMS = re.compile(
    r"(?i)(?:^|[-_])(?:calcs?|summary|totals?|footer|foot|footrow|aggregates?)(?:[-_]|$)|^ag-row-pinned$"
)
_PINNED = "ag-row-pinned"  # of rows that AG Grid keeps in view, which are copies or none of its rows of data


@dataclass(frozen=True)
class Summed:
    """Rows without those that sum them up.

    rows: indexes of those that are left.
    left_out: how many lines the grid pins outside of the others and calls sums.
    notes: what was left out, and what only its name calls a sum and was therefore kept; a sentence each.
    """

    rows: list[int]
    left_out: int = 0
    notes: Sequence[str] = ()


def is_sum(snapshot: BaseSnapshot, row: int, top: int) -> bool:
    """Whether a row, or what is around it inside of its grid, is called after what sums up."""
    at = row
    while at > top:
        if _is_called_sum(snapshot, at):
            return True
        at = snapshot.parents[at]
    return False


def _is_called_sum(snapshot: BaseSnapshot, index: int) -> bool:
    return _is_name_of_sum(snapshot.columns.tag[index])


@lru_cache(maxsize=256)
def _is_name_of_sum(tag: str) -> bool:
    return any(map(_SUMS.search, tag.split(".")[1:]))


def without_sums(snapshot: BaseSnapshot, rows: list[int], top: int) -> Summed:
    """Rows of a grid without those that are called sums and stand outside of the others."""
    tags, parents = snapshot.columns.tag, snapshot.parents
    # Rows of one name in one part of the table are called alike.
    kinds = {(tags[row], parents[row]): row for row in rows}
    sums = {kind for kind, row in kinds.items() if is_sum(snapshot, row, top)}
    called = {row for row in rows if (tags[row], parents[row]) in sums} if sums else set()
    called = {row for row in called if not is_head(snapshot, row)}
    others = [row for row in rows if row not in called and not is_head(snapshot, row)] if called else []
    if not others:
        return Summed(rows)
    blank = {row for row in called if _is_blank(snapshot, row)}
    outside = _outside(snapshot, called - blank, others)
    left_out = _lines(snapshot, outside)
    kept = _lines(snapshot, {row for row in called - outside - blank if _is_called_sum(snapshot, row)})
    notes = []
    if left_out:
        notes.append(f"left out: {_rows(left_out)} that the grid pins outside of the others")
    if kept:
        notes.append(f"{_rows(kept)} among the others may sum them up, by what the page calls them")
    if blank:
        notes.append(f"left out: {_rows(len(blank))} for sums, all blank")
    return Summed([row for row in rows if row not in outside | blank], left_out + len(blank), notes)


def _is_blank(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether nothing is in a row's cells: no text, and nothing to fill in or to look at."""
    columns, end = snapshot.columns, snapshot.ends[row]
    return not snapshot.text_of(row) and (INTERACTIVE | IMAGES).isdisjoint(columns.role[row:end])


def _lines(snapshot: BaseSnapshot, rows: set[int]) -> int:
    return len({snapshot.box_of(row).y for row in rows})


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _outside(snapshot: BaseSnapshot, called: set[int], others: Sequence[int]) -> set[int]:
    """Rows that don't scroll with the others, or stand before or after them in a box of their own or at a distance."""
    scroller = Counter(scroller_of(snapshot, row) for row in others).most_common(1)[0][0]
    box_of = {
        row: place for place, part in enumerate(containers(snapshot, [*others, *called])) for row in part
    }
    most = Counter(box_of[row] for row in others)
    boxes = [snapshot.box_of(row) for row in others]
    top, bottom = min(box.y for box in boxes), max(box.y + box.height for box in boxes)
    lines = sorted({(box.y, box.height) for box in boxes})
    usual = max((after[0] - before[0] - before[1] for before, after in pairwise(lines)), default=0)
    found = set()
    for row in called:
        box = snapshot.box_of(row)
        away = max(top - (box.y + box.height), box.y - bottom)
        beside = away >= -_NEAR and (not most[box_of[row]] or away > max(usual, 0) + _NEAR)
        pinned = _PINNED in snapshot.columns.tag[row].split(".")
        if beside or pinned or (scroller is not None and scroller_of(snapshot, row) != scroller):
            found.add(row)
    return found
