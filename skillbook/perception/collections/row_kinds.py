"""What the rows of a table are: items and headers; or filters, sums, room and controls that lead on, which are none.

Each kind has one rule over a row's facts: the classes that it, its cells and what is around it have, what is in its
cells, how high it is, which part of the table it stands in, and what stands beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import chain, takewhile

from skillbook import lexicon
from skillbook.perception.collections.cells import (
    cells_of,
    is_called_head,
    is_head,
    is_named_head,
    says_nothing,
    scroller_of,
    tag_of,
)
from skillbook.perception.collections.collection import Aside, Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.collections.parts import containers
from skillbook.perception.escape import LONGEST_NAME, MOST_NAMED, clean, counted, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import IMAGES, INTERACTIVE, TABLES, words

MOST_HEADS = 4
"""Rows above the data."""
_MAY_MISLEAD = TABLES | INTERACTIVE  # what may hold rows of its own, or be one
_WRITTEN = words("textbox searchbox spinbutton")
_TYPED = _WRITTEN | words("combobox listbox slider")
_OF_FILTERS = _TYPED | words("button checkbox")
_SUMS = re.compile(
    r"(?i)(?:^|[-_])(?:calcs?|summary|totals?|footer|foot|footrow|aggregates?)(?:[-_]|$)|^ag-row-pinned$"
)
_PINNED = "ag-row-pinned"  # of rows that AG Grid keeps in view, which are copies or none of its rows of data


@dataclass
class Rows:
    """The rows of one table, sorted by what they are.

    every: all that have a row's role or tag, without filters.
    items: rows of data and of headers.
    aside: what the others are.
    notes: what says so, a sentence each.
    left_out: how many lines sum up others.
    """

    every: list[int]
    items: list[int] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: int = 0


def rows_of(snapshot: BaseSnapshot, table: int) -> Rows:
    """A table's rows by what they are."""
    every, filters = _without_filters(snapshot, table)
    found = Rows(every, aside=[("filter", row) for row in filters])
    known = [row for row in every if cells_of(snapshot, row)]
    if known:
        _Sorter(snapshot, table, known).into(found)
    return found


def every_row(snapshot: BaseSnapshot, table: int) -> list[int]:
    """A table's rows, whatever they are, without those of filters."""
    return _without_filters(snapshot, table)[0]


def _without_filters(snapshot: BaseSnapshot, table: int) -> tuple[list[int], set[int]]:
    """A table's rows, and those of filters, which aren't among them."""
    every = rows_in(snapshot, table)
    # Others than these are no filters, and most rows of a large table are others.
    last = len(every) - 1
    near = range(last + 1) if last <= MOST_HEADS else [*range(MOST_HEADS + 1), last]
    filters = {every[place] for place in near if is_filters(snapshot, every, place)}
    filters |= _beside_heads(snapshot, every)
    return [row for row in every if row not in filters] if filters else every, filters


def rows_in(snapshot: BaseSnapshot, table: int) -> list[int]:
    """All rows of a table, without those of tables in it."""
    roles, ends = snapshot.columns.role, snapshot.ends
    at, last = table + 1, ends[table]
    if _MAY_MISLEAD.isdisjoint(roles[at:last]):
        return [place for place in range(at, last) if roles[place] == "row"]
    rows: list[int] = []
    while at < last:
        if roles[at] in TABLES:
            at = ends[at]
            continue
        if roles[at] == "row" or (roles[at] in INTERACTIVE and tag_of(snapshot, at) == "tr"):
            rows.append(at)
        at += 1
    return rows


class _Sorter:
    """Tells the rows that are no items from the others."""

    def __init__(self, snapshot: BaseSnapshot, table: int, rows: list[int]) -> None:
        self._snapshot, self._table, self._rows = snapshot, table, rows

    def into(self, found: Rows) -> None:
        """Sort the rows, and note what the others are."""
        snapshot = self._snapshot
        room = {row for row in self._rows if self._is_room(row)}
        self._rows = [row for row in self._rows if row not in room] or self._rows
        foot = self._foot()
        heads = {row for row in foot if is_head(snapshot, row)}
        found.notes += self._note(foot - heads, "of the table's foot", named=True)
        self._rows = [row for row in self._rows if row not in foot]
        called = self._called()
        blank = {row for row in called if self._is_blank(row)}
        outside = {row for row in called - blank if self._is_outside(row)}
        kept = {row for row in called - outside - blank if is_called_sum(snapshot.columns.tag[row])}
        found.left_out = self._lines(outside) + len(blank)
        found.notes += self._note(outside, "that the grid pins outside of the others")
        if kept:
            many = counted(self._lines(kept), "row")
            found.notes.append(f"{many} among the others may sum them up, by what the page calls them")
        found.notes += self._note(blank, "for sums, all blank")
        found.items = [row for row in self._rows if row not in outside | blank]
        found.aside += [("sum", row) for row in room | foot | outside | blank]

    def _note(self, rows: set[int], what: str, *, named: bool = False) -> list[str]:
        if not rows:
            return []
        shown = [quote(clean(self._snapshot.text_of(row)), 80) for row in sorted(rows)[:MOST_NAMED]]
        count = len(rows) if named or "blank" in what else self._lines(rows)
        return [f"left out: {counted(count, 'row')} {what}" + (f" ({', '.join(shown)})" if named else "")]

    def _lines(self, rows: set[int]) -> int:
        return len({self._snapshot.box_of(row).y for row in rows})

    @cached_property
    def _usual_height(self) -> int:
        box = self._snapshot.columns.box
        return sorted(box[4 * row + 3] for row in self._rows)[len(self._rows) // 2]

    def _is_room(self, row: int) -> bool:
        """Whether a row sets widths or keeps room: nothing in it, and no height, or much more than the others."""
        snapshot, usual = self._snapshot, self._usual_height
        height = snapshot.columns.box[4 * row + 3]
        is_odd = usual and not 0 < height <= 2 * usual
        return bool(is_odd) and all(says_nothing(snapshot, cell) for cell in cells_of(snapshot, row))

    def _foot(self) -> set[int]:
        """Rows of a table's foot, unless it has no others."""
        parents = self._snapshot.parents
        feet = {parents[row]: row for row in self._rows}
        feet = {parent: row for parent, row in feet.items() if is_in(self._snapshot, row, "tfoot")}
        foot = {row for row in self._rows if parents[row] in feet} if feet else set()
        return foot if len(foot) < len(self._rows) else set()

    def _called(self) -> set[int]:
        """Rows that are called sums, where others aren't: rows of one name in one part of the table are alike."""
        snapshot = self._snapshot
        tags, parents = snapshot.columns.tag, snapshot.parents
        kinds = {(tags[row], parents[row]): row for row in self._rows}
        sums = {kind for kind, row in kinds.items() if is_sum(snapshot, row, self._table)}
        if not sums:
            return set()
        called = {row for row in self._rows if (tags[row], parents[row]) in sums}
        called = {row for row in called if not is_head(snapshot, row)}
        self._others = [row for row in self._rows if row not in called and not is_head(snapshot, row)]
        self._boxes = containers(snapshot, [*self._others, *called])
        return called if self._others else set()

    def _is_blank(self, row: int) -> bool:
        """Whether nothing is in a row's cells: no text, and nothing to fill in or to look at."""
        snapshot = self._snapshot
        roles = snapshot.columns.role[row : snapshot.ends[row]]
        return not snapshot.text_of(row) and (INTERACTIVE | IMAGES).isdisjoint(roles)

    @cached_property
    def _scroller(self) -> int | None:
        return Counter(scroller_of(self._snapshot, row) for row in self._others).most_common(1)[0][0]

    def _is_outside(self, row: int) -> bool:
        """Whether a row doesn't scroll with the others, or stands before or after all of them in a box of its own."""
        snapshot = self._snapshot
        if _PINNED in snapshot.columns.tag[row].split("."):
            return True
        if self._scroller is not None and scroller_of(snapshot, row) != self._scroller:
            return True
        others = set(self._others)
        apart = any(row in box and others.isdisjoint(box) for box in self._boxes)
        return apart and not min(self._others) < row < max(self._others)


def is_sum(snapshot: BaseSnapshot, row: int, top: int) -> bool:
    """Whether a row, or what is around it inside of its grid, is called after what sums up."""
    inside = takewhile(lambda up: up > top, chain((row,), snapshot.columns.around(row)))
    return any(is_called_sum(snapshot.columns.tag[at]) for at in inside)


@lru_cache(maxsize=256)
def is_called_sum(tag: str) -> bool:
    """Whether a tag's classes speak of sums."""
    return any(map(_SUMS.search, tag.split(".")[1:]))


def is_in(snapshot: BaseSnapshot, row: int, tag: str) -> bool:
    """Whether a row is in this part of its table."""
    parents = snapshot.parents
    parent = parents[row]
    ups = (parent, parents[parent] if parent >= 0 else parent)
    return any(up >= 0 and tag_of(snapshot, up) == tag for up in ups)


def is_filters(snapshot: BaseSnapshot, rows: Sequence[int], place: int) -> bool:
    """Whether a row is where one chooses what the others shall have, or adds one: controls beside the heads or last."""
    others = [rows[at] for at in (place - 1, place + 1) if 0 <= at < len(rows)]
    heads = [other for other in others if _has_heads_only(snapshot, other)]
    if (place and len(others) == len(heads)) or not (heads or others == rows[-2:-1]):
        return False
    is_one = is_controls_only(snapshot, rows[place], needs_field=not heads)
    return is_one and not any(is_controls_only(snapshot, other) for other in others if other not in heads)


def _beside_heads(snapshot: BaseSnapshot, rows: Sequence[int]) -> set[int]:
    """Rows without headers that are called header rows, in a grid's group of rows that has those of the headers."""
    columns, parents, ends = snapshot.columns, snapshot.parents, snapshot.ends

    def has_heads(at: int) -> bool:
        return "columnheader" in columns.role[at : ends[at]]

    groups = {at for row in rows if (at := parents[row]) >= 0 and columns.role[at] == "rowgroup"}
    groups = {group for group in groups if has_heads(group)}
    return {
        row
        for row in (rows if groups else ())
        if parents[row] in groups
        and is_named_head(snapshot, row)
        and is_called_head(snapshot, row)
        and not has_heads(row)
    }


def _has_heads_only(snapshot: BaseSnapshot, row: int) -> bool:
    cells = cells_of(snapshot, row)
    return bool(cells) and all(snapshot.columns.role[cell] == "columnheader" for cell in cells)


def is_controls_only(snapshot: BaseSnapshot, row: int, *, needs_field: bool = False) -> bool:
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


_ARROWS = re.compile(r"\s*(?!\s*[›»→>❯▶]{3})[›»→>❯▶⟩⇨➔➜]+\s*\Z")  # three are a prompt in a code sample
_CODE = re.compile(r"[(){};=]|\A\s*\.")
_BRACKETED_COUNT = re.compile(r"\s\([^()]*\d[^()]*\)|\s\[[^\[\]]*\d[^\[\]]*\]")
_MOST_OTHER_WORDS = 3
_WORDS = re.compile(r"[^\W\d_]+")
_OF_MORE = frozenset({"next_page", "show_more", "items", "results"})
"""What a name that leads to more may speak of: "Show 4 more people"."""
_CONTROLS = frozenset({"link", "button"})


@lru_cache(maxsize=8192)
def says_next(label: str) -> bool:
    """Whether a control's name says that it leads to more of the same, or is an arrow that does."""
    if _ARROWS.match(label):
        return True
    return bool(more_phrases(label)) or lexicon.is_all("next_page", _without_numbers(label))


def more_phrases(label: str) -> list[str]:
    """Phrases of several words in a name that say so, with a few other words at most: "Show 4 more people"."""
    label = _BRACKETED_COUNT.sub("", label)
    text = lexicon.fold(_without_numbers(label))
    if _CODE.search(label) or not lexicon.meanings(text) <= _OF_MORE:
        return []
    found = []
    for hit in lexicon.find(text):
        others = f"{text[: hit.start]} {text[hit.end :]}".split()
        is_phrase = " " in text[hit.start : hit.end] or not text.isascii()
        if hit.meaning == "next_page" and is_phrase and len(others) <= _MOST_OTHER_WORDS:
            found.append(text[hit.start : hit.end])
    return found


def says_others(text: str) -> bool:
    """Whether a text says nothing but how many more there are than those that are shown: "and 12 more"."""
    folded = lexicon.fold(text)
    if len(folded) > LONGEST_NAME or not (found := _others().search(folded)):
        return False
    around = f"{folded[: found.start()]} {folded[found.end() :]}"
    return not any(map(str.isdigit, around)) and len(_WORDS.findall(around)) <= _MOST_OTHER_WORDS


@cache
def _others() -> re.Pattern[str]:
    number, more = r"\d+(?:[.,' ]\d{3})*", lexicon.alternation("and_more")
    return re.compile(rf"(?<![\w.,]){number}\s*{more}|{more}\s*{number}(?![\w.,]\d)")


def _without_numbers(label: str) -> str:
    return "" if _CODE.search(label) else " ".join(re.sub(r"\d+", " ", label).split())


def without_ways_on(snapshot: BaseSnapshot, rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Rows without those at the end that are nothing but a control which leads to more, and what says so."""
    kept = list(rows)
    notes = []
    while len(kept) > 1 and (label := _leads_on(snapshot, kept[-1])) and _says_several(rows):
        kept.pop()
        notes.append(f"left out: the row that leads to more ({quote(label, 40)})")
    return kept, notes


def _says_several(rows: Sequence[Row]) -> bool:
    """Whether rows say several things: in a list of names, one may be called as what leads on."""
    return any(sum(bool(cell and cell.text) for cell in row.cells) >= SEVERAL for row in rows)


def _leads_on(snapshot: BaseSnapshot, row: Row) -> str:
    """The name of the only thing that a row has, if that leads to more, or says how many more there are."""
    columns, first = snapshot.columns, row.node.index
    if snapshot.ends[first] <= first + SEVERAL and says_others(text := snapshot.text_of(first)):
        return text
    inside = range(first, snapshot.ends[first])
    controls = [at for at in inside if columns.role[at] in _CONTROLS]
    if len(controls) != 1:
        return ""
    label = clean(snapshot.nodes[controls[0]].label)
    is_next = columns.extra.get(controls[0], {}).get("rel") == "next"
    return label if snapshot.text_of(first) == label and (is_next or says_next(label)) else ""
