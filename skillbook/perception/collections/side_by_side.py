"""Collections that are rendered in several parts or tables, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.cells import cells_of, is_head, says_nothing
from skillbook.perception.collections.collection import Collection, Kind, Row, name_of, unique_names
from skillbook.perception.collections.measures import NEAR, SEVERAL
from skillbook.perception.collections.parts import (
    Joined,
    Part,
    are_beside,
    clip_of,
    containers,
    heads_of,
    is_spacer,
    join_parts,
    names_over,
)
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import TABLES


def join_rows(snapshot: BaseSnapshot, index: int, rows: Sequence[int]) -> Collection | None:
    """A grid whose rows or headers are in several parts; None where they aren't."""
    if len(containers(snapshot, rows)) < SEVERAL:
        return None
    heads = [row for row in rows if is_head(snapshot, row)]
    above = set(heads)
    joined = join_parts(snapshot, [row for row in rows if row not in above], heads_of(snapshot, heads))
    if joined is None or not joined.rows:
        return None
    kind: Kind = "table" if snapshot.columns.role[index] == "table" else "grid"
    aside = [("header", row) for row in heads if any(joined.names)]
    aside += [("repeated", row) for row in joined.copies]
    name, node = name_of(snapshot, index), snapshot.nodes[index]
    return _with(Collection(kind, name, node, joined.names, joined.rows, aside=aside), joined)


def _with(table: Collection, joined: Joined) -> Collection:
    return replace(
        table,
        fields=unique_names(joined.names),
        rows=joined.rows,
        places=joined.places if joined.width > len(joined.names) else (),
        width=joined.width,
        faults=joined.faults,
    )


def join_beside(snapshot: BaseSnapshot, tables: list[Collection], heads: Sequence[Part]) -> list[Collection]:
    """Tables, with those as one that stand beside each other row by row, or lie over each other."""
    given: list[Collection] = []
    left = list(tables)
    while left:
        family = [left.pop(0)]
        for other in list(left):
            if any(_belong(snapshot, one, other) for one in family):
                family.append(other)
                left.remove(other)
        given.append(_as_one(snapshot, family, heads) if len(family) > 1 else family[0])
    return given


def _belong(snapshot: BaseSnapshot, one: Collection, other: Collection) -> bool:
    if not SEVERAL <= one.count == other.count or one.node.frame != other.node.frame:
        return False
    a, b = sorted((one.node.box, other.node.box), key=lambda box: box.x)
    # Tables beside each other that have headers of their own are two; what lies over one may be a copy of its columns.
    if b.x - (a.x + a.width) > -NEAR and all(
        each.kind == "table" and _is_named(each) for each in (one, other)
    ):
        return False
    if b.x - (a.x + a.width) > NEAR or abs(one.rows[0].node.box.y - other.rows[0].node.box.y) > 1:
        return False
    rows = ([row.node.index for row in each.rows] for each in (one, other))
    return are_beside(snapshot, *rows)


def _is_named(table: Collection) -> bool:
    return table.fields != _numbered(len(table.fields))


def _as_one(snapshot: BaseSnapshot, family: list[Collection], heads: Sequence[Part]) -> Collection:
    inner = [
        row
        for table in family
        for row in range(table.node.index, table.rows[0].node.index)
        if snapshot.columns.role[row] == "row" and is_head(snapshot, row)
    ]
    rows = [row.node.index for table in family for row in table.rows]
    joined = join_parts(snapshot, rows, [*heads, *heads_of(snapshot, inner)])
    main = max(family, key=lambda table: len(table.fields))
    return main if joined is None else _with(main, joined)


def named_from_above(table: Collection, heads: Sequence[Part]) -> Collection:
    """A table without headers with those right above it, where each of its columns has one."""
    if table.fields[0] == GROUP:  # it stands under no header
        inner = [Row(row.node, row.cells[1:]) for row in table.rows]
        named = named_from_above(replace(table, fields=_numbered(len(table.fields) - 1), rows=inner), heads)
        firsts = [row.cells[0] for row in table.rows]
        rows = [Row(row.node, [first, *row.cells]) for first, row in zip(firsts, named.rows, strict=True)]
        is_same = named.rows is inner
        return table if is_same else replace(named, fields=unique_names([GROUP, *named.fields]), rows=rows)
    if table.fields != _numbered(len(table.fields)) or table.faults:
        return table
    snapshot = table.node.snapshot
    cells = cells_of(snapshot, table.rows[0].node.index)
    top = table.node.box.y
    near = [part for part in heads if _is_above(snapshot, part, top, table.node.box.height)]
    if len(cells) != len(table.fields) or not near:
        return table
    kept = [place for place, cell in enumerate(cells) if not is_spacer(snapshot, cell)]
    over, width = names_over(snapshot, [cells[place] for place in kept], near)
    if not any(name for name, _ in over):
        return table
    for side in (0, -1):
        while not over[side][0] and _is_blank(table, kept[side]):
            kept.pop(side)
            over.pop(side)
            width -= 1
            over = [(name, place - (side == 0)) for name, place in over]
    return replace(
        table,
        fields=unique_names([name for name, _ in over]),
        rows=[Row(row.node, [row.cells[place] for place in kept]) for row in table.rows],
        places=[place for _, place in over] if width > len(over) else (),
        width=width,
    )


def _numbered(count: int) -> list[str]:
    return unique_names([""] * count)


def _is_blank(table: Collection, place: int) -> bool:
    """Whether a column has nothing in it."""
    snapshot = table.node.snapshot
    cells = [row.cells[place] for row in table.rows]
    return all(cell is None or says_nothing(snapshot, cell.index) for cell in cells)


def _is_above(snapshot: BaseSnapshot, part: Part, top: int, height: int) -> bool:
    """Whether headers stand right above a table, or over rows of it that were scrolled up."""
    boxes = [snapshot.box_of(cell) for line in part.lines for cell in line]
    holder = part.rows[0]
    while holder >= 0 and snapshot.columns.role[holder] not in TABLES:
        holder = snapshot.parents[holder]
    # Fields of filters may stand between, in the headers' table.
    boxes += [snapshot.box_of(holder)] if holder >= 0 else []
    bottom = max(box.y + box.height for box in boxes)
    return top - NEAR <= bottom <= top + height


def with_icons_reported(table: Collection) -> Collection:
    """A table that reports columns whose cells show icons, of which nothing but the column's name is known."""
    found = []
    for place, field in enumerate(table.fields):
        cell = table.rows[0].cells[place]
        if cell is None or cell.text != field or cell.snapshot is None:
            continue
        inside = cell.snapshot.nodes[cell.index : cell.snapshot.ends[cell.index]]
        if any(node.role == "text" or _opens_a_menu(node) for node in inside):
            continue
        cells = (row.cells[place] for row in table.rows)
        if all(other is None or other.text == field for other in cells):
            found.append(repr(field))
    fault = f"what the cells of {', '.join(found)} show can't be read"
    return replace(table, faults=[*table.faults, fault]) if found else table


def _opens_a_menu(node: Node) -> bool:
    """Whether it is a button such as a column of actions has: what it is called says no fact of the row."""
    return node.role == "button" and not {"expanded", "collapsed"}.isdisjoint(node.states)


def with_room_reported(table: Collection) -> Collection:
    """A table that reports room which it keeps for columns beside those that it shows."""
    snapshot = table.node.snapshot
    lines = [cells for row in table.rows if (cells := cells_of(snapshot, row.node.index))]
    if not lines or len({len(cells) for cells in lines}) > 1:
        return table
    named = {
        cell.index
        for name, cell in zip(table.fields, table.rows[0].cells, strict=False)
        if cell and not name.startswith("column ")
    }
    around = clip_of(snapshot, table.rows[0].node.index)
    for side in (0, -1):
        edge = snapshot.box_of(lines[0][side])
        over = around.x - edge.x if side == 0 else edge.x + edge.width - around.x - around.width
        if over <= NEAR or edge.width <= NEAR or lines[0][side] in named:
            continue
        if all(says_nothing(snapshot, cells[side]) for cells in lines):
            fault = "there is room beside the columns: others may show when it is scrolled to the side"
            return replace(table, faults=[*table.faults, fault])
    return table
