"""How texts of rows are written and where rows stand, if this alone tells rows apart: bold type, colors, levels."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Collection, Row
from skillbook.perception.collections.measures import HALF, NEAR, SEVERAL
from skillbook.perception.collections.telling_looks import SaidLooks, is_stripe, number_of
from skillbook.perception.escape import MOST_NAMED, listed
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import TABLES

Manner = tuple[int, str]
"""The place of a column, -1 for all of a row, and how the text there is written."""
_ROW = -1
_LACKING = re.compile(r"^not | none$")


def written_rows(found: Collection) -> list[str]:
    """What is written otherwise in some rows, and which rows these are; without what a text says as well."""
    rows_of: dict[Manner, set[int]] = {}
    for at, row in enumerate(found.rows):
        for each in _manners_of(found, row):
            rows_of.setdefault(each, set()).add(at)
    if not rows_of:
        return []
    stated = SaidLooks(found.rows)
    every = set(range(len(found.rows)))
    shown: dict[str, str] = {}
    for (place, manner), rows in rows_of.items():
        if len(rows) > HALF * len(every) and (usual := _LACKING.search(manner)):
            manner, rows = manner.replace(usual[0], ""), every - rows
        is_strong = place == _ROW and manner == "bold"  # as sums are, though "profit" be in each of them
        if (
            not rows
            or rows == every
            or is_stripe(rows, len(every))
            or len(rows) < (1 if is_strong else SEVERAL)
        ):
            continue
        if not is_strong and (stated.says_rows(rows) or _is_said_by(found.rows, place, rows)):
            continue
        where = "" if place == _ROW or len(found.fields) == 1 else f" in {found.fields[place]!r}"
        shown.setdefault(manner + where, listed([_name_of(found.rows[at]) for at in sorted(rows)], 40))
    return [f"{manner}: {names}" for manner, names in shown.items()][:MOST_NAMED]


def levels_of(found: Collection) -> int:
    """At how many levels rows stand that no column says: rows of a tree, answers below what they answer."""
    if GROUP in found.fields[:1] or len(found.rows) < SEVERAL:
        return 0
    snapshot, rows = found.node.snapshot, [row.node.index for row in found.rows]
    levels = [snapshot.columns.extra.get(row, {}).get("level") for row in rows]
    depths: Sequence[int] = [int(level) for level in levels if level is not None]
    if len(depths) < len(rows):
        depths = _depths_of(snapshot, rows)
    if len(set(depths)) == 1 and found.kind not in TABLES and found.kind != "definitions":
        depths = _distances(snapshot, rows)
    stated = SaidLooks(found.rows)
    if len(set(depths)) < SEVERAL or stated.says_amount(
        {at: float(depth) for at, depth in enumerate(depths)}
    ):
        return 0
    return len(set(depths))


def _depths_of(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[int]:
    """How many of the rows each one is in."""
    known, depths = set(rows), []
    for row in rows:
        depths.append(sum(up in known for up in snapshot.columns.around(row)))
    return depths


def _distances(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[int]:
    """Where rows begin, if they stand below one another: 0 for each where they don't, or where each is centered."""
    boxes = [snapshot.box_of(row) for row in rows]
    is_stacked = all(above.y + above.height <= below.y + NEAR for above, below in pairwise(boxes))
    lefts = {box.x for box in boxes}
    middles = {2 * box.x + box.width for box in boxes}
    ends = {box.x + box.width for box in boxes}
    if not is_stacked or len(lefts) == len(rows) or len(middles) == 1 or min(lefts) != boxes[0].x:
        return [0] * len(rows)
    return [box.x for box in boxes] if len(ends) == 1 else [0] * len(rows)


def _manners_of(found: Collection, row: Row) -> Set[Manner]:
    """How a row's texts are written otherwise than those of the first one, by column."""
    snapshot = row.node.snapshot
    written = snapshot.columns.extra.get(row.node.index, {}).get("written") or ()
    if not written:
        return set()
    cells = list(cells_of(snapshot, row.node.index)) if found.kind in TABLES else []
    places = {cell.index: place for place, cell in enumerate(row.cells) if cell}
    return {
        (places.get(cells[place], _ROW) if 0 <= place < len(cells) else _ROW, manner)
        for place, manner in written
    }


def _is_said_by(rows: Sequence[Row], place: int, chosen: Set[int]) -> bool:
    """Whether a column's own texts say which rows are written so: one text of theirs alone, or numbers of a range."""
    if place == _ROW:
        return False
    texts = [cell.text if (cell := row.cells[place]) else "" for row in rows]
    here = {texts[at] for at in chosen}
    there = {text for at, text in enumerate(texts) if at not in chosen}
    if len(here) == 1 and not here & there:
        return True
    numbers = [number_of(text) for text in texts]
    inside = [number for at in chosen if (number := numbers[at]) is not None]
    others = [number for at, number in enumerate(numbers) if number is not None and at not in chosen]
    return len(inside) == len(chosen) and not any(min(inside) <= number <= max(inside) for number in others)


def _name_of(row: Row) -> str:
    return next((cell.text for cell in row.cells if cell and cell.text), "")
