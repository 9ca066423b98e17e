"""Carousels: copies of items outside of what they show, and items that they keep from assistive technology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillbook.perception.collections.collection import Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box


def without_copies(snapshot: BaseSnapshot, rows: Sequence[Row]) -> tuple[list[Row], list[Row], list[str]]:
    """Rows without those that are there again outside of what the page shows, these, and a note of it.

    Carousels that go round have copies of their last items before the first one, and of their first ones after the
    last. So all rows repeat in one order. Rows that are in view stay, however often they are there; of those that
    aren't, the ones nearest after them do.
    """
    whole = list(rows)
    clip = _clip_around(snapshot, whole)
    round_of = _items_of_a_round([_says(row) for row in whole]) if clip else 0
    if not clip or not round_of:
        return whole, [], []
    inside = [at for at, row in enumerate(whole) if not _is_outside(snapshot.box_of(row.node.index), clip)]
    first = inside[0] if inside else 0
    kept, known = set(inside), {at % round_of for at in inside}
    for at in [*range(first, len(whole)), *range(first)]:
        if at % round_of not in known:
            known.add(at % round_of)
            kept.add(at)
    copies = [row for at, row in enumerate(whole) if at not in kept]
    counted = "1 row is" if len(copies) == 1 else f"{len(copies):,} rows are"
    notes = [
        f"left out: {counted} there again outside of what the list shows, as in a carousel that goes round"
    ]
    return [row for at, row in enumerate(whole) if at in kept], copies, notes if copies else []


def unread_items(snapshot: BaseSnapshot, rows: Sequence[Row]) -> list[str]:
    """What says that a list has items which aren't read, since the page keeps them from assistive technology."""
    count = _fact_around(snapshot, rows[0].node.index, "unread") or 0 if rows else 0
    counted = "1 other item is" if count == 1 else f"{count:,} other items are"
    return (
        [f"{counted} hidden from assistive technology (aria-hidden) until the list shows them"]
        if count
        else []
    )


def _items_of_a_round(texts: Sequence[object]) -> int:
    """After how many items all begin again in the same order; 0 where they don't."""
    first = next((at for at in range(1, len(texts)) if texts[at] == texts[0]), 0)
    is_round = first >= SEVERAL and len(set(texts[:first])) == first
    return first if is_round and all(texts[at] == texts[at % first] for at in range(len(texts))) else 0


def _says(row: Row) -> tuple[tuple[str, str | None] | None, ...]:
    return tuple((cell.text, cell.href) if cell else None for cell in row.cells)


def _clip_around(snapshot: BaseSnapshot, rows: Sequence[Row]) -> Box | None:
    clip = _fact_around(snapshot, rows[0].node.index, "clip") if rows else None
    return Box(*clip) if clip else None


def _fact_around(snapshot: BaseSnapshot, row: int, name: str) -> Any:
    """What the nearest element around a row says of itself, as far as what scrolls."""
    at = snapshot.parents[row]
    while at >= 0:
        facts = snapshot.columns.extra.get(at, {})
        if name in facts or "scroll" in facts:
            return facts.get(name)
        at = snapshot.parents[at]
    return None


def _is_outside(box: Box, clip: Box) -> bool:
    is_beside = box.x + box.width <= clip.x or box.x >= clip.x + clip.width
    return is_beside or box.y + box.height <= clip.y or box.y >= clip.y + clip.height
