"""Rows of a tree that are closed: the page has rows below them that it doesn't show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Collection
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import CELLS, FIELDS, IMAGES
from skillbook.protocol.snapshot import State

_LEVEL = re.compile(r"[-_]level-+(\d+)\Z")  # of a class: Tabulator, Ant Design, Element Plus
_CLASS = re.compile(r"(?<![\w:-])[a-zA-Z][\w-]*(?![\w:-])")  # and no style of a look: "left:44px"
_COLLAPSED = int(State.COLLAPSED)


def with_closed_reported(table: Collection) -> Collection:
    """A table with what says that rows of it are closed: a fault if they are a tree's, else a note.

    A control without words before the text of a cell opens a row. Details mostly have theirs in a cell of its own, and
    one for each row; where some rows have one and no state says more, they are a tree's.
    """
    snapshot, rows = table.node.snapshot, [row.node.index for row in table.rows]
    levels = {row: level for row in rows if (level := _level_of(snapshot, row)) is not None}
    openers = {row: opener for row in rows if (opener := _opener_of(snapshot, row)) is not None}
    is_tree = bool(levels) or table.node.role == "treegrid"
    states = {row: _state_of(snapshot, row, openers.get(row), of_cells=is_tree) for row in rows}
    # Some trees give each row a state, also one that nothing is below.
    closed = {
        row for row in rows if states[row] & _COLLAPSED and (row in openers or (is_tree and not openers))
    }
    if 0 < len(openers) < len(rows):
        is_tree = True
        closed |= _closed_by_looks(
            snapshot, rows, {row: at for row, at in openers.items() if not states[row]}, levels
        )
    if not closed and not is_tree:
        closed = {row for row in rows if _holds_closed(snapshot, row)}
    if not closed:
        return table
    counted = "1 row is" if len(closed) == 1 else f"{len(closed):,} rows are"
    if is_tree:
        counted = f"{counted} closed: rows below {'it' if len(closed) == 1 else 'them'} aren't shown"
        return replace(table, faults=[*table.faults, counted])
    return replace(table, notes=[*table.notes, f"{counted} closed: what opens there wasn't read"])


def _holds_closed(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether a cell is nothing but a control that is closed, and no menu's."""
    columns, ends = snapshot.columns, snapshot.ends
    inside = columns.flags[row : ends[row]]
    if not any(flags & _COLLAPSED for flags in inside):
        return False
    return any(
        columns.flags[at] & _COLLAPSED and columns.role[at] == "button" and _may_open(snapshot, at)
        for cell in cells_of(snapshot, row)
        for at in range(cell, ends[cell])
    )


def _state_of(snapshot: BaseSnapshot, row: int, opener: int | None, *, of_cells: bool) -> int:
    """Whether a row's opener, it, or one of its cells says that it is open or closed; 0 where nothing does."""
    flags = snapshot.columns.flags
    state = flags[row] | (0 if opener is None else flags[opener])
    for cell in cells_of(snapshot, row) if of_cells else ():
        state |= flags[cell]
    return state & int(State.EXPANDED | State.COLLAPSED)


def _closed_by_looks(
    snapshot: BaseSnapshot, rows: Sequence[int], openers: Mapping[int, int], levels: Mapping[int, int]
) -> set[int]:
    """Rows with an opener that says no state, and that nothing shows to be open.

    One is open if the next row is further inside, by its level or by where its opener is; and so is what looks as it,
    where looks differ.
    """
    depth = {row: levels.get(row, snapshot.box_of(opener).x) for row, opener in openers.items()}
    known = [row for row in rows if row in (levels or depth)]
    depth |= levels
    is_open = {row for row, after in pairwise(known) if depth[after] > depth[row]}
    looks = {row: _look_of(snapshot, opener, row) for row, opener in openers.items()}
    differ = len(set(looks.values())) > 1
    open_looks = {looks[row] for row in is_open} if differ and not levels else frozenset()
    return {row for row in openers if row not in is_open and looks[row] not in open_looks}


def _look_of(snapshot: BaseSnapshot, opener: int, row: int) -> frozenset[str]:
    """The classes of an opener, and of what is around it in its cell."""
    columns, at, classes = snapshot.columns, opener, set[str]()
    while at > row and columns.role[at] not in CELLS:
        classes.update(columns.tag[at].split("."))
        for shape, _ in columns.extra.get(at, {}).get("looks") or ():
            classes.update(_CLASS.findall(shape))
        at = snapshot.parents[at]
    return frozenset(classes)


def _level_of(snapshot: BaseSnapshot, row: int) -> int | None:
    """How deep in a tree a row says that it is, from any number on."""
    level = snapshot.columns.extra.get(row, {}).get("level")
    return int(level) if level is not None else _level_in(snapshot.columns.tag[row])


@lru_cache(maxsize=256)
def _level_in(tag: str) -> int | None:
    found = next(filter(None, map(_LEVEL.search, tag.split(".")[1:])), None)
    return int(found[1]) if found else None


def _opener_of(snapshot: BaseSnapshot, row: int) -> int | None:
    """The control before a cell's text that opens what is below its row; None where there is none."""
    columns, ends = snapshot.columns, snapshot.ends
    cells = cells_of(snapshot, row)
    for cell in () if isinstance(cells, range) else cells:  # a range is of plain texts
        opener = None
        at = cell + 1
        while at < ends[cell]:
            if columns.role[at] == "text" and columns.name[at].strip():
                if opener is not None:
                    return opener
                break
            if columns.flags[at] & State.ACTIONABLE and columns.role[at] not in FIELDS:
                if not _may_open(snapshot, at):
                    break
                opener = at
                at = ends[at]
                continue
            at += 1
    return None


def _may_open(snapshot: BaseSnapshot, control: int) -> bool:
    """Whether a control says its state, or says nothing that is seen; one of a menu opens something else."""
    columns = snapshot.columns
    if columns.extra.get(control, {}).get("haspopup") or columns.role[control] == "link":
        return False
    if columns.flags[control] & State(State.EXPANDED | State.COLLAPSED):
        return True
    inside = columns.role[control : snapshot.ends[control]]
    return IMAGES.isdisjoint(inside) and not snapshot.text_of(control)
