"""Rows of a tree that are closed: the page has rows below them that it doesn't show."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Collection
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import FIELDS
from skillbook.protocol.snapshot import State

_LEVEL = re.compile(r"[-_]level-+(\d+)\Z")  # of a class: Tabulator, Ant Design, Element Plus
_STATES = int(State.EXPANDED | State.COLLAPSED)
_COLLAPSED = int(State.COLLAPSED)


def with_closed_reported(table: Collection) -> Collection:
    """A table with what says that rows of it are closed: a fault if they are a tree's, else a note.

    A control without words before the text of a cell opens a row. Details mostly have theirs in a cell of its own.
    """
    snapshot, rows = table.node.snapshot, [row.node.index for row in table.rows]
    flags = snapshot.columns.flags
    levels = {row: level for row in rows if (level := _level_of(snapshot, row)) is not None}
    inside = flags[table.node.index : snapshot.ends[table.node.index]]
    if not levels and not any(flag & _COLLAPSED for flag in set(inside)):
        return table
    openers = {row: opener for row in rows if (opener := _opener_of(snapshot, row)) is not None}
    is_tree = bool(levels) or table.node.role == "treegrid"
    closed = {row for row, opener in openers.items() if flags[opener] & State.COLLAPSED}
    if is_tree:
        # Some trees give each row a state, also one that nothing is below.
        closed |= {row for row in rows if flags[row] & State.COLLAPSED and (row in openers or not openers)}
    if levels and 0 < len(openers) < len(rows):
        closed |= {
            row
            for row, after in pairwise([*rows, -1])
            if row in openers
            and not (flags[openers[row]] | flags[row]) & _STATES
            and levels.get(after, 0) <= levels.get(row, 0)
        }
    if not closed:
        return table
    counted = "1 row is" if len(closed) == 1 else f"{len(closed):,} rows are"
    if is_tree or len(openers) < len(rows):
        counted = f"{counted} closed: rows below {'it' if len(closed) == 1 else 'them'} aren't shown"
        return replace(table, faults=[*table.faults, counted])
    return replace(table, notes=[*table.notes, f"{counted} closed: what opens there wasn't read"])


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
    for cell in cells_of(snapshot, row):
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
    unseen = columns.flags[control] & State.UNSEEN or not snapshot.text_of(control)
    return bool(columns.flags[control] & _STATES or unseen)
