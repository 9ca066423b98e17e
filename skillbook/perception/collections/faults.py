"""What of a table or list is known to be missing, closed or there twice, a sentence each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from skillbook.perception.collections.cells import cells_of
from skillbook.perception.collections.collection import Cell, Collection, Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import counted
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Box
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.roles import CELLS, FIELDS, IMAGES, INTERACTIVE
from skillbook.protocol.snapshot import State

Line = Sequence[Cell | None]


def repeated(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that the page gives several rows the same number: copies of pinned ones, most likely."""
    numbers = [
        facts["posinset"] for row in rows if "posinset" in (facts := snapshot.columns.extra.get(row, {}))
    ]
    repeated = len(numbers) - len(set(numbers))
    return [f"{repeated:,} rows have the number of another one: they may be there twice"] if repeated else []


def without_cells(names: Sequence[str], grid: Sequence[Line]) -> list[str]:
    """What says that a grid has headers which no row has cells for: it renders only the columns in view.

    Which columns those are isn't sure then, for the cells that are left out may be the first ones.
    """
    widest = max(map(len, grid), default=0)
    count = sum(map(bool, names[widest:]))
    columns = counted(count, "column has", "columns have")
    fault = f"{columns} a header and no cells: others may show when the grid is scrolled to the side"
    return [fault] if count else []


def without_known_cells(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that rows are controls, a button each, of whose cells nothing is known."""
    roles, names = snapshot.columns.role, snapshot.columns.name
    count = sum(
        roles[row] in INTERACTIVE and bool(names[row]) and not cells_of(snapshot, row) for row in rows
    )
    controls = counted(count, "row is a control", "rows are controls")
    return [f"{controls} whose cells aren't known"] if count else []


def without_texts(snapshot: BaseSnapshot, rows: Sequence[Row]) -> list[str]:
    """What says that rows have parts that are drawn where the others have texts: these aren't there yet."""
    count = 0
    for row in rows:
        cells = [cell for cell in row.cells if cell]
        if not any(cell.text for cell in cells):
            drawn = [cell for cell in cells if snapshot.columns.extra.get(cell.index, {}).get("looks")]
            count += len(drawn) >= SEVERAL
    fault = f"{counted(count, 'row has', 'rows have')} no text yet, but parts that are drawn in its place"
    return [fault] if 0 < count < len(rows) else []


def is_details(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether an element is details, of which one sees a title where they are closed."""
    return kind_of(snapshot.columns.tag[index]).partition(".")[0] == "details"


def closed_items(snapshot: BaseSnapshot, items: Sequence[int]) -> list[str]:
    """What says that items are details that are closed."""
    flags = snapshot.columns.flags
    count = sum(bool(flags[at] & State.COLLAPSED) and is_details(snapshot, at) for at in items)
    fault = f"{counted(count, 'item is', 'items are')} closed: what opens there isn't shown"
    return [fault] if count else []


def misplaced(snapshot: BaseSnapshot, heads: Line, lines: Sequence[Line]) -> list[str]:
    """What says that rows lack cells, and that what they have stands under other headers than those of its place.

    Which cell is missing isn't sure then. In rows of HTML only the last ones can be.
    """
    count = 0
    for line in lines:
        if not 0 < len(line) < len(heads):
            continue
        if any(cell.node and cell.node.tag in {"td", "th"} for cell in line if cell):
            continue
        pairs = [(cell, head) for cell, head in zip(line, heads, strict=False) if cell and head]
        count += any(
            _is_beside(snapshot.box_of(cell.index), snapshot.box_of(head.index)) for cell, head in pairs
        )
    rows = counted(count, "row lacks a cell", "rows lack cells")
    return [f"{rows}, and others of it stand under other headers"] if count else []


def _is_beside(box: Box, other: Box) -> bool:
    """Whether a box is wholly left or right of another one."""
    return box.width > 0 and (box.x >= other.x + other.width or box.x + box.width <= other.x)


_LEVEL = re.compile(r"[-_]level-+(\d+)\Z")  # of a class: Tabulator, Ant Design, Element Plus
_CLASS = re.compile(r"(?<![\w:-])[a-zA-Z][\w-]*(?![\w:-])")  # and no style of a look: "left:44px"
_COLLAPSED = int(State.COLLAPSED)
_OPEN_OR_CLOSED = int(State.EXPANDED | State.COLLAPSED)


def with_closed_reported(table: Collection) -> Collection:
    """A table with what says that rows of it are closed: a fault if they are a tree's, else a note.

    A control without words before the text of a cell opens a row. Details mostly have theirs in a cell of its own, and
    one for each row; where some rows have one and no state says more, they are a tree's.
    """
    snapshot, rows = table.node.snapshot, [row.node.index for row in table.rows]
    levels = {row: level for row in rows if (level := _level_of(snapshot, row)) is not None}
    openers = {row: opener for row in rows if (opener := _opener_of(snapshot, row)) is not None}
    is_tree = bool(levels) or table.node.role == "treegrid"
    # Few pages have anything that says whether it is open: most rows of large tables needn't be looked at.
    may_say = any(flags & _OPEN_OR_CLOSED for flags in set(snapshot.columns.flags))
    states = {row: _state_of(snapshot, row, openers.get(row), of_cells=is_tree) for row in rows if may_say}
    # Some trees give each row a state, also one that nothing is below.
    closed = {
        row for row in states if states[row] & _COLLAPSED and (row in openers or (is_tree and not openers))
    }
    if 0 < len(openers) < len(rows):
        is_tree = True
        closed |= _closed_by_looks(
            snapshot, rows, {row: at for row, at in openers.items() if not states.get(row)}, levels
        )
    if not closed and not is_tree:
        closed = {row for row in states if _holds_closed(snapshot, row)}
    if not closed:
        return table
    if is_tree:
        shut = counted(len(closed), "row is closed: rows below it", "rows are closed: rows below them")
        return replace(table, faults=[*table.faults, f"{shut} aren't shown"])
    shut = counted(len(closed), "row is closed", "rows are closed")
    return replace(table, notes=[*table.notes, f"{shut}: what opens there wasn't read"])


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
    return state & _OPEN_OR_CLOSED


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
    again = counted(len(copies), "row is", "rows are")
    note = f"left out: {again} there again outside of what the list shows, as in a carousel that goes round"
    return [row for at, row in enumerate(whole) if at in kept], copies, [note] if copies else []


def unread_items(snapshot: BaseSnapshot, rows: Sequence[Row]) -> list[str]:
    """What says that a list has items which aren't read, since the page keeps them from assistive technology."""
    count = _fact_around(snapshot, rows[0].node.index, "unread") or 0 if rows else 0
    others = counted(count, "other item is", "other items are")
    fault = f"{others} hidden from assistive technology (aria-hidden) until the list shows them"
    return [fault] if count else []


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
    around = (snapshot.columns.extra.get(up, {}) for up in snapshot.columns.around(row))
    return next((facts.get(name) for facts in around if name in facts or "scroll" in facts), None)


def _is_outside(box: Box, clip: Box) -> bool:
    is_beside = box.x + box.width <= clip.x or box.x >= clip.x + clip.width
    return is_beside or box.y + box.height <= clip.y or box.y >= clip.y + clip.height
