"""Rows of controls in a table: those that filter the others, or add one, are no data."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.perception.collections.cells import cell_text, cells_of, is_called_head, is_named_head
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import words

MOST_HEADS = 4
"""Rows above the data."""
_WRITTEN = words("textbox searchbox spinbutton")
_TYPED = _WRITTEN | words("combobox listbox slider")
_OF_FILTERS = _TYPED | words("button checkbox")


def places_of_filters(rows: Sequence[int]) -> Sequence[int]:
    """The places of rows that may be such as `is_filters` tells."""
    last = len(rows) - 1
    return range(last + 1) if last <= MOST_HEADS else [*range(MOST_HEADS + 1), last]


def is_filters(snapshot: BaseSnapshot, rows: Sequence[int], place: int) -> bool:
    """Whether a row is where one chooses what the others shall have, or adds one: controls beside the heads or last."""
    if place > MOST_HEADS and place + 1 < len(rows):
        return False
    others = [rows[at] for at in (place - 1, place + 1) if 0 <= at < len(rows)]
    heads = [other for other in others if _has_heads_only(snapshot, other)]
    if (place and len(others) == len(heads)) or not (heads or others == rows[-2:-1]):
        return False
    is_one = _is_controls_only(snapshot, rows[place], needs_field=not heads)
    return is_one and not any(_is_controls_only(snapshot, other) for other in others if other not in heads)


def rows_beside_heads(snapshot: BaseSnapshot, rows: Sequence[int]) -> set[int]:
    """Rows without headers that are called header rows, in a grid's group of rows that has those of the headers."""
    columns, parents, ends = snapshot.columns, snapshot.parents, snapshot.ends
    groups = {parents[row] for row in rows}
    groups = {
        group
        for group in groups
        if group >= 0
        and columns.role[group] == "rowgroup"
        and "columnheader" in columns.role[group : ends[group]]
    }
    if not groups:
        return set()
    return {
        row
        for row in rows
        if parents[row] in groups
        and is_named_head(snapshot, row)
        and is_called_head(snapshot, row)
        and "columnheader" not in columns.role[row : ends[row]]
    }


def _has_heads_only(snapshot: BaseSnapshot, row: int) -> bool:
    cells = cells_of(snapshot, row)
    return bool(cells) and all(snapshot.columns.role[cell] == "columnheader" for cell in cells)


def _is_controls_only(snapshot: BaseSnapshot, row: int, *, needs_field: bool = False) -> bool:
    """Whether every text of a row is a control's, or the label of a field beside it.

    Without a field, cells that have controls must have the same ones: "Open filter". A row whose fields are all filled
    is one that somebody edits.
    """
    roles, ends, columns = snapshot.columns.role, snapshot.ends, snapshot.columns
    controls_of_cells: list[tuple[str, ...]] = []
    filled: list[bool] = []
    for cell in cells_of(snapshot, row):
        controls, at, has_text = [], cell + 1, False
        while at < ends[cell]:
            if roles[at] in _OF_FILTERS:
                is_typed = roles[at] in _TYPED
                controls.append(roles[at] if is_typed else f"{roles[at]} {snapshot.nodes[at].label}")
                filled += [bool(columns.extra.get(at, {}).get("value"))] * (roles[at] in _WRITTEN)
                at = ends[at]
                continue
            has_text = has_text or (roles[at] == "text" and bool(columns.name[at].strip()))
            at += 1
        # A cell that holds nothing but text is one node.
        has_text = has_text or (ends[cell] == cell + 1 and bool(columns.name[cell].strip()))
        if has_text and _TYPED.isdisjoint(controls):
            return False
        controls_of_cells += [tuple(controls)] if controls else []
    if filled and all(filled) and len(filled) > 1:
        return False
    has_field = any(not _TYPED.isdisjoint(controls) for controls in controls_of_cells)
    return has_field or (not needs_field and len(controls_of_cells) > 1 and len(set(controls_of_cells)) == 1)


def is_fields_only(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether a row says nothing but what its fields do."""
    roles, ends = snapshot.columns.role, snapshot.ends
    if _TYPED.isdisjoint(roles[row : ends[row]]) or "text" in roles[row : ends[row]]:
        return False
    others = [cell for cell in cells_of(snapshot, row) if _OF_FILTERS.isdisjoint(roles[cell : ends[cell]])]
    return not any(cell_text(snapshot, cell) for cell in others)
