"""What the cells of a row are, and what each says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbook.perception.collections.collection import Cell
from skillbook.perception.escape import clean, counted, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.nodes.visible_text import speaks, text_beside_struck
from skillbook.perception.roles import CELLS, IMAGES, TABLES, words
from skillbook.protocol.snapshot import State

_UNSEEN = int(State.UNSEEN)
_STATES = words("true false mixed")
_CHECKS = words("checkbox switch radio menuitemcheckbox")
_CELL_TAGS = words("td th")
_FILLED = words("textbox searchbox spinbutton combobox listbox radio checkbox")
_ICON = re.compile(
    r"(?i)(?:^|[-_])(?:icons?|glyphicon|material|symbols|fa|fas|far|mdi|sorter|sort)(?:[-_]|$)"
)
_SIGNS = re.compile("[\ue000-\uf8ff▲△▴▼▽▾↑↓⇅⇵↕⋮⋯︙☰]+")
_ICON_FONT = re.compile("[\ue000-\uf8ff]")  # glyphs of icon fonts have no other place in Unicode
_WORD = re.compile(r"\w")
_CALLED_HEAD = re.compile(r"(?i)(?:^|[-_])(?:head|header|columnheader)(?:[-_]|$)")
_HEAD_CONTROLS = IMAGES | words("button checkbox combobox menuitem")


def cell_text(snapshot: BaseSnapshot, index: int) -> str:
    """What a cell says: its text, else its field's value or state, else its image's or link's name."""
    columns = snapshot.columns
    last = snapshot.ends[index]
    is_leaf = last == index + 1 and columns.role[index] in CELLS
    if is_leaf and index not in columns.extra:
        return clean(columns.name[index])
    check = check_in(snapshot, index)
    if check is not None:
        return check
    if is_leaf:
        shown = column_shown(snapshot, index)
        text = clean(columns.name[index]).removeprefix(shown).strip()
        return text or clean(columns.extra[index].get("icon") or "")
    if last == index + 2 and columns.role[index + 1] == "text":
        text = clean(columns.name[index + 1])
    elif not _FILLED.isdisjoint(columns.role[index:last]):
        return text_with_values(snapshot, index)
    else:
        text = snapshot.text_of(index)
    if text:
        return text_beside_struck(columns, index) or text
    names, at = [], index
    while at < last:
        value = columns.extra.get(at, {}).get("value")
        if value is not None:
            return clean(value)
        name = clean(columns.name[at]).removeprefix(column_shown(snapshot, at)).strip()
        names += [name] if name else []
        at = last if name and at == index else snapshot.ends[at] if name else at + 1
    return ", ".join(names)


def column_shown(snapshot: BaseSnapshot, index: int) -> str:
    """What a cell begins with that names its column, as in tables that a style sheet turns into cards; else ""."""
    return clean(snapshot.columns.extra.get(index, {}).get("column") or "")


def text_with_values(snapshot: BaseSnapshot, index: int) -> str:
    """What a node with fields, or a field, says: its texts, with what is filled in or chosen in the fields' places."""
    columns = snapshot.columns
    texts = []
    at, last = index, snapshot.ends[index]
    if columns.role[index] not in _FILLED | _CHECKS:
        at += 1
    while at < last:
        role, value = columns.role[at], columns.extra.get(at, {}).get("value")
        if role in _CHECKS:
            texts.append(columns.name[at] if columns.flags[at] & State.CHECKED else "")
        elif role in _FILLED and (value is not None or snapshot.ends[at] == at + 1):
            texts.append(value or "")
        elif role == "button" and not _WORD.search(columns.name[at]):
            pass  # the signs that step a field's number up and down
        else:
            texts.append(columns.name[at] if role == "text" or speaks(columns, at) else "")
            at += 1
            continue
        at = snapshot.ends[at]
    return clean(" ".join(text for text in texts if text))


def has_unnamed_icon(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a node without text has an icon in it that nothing says the meaning of."""
    columns = snapshot.columns
    if columns.extra.get(index, {}).get("icon") == "":
        return True
    inside = range(index, snapshot.ends[index])
    return any(columns.role[at] in IMAGES or _ICON_FONT.search(columns.name[at]) for at in inside)


def check_in(snapshot: BaseSnapshot, index: int) -> str | None:
    """The state of a cell's only control where that is a checkbox or the like, and nothing beside it says more."""
    columns, last = snapshot.columns, snapshot.ends[index]
    state = columns.extra.get(index, {}).get("value")  # what `aria-checked` says of a cell
    if state in _STATES and columns.role[index] in CELLS and not snapshot.text_of(index):
        return str(state)
    checks = [at for at in range(index, last) if columns.role[at] in _CHECKS]
    if len(checks) != 1:
        return None
    for at in range(index, last):
        inside = checks[0] <= at < snapshot.ends[checks[0]]
        if not inside and columns.role[at] == "text" and columns.name[at].strip():
            return None
    flags = columns.flags[checks[0]]
    return "true" if flags & State.CHECKED else "mixed" if flags & State.MIXED else "false"


def tag_of(snapshot: BaseSnapshot, index: int) -> str:
    """The tag of a node; of a run of text, that of the element around it where that is no node."""
    return snapshot.columns.tag[index].partition(".")[0]


def cells_of(snapshot: BaseSnapshot, row: int) -> Sequence[int]:
    """A row's cells; those of HTML are such whatever role the page gives them."""
    known = snapshot.row_cells
    if row not in known:
        known[row] = _find_cells(snapshot, row)
    return known[row]


def _find_cells(snapshot: BaseSnapshot, row: int) -> Sequence[int]:
    roles, ends = snapshot.columns.role, snapshot.ends
    at, last = row + 1, ends[row]
    cells: list[int] | range = range(at, last) if holds_texts_only(snapshot, row) else []
    while isinstance(cells, list) and at < last:
        role = roles[at]
        if role in CELLS or tag_of(snapshot, at) in _CELL_TAGS:
            cells.append(at)
            at = ends[at]
        else:
            at = ends[at] if role in TABLES else at + 1
    if not snapshot.has_places:
        return cells
    # Grids that scroll sideways append the cells that come, so that the DOM's order says nothing.
    extras = snapshot.columns.extra
    numbers = [extras[cell].get("posinset") if cell in extras else None for cell in cells]
    if numbers and None not in numbers and len(set(numbers)) == len(numbers):
        return [cell for _, cell in sorted(zip(numbers, cells, strict=True))]
    return cells


def holds_texts_only(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether each node in a row is a cell without anything in it but its text, as most rows of large tables are."""
    columns, first, last = snapshot.columns, row + 1, snapshot.ends[row]
    depth = columns.depth[row] + 1
    return (
        CELLS.issuperset(columns.role[first:last]) and columns.depth[first:last].count(depth) == last - first
    )


def texts_beside(snapshot: BaseSnapshot, rows: Sequence[int]) -> list[str]:
    """What says that rows have texts in none of their cells, such as columns that a narrow grid shows below a row."""
    texts = [text for row in rows if (text := _text_beside(snapshot, row))]
    if not texts:
        return []
    some = counted(len(texts), "row has", "rows have")
    return [f"left out: what {some} beside the cells ({quote(texts[0], 60)})"]


def _text_beside(snapshot: BaseSnapshot, row: int) -> str:
    found = cells_of(snapshot, row)
    if isinstance(found, range):
        return ""
    columns, cells, ends = snapshot.columns, set(found), snapshot.ends
    texts: list[str] = []
    at, last = row + 1, ends[row]
    while cells and at < last:
        if at not in cells and (columns.role[at] == "text" or columns.role[at] in TABLES):
            texts.append(snapshot.text_of(at) if columns.role[at] in TABLES else columns.name[at])
        skips = at in cells or columns.role[at] in TABLES
        at = ends[at] if skips else at + 1
    return clean(" ".join(texts))


def says_nothing(snapshot: BaseSnapshot, cell: int) -> bool:
    """Whether a cell has no text, state or icon."""
    return not cell_text(snapshot, cell) and not has_unnamed_icon(snapshot, cell)


def head_text(cell: Cell) -> str:
    """What a column is called: without its buttons to sort and filter, where something else is said."""
    snapshot = cell.snapshot
    if snapshot is None:
        return cell.text
    columns, at, last = snapshot.columns, cell.index + 1, snapshot.ends[cell.index]
    texts: list[str] = []
    controls: list[str] = []
    while at < last:
        role = columns.role[at]
        if role in _HEAD_CONTROLS:
            controls.append(snapshot.text_of(at) or clean(columns.name[at]))
            at = snapshot.ends[at]
            continue
        if role == "text":
            is_icon = any(map(_ICON.search, columns.tag[at].split(".")[1:]))
            (controls if is_icon else texts).append(columns.name[at])
        elif snapshot.ends[at] == at + 1 and not columns.flags[at] & _UNSEEN:
            texts.append(columns.name[at])
        at += 1
    distinct = [text for text in texts if not _describes(text, [*texts, *controls])]
    is_whole = len(distinct) == len(texts)
    texts = [_SIGNS.sub("", text) for text in distinct]
    if not controls and is_whole:
        return clean(_SIGNS.sub("", cell.text)) or cell.text
    worded = [text for text in (clean(" ".join(texts)), *controls) if re.search(r"\w", text)]
    if not worded and check_in(snapshot, cell.index) is not None:
        return ""  # what chooses all rows is no name
    return worded[0] if worded else clean(_SIGNS.sub("", cell.text)) or cell.text


def _describes(text: str, others: Sequence[str]) -> bool:
    """Whether a text says what a header's control does, after the header's own: "Name: activate to sort"."""
    return any(clean(text).startswith(f"{label}:") for other in others if (label := clean(other)))


def is_head(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether all cells of a row are headers; the corner above headers of rows may be a control."""
    roles, cells = snapshot.columns.role, cells_of(snapshot, row)
    if not cells or roles[cells[-1]] != "columnheader":
        return False
    if len(cells) > 1 and roles[cells[0]] != "columnheader" and is_corner(snapshot, cells[0]):
        cells = cells[1:]
    return all(roles[cell] == "columnheader" for cell in cells)


def is_corner(snapshot: BaseSnapshot, cell: int) -> bool:
    """Whether a cell without text stands in a grid's head: "Select all" is what such a one may be called."""
    columns = snapshot.columns
    if "text" in columns.role[cell : snapshot.ends[cell]]:
        return False
    return not columns.name[cell].strip() or bool(columns.flags[cell] & _UNSEEN)


def is_called_head(snapshot: BaseSnapshot, row: int) -> bool:
    """Whether all cells of a row are called headers by their classes."""
    cells = cells_of(snapshot, row)
    return bool(cells) and all(
        any(map(_CALLED_HEAD.search, snapshot.columns.tag[cell].split(".")[1:])) for cell in cells
    )


def is_named_head(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a row is called a header by its own class."""
    return any(map(_CALLED_HEAD.search, snapshot.columns.tag[index].split(".")[1:]))


def scroller_of(snapshot: BaseSnapshot, index: int) -> int | None:
    """What scrolls a node up and down inside of its page; None where nothing does."""
    for up in snapshot.columns.around(index):
        scroll = snapshot.columns.extra.get(up, {}).get("scroll")
        if scroll is not None and scroll[1] > scroll[3]:
            return up
    return None
