"""Plans: how rows are read of a page, made once on the first page and followed on those after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, Protocol

from rapidfuzz import fuzz

from skillbook import lexicon
from skillbook.errors import ExtractionError, NoMatch, SkillbookError
from skillbook.extraction.reading.places import called_so, collections_in
from skillbook.perception.collections import (
    GROUP,
    Cell,
    Collection,
    Row,
    cell_text,
    empty_tables,
    find_collections,
    headings_over,
    without_heading_items,
)
from skillbook.perception.collections.measures import NEARLY_ALL, SEVERAL
from skillbook.perception.escape import clean, listed, quote
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.columns import FEWEST, kind_of
from skillbook.perception.roles import TABLES, words
from skillbook.perception.selectors import build_container_locator, container_selectors, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref

Attribute = Literal["", "href", "src", "value", "ref", "name", "text"]


def read_attribute(node: Node, attribute: Attribute, text: str | None = None) -> Cell | None:
    """What to read of an element: what it says, or an attribute of it; None where it has none."""
    whole = Cell.of(text or "", node)
    if attribute == "href":
        return Cell.of(whole.href, whole.link) if whole.href else _outer_link(node)
    if attribute == "src":
        snapshot = node.snapshot
        inside = (snapshot.nodes[at] for at in range(node.index, snapshot.ends[node.index]))
        found = next((inner for inner in inside if inner.src), None)
        return Cell.of(str(found.src), found) if found else None
    if attribute == "value":
        return Cell.of(clean(node.value), node) if node.value is not None else None
    if attribute == "ref":
        return Cell.of(whole.ref, node) if whole.ref else None
    if attribute == "name":
        return Cell.of(clean(node.name), node)
    if attribute == "text":
        return Cell.of(node.text, node)
    return Cell.of(text if text is not None else cell_text(node.snapshot, node.index), node)


def _outer_link(node: Node) -> Cell | None:
    link = next((outer for outer in node.ancestors if outer.href), None)
    return Cell.of(str(link.href), link) if link else None


_LEAST, _SURE = 2.0, 4.0  # of 6: how alike a collection on a later page must be
_NO_NAME = re.compile(r"column \d+")
_FIELDS = words("textbox searchbox spinbutton combobox listbox slider")
_CONTROLS = _FIELDS | {"link", "button"}
_SITE = words("navigation banner contentinfo")


class Plan(Protocol):
    """Reads the same columns of any page of a kind."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns."""

    def read(self, snapshot: Snapshot) -> list[Row]:
        """The rows of one page; empty where there are none."""


@dataclass(frozen=True)
class Place:
    """Where to look: everywhere, in one node, in several nodes that are rows themselves, or in a named collection."""

    text: str | None = None

    @classmethod
    def of(cls, snapshot: Snapshot, within: str | None) -> Place:
        """From a caller's `within`; a ref becomes a locator, since the next page has other refs."""
        if within is not None and is_ref(within):
            return cls(str(build_container_locator(snapshot[within])))
        return cls(within)

    def nodes(self, snapshot: Snapshot) -> list[Node] | None:
        """The nodes it names, or None for everywhere.

        Raises ExtractionError: neither a selector that matches nor a collection's name.
        """
        if self.text is None:
            return None
        trouble = f"nothing matches within={self.text!r}"
        try:
            found = snapshot.find_all(parse_selector(self.text))
        except SkillbookError as error:
            is_name = re.fullmatch(r"[\w\s.-]+", self.text) is not None
            found, trouble = [], trouble if is_name else f"within={self.text!r}: {error.message}"
        if found:
            return found
        called = called_so(snapshot, self.text)
        if called is not None:
            return [called]
        named = best_named(find_collections(snapshot), self.text)
        if named is not None:
            return [named.node]
        raise ExtractionError(trouble, hint=known_collections(snapshot), within=self.text)


def best_named(collections: Sequence[Collection], name: str) -> Collection | None:
    """The collection whose name is most alike, if it is alike enough."""
    scored = [(_alike(collection.name, name), collection) for collection in collections if collection.name]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] >= 100 * NEARLY_ALL else None


def alike_fields(fields: Sequence[str], name: str) -> list[int]:
    """The places of all fields whose names are alike enough; of those with the very name only the first."""
    wanted = clean(name).casefold()
    same = [place for place, known in enumerate(fields) if clean(known).casefold() == wanted]
    return same[:1] or [
        place for place, known in enumerate(fields) if _alike(known, name) >= 100 * NEARLY_ALL
    ]


_MEANINGS = (
    *("column_description", "column_title", "column_price", "column_stock", "column_date", "column_author"),
    *("column_image", "column_link", "column_rating", "column_method", "column_path"),
)


@cache
def _meanings(name: str) -> frozenset[str]:
    """What a column is for by its whole name."""
    return frozenset(meaning for meaning in _MEANINGS if name in lexicon.words(meaning))


def best_field(fields: Sequence[str], name: str) -> int | None:
    """The place of the field whose name is most alike, if it is alike enough."""
    wanted = clean(name).casefold()
    for place, known in enumerate(fields):
        if clean(known).casefold() == wanted:
            return place
    scored = [(_alike(known, name), -place) for place, known in enumerate(fields)]
    best = max(scored, default=(0.0, 0))
    return -best[1] if best[0] >= 100 * NEARLY_ALL else None


def _alike(one: str, other: str) -> float:
    a, b = (re.sub(r"[\s_-]+", " ", clean(text).casefold()).strip() for text in (one, other))
    if _meanings(a) & _meanings(b):
        return 90.0
    if a and b and set(b.split()) <= set(a.split()):
        return 95.0
    return float(max(fuzz.ratio(a, b), fuzz.token_sort_ratio(a, b)))


def known_collections(snapshot: Snapshot) -> str:
    """A hint that lists what a page has."""
    known = [
        f"{c.kind}{f' {quote(c.name, 40)}' if c.name else ''} ({', '.join(map(clean, c.fields[:6]))})"
        for c in find_collections(snapshot)[:5]
    ]
    if known:
        return f"the page has {'; '.join(known)}"
    empty = "; ".join(map(str, empty_tables(snapshot)))
    return (
        empty or alike_controls(snapshot) or "the page has no table, list or cards; use text or css selectors"
    )


def alike_controls(snapshot: Snapshot) -> str:
    """How to read what a page has most of side by side, if that are links or buttons; "" for none."""
    columns, parents = snapshot.columns, snapshot.parents
    beside = Counter(
        (role, parents[at]) for at, role in enumerate(columns.role) if role in {"link", "button"}
    )
    for (role, parent), count in beside.most_common():
        around = {up.role for up in (snapshot.nodes[parent], *snapshot.nodes[parent].ancestors)}
        if count >= FEWEST and around.isdisjoint(_SITE):
            few = f"the page has no table, list or cards, but {count} {role}s side by side"
            return f"{few}: fields={{'name': '{role}'}}"
    return ""


@dataclass(frozen=True)
class CollectionPlan:
    """All fields of one collection, or some of them under other names.

    fields: the collection's for each column; "" where it has none, so that the column is blank.
    reads: what is read of each field's cells, where that isn't what they say.
    notes, faults: what a frame says of fields that were not found, and which of that makes it incomplete.
    """

    columns: Sequence[str]
    fields: Sequence[str]
    kind: str
    name: str
    path: str
    item_kind: tuple[str, str]
    place: Place
    whole: bool = False  # every column of the collection's, and no choice of them
    labels: Set[str] = frozenset()  # the names of columns, where labels in the items say them
    reads: Sequence[Attribute] = ()
    notes: Sequence[str] = ()
    faults: Sequence[str] = ()

    @classmethod
    def of(
        cls, collection: Collection, place: Place, columns: Sequence[tuple[str, int | None]] | None = None
    ) -> CollectionPlan:
        """A plan for a collection; `columns` pairs a column's name with a field's place."""
        whole: list[tuple[str, int | None]] = [(name, at) for at, name in enumerate(collection.fields)]
        pairs = whole if columns is None else columns
        return cls(
            [name for name, _ in pairs],
            ["" if at is None else collection.fields[at] for _, at in pairs],
            collection.kind,
            collection.name,
            path_of(collection.node),
            collection.item_kind,
            place,
            columns is None,
            frozenset(collection.fields) if collection.labelled else frozenset(),
        )

    def read(self, snapshot: Snapshot) -> list[Row]:
        """The rows of the collection most like the one that the plan was made for."""
        best = self.find(snapshot)
        return [] if best is None else self.rows_of(best)

    def rows_of(self, best: Collection) -> list[Row]:
        """A collection's rows with the plan's columns."""
        if GROUP in self.fields and GROUP not in best.fields and best.kind not in TABLES:
            best = without_heading_items(best, is_later=True)
        places = self.places_in(best)
        if all(place is None for place in places):
            return []  # something else stands where the rows were
        if GROUP in self.fields and places[at := self.fields.index(GROUP)] is None:
            # All rows of this page may stand under one heading.
            groups = headings_over(best)
            places[at] = len(best.fields)
            rows = [Row(row.node, [*row.cells, cell]) for row, cell in zip(best.rows, groups, strict=True)]
            best = replace(best, rows=rows)
        as_is = places == list(range(len(best.fields))) and not any(self.reads)
        if as_is and all(len(row.cells) == len(places) for row in best.rows):
            return list(best.rows)
        rows = [Row(row.node, [None if at is None else row.cells[at] for at in places]) for row in best.rows]
        return (
            [Row(row.node, list(map(_read, row.cells, self.reads))) for row in rows] if self.reads else rows
        )

    def lost_in(self, other: Collection) -> list[str]:
        """What says that a collection is without columns of the plan's."""
        known = zip(self.columns, self.fields, self.places_in(other), strict=True)
        lost = [repr(name) for name, field, place in known if field and place is None]
        return [f"screens were without {', '.join(lost)}"] if lost else []

    def places_in(self, other: Collection) -> list[int | None]:
        """Where a collection has the plan's fields: by their very names, else where a like name has the same place.

        "Price" isn't "Price of shipping": on another page, names that are only alike may mean other things.
        """
        names = [clean(name).casefold() for name in other.fields]
        found: list[int | None] = []
        for at, field in enumerate(self.fields):
            wanted = clean(field).casefold()
            if not field:
                found.append(None)
            elif wanted in names:
                found.append(names.index(wanted))
            elif len(names) == len(self.fields) and best_field([other.fields[at]], field) == 0:
                found.append(None if names[at] in map(str.casefold, map(clean, self.fields)) else at)
            else:
                found.append(None)
        return found

    def find(self, snapshot: Snapshot) -> Collection | None:
        """The collection most like the one that the plan was made for."""
        try:
            nodes = self.place.nodes(snapshot)
        except ExtractionError:
            return None
        found = collections_in(snapshot, nodes)
        if not any(self._score(collection) >= _SURE for collection in found):
            found = [*found, *collections_in(snapshot, nodes, self.item_kind, self.labels)]
        best = max(found, key=self._score, default=None)
        return None if best is None or self._score(best) < _LEAST else best

    def _score(self, other: Collection) -> float:
        shared = len(set(self.fields) & set(other.fields))
        return (
            2.0 * (path_of(other.node) == self.path)
            + 2.0 * shared / max(len(set(filter(None, self.fields))), 1)
            + 1.0 * (other.name == self.name)
            + 1.0 * (other.kind == self.kind)
        )


def _read(cell: Cell | None, attribute: Attribute) -> Cell | None:
    if not attribute or cell is None or cell.node is None:
        return None if attribute else cell
    return read_attribute(cell.node, attribute, cell.text)


def alike_elsewhere(snapshot: Snapshot, found: Collection) -> list[str]:
    """What says that a page has others like a collection, such as a table in each of many cards, which weren't read.

    Lists are others only under headings of their own; copies that say the same are none.
    """
    if len(found.fields) < SEVERAL:
        return []
    texts, place = _texts_of(found), _place_of(found)
    others = [
        each
        for each in find_collections(snapshot)
        if each.kind == found.kind
        and _have_same_columns(each, found)
        and each.node.index != found.node.index
        and _place_of(each) == place
        and not each.minor
        and _texts_of(each) != texts
    ]
    names = [each.name for each in (found, *others)]
    are_named = all(names) and len(set(names)) == len(names)
    if not others or not (are_named or found.kind in TABLES):
        return []
    shown = listed([each.name for each in others])
    many = f"{len(others):,} more {found.kind if found.kind == 'cards' else found.kind + 's'}"
    many = many.removesuffix("s") if len(others) == 1 and found.kind != "cards" else many
    like = f"like it under other headings ({shown})" if are_named else "with the same columns"
    return [f"{many} {like}: `sb.tables(page)` reads each, `within=` one"]


def _have_same_columns(one: Collection, other: Collection) -> bool:
    """Whether two have the same columns, or one lacks some of the other's, as facts that not all things have."""
    if list(one.fields) == list(other.fields):
        return True
    a, b = set(one.fields), set(other.fields)
    return (a <= b or b <= a) and min(len(a), len(b)) >= SEVERAL and one.kind in TABLES


def _texts_of(collection: Collection) -> list[list[str]]:
    return [[cell.text if cell else "" for cell in row.cells] for row in collection.rows]


def _place_of(collection: Collection) -> list[str]:
    """The tags around a collection with their first classes: others name states, such as that of the first one."""
    return [kind_of(each.tag) for each in (collection.node, *collection.node.ancestors)]


def path_of(node: Node) -> str:
    """The tags from the root to a node: the same on pages of one kind."""
    return "/".join(reversed([node.tag, *(outer.tag for outer in node.ancestors)]))


def main_collection(snapshot: Snapshot, nodes: Sequence[Node] | None) -> Collection:
    """The collection a person would mean: in the place given, the one with the most to say.

    Raises ExtractionError: there is none; or a table has no rows, and it isn't sure that another collection is meant.
    """
    found = collections_in(snapshot, nodes)
    content = [c for c in found if not c.minor] or (found if nodes is not None else [])
    data = [c for c in content if not _lays_out_fields(c)]
    has_rows = any(c.kind in {"table", "grid"} for c in data)
    if has_rows:
        data = [c for c in data if not _is_bar(c)]
    if nodes is None and not has_rows and (empty := empty_tables(snapshot)):
        raise ExtractionError(str(empty[0]), hint="if you mean another list, name it with within=")
    if not content:
        raise ExtractionError("no table, list or cards found", hint=known_collections(snapshot))
    return max(
        data or content, key=lambda c: c.count * len(c.fields) * (2 if c.kind in {"table", "grid"} else 1)
    )


def _is_bar(collection: Collection) -> bool:
    """Whether a list only has controls, and others than links: what is done with a table, and no data beside it."""
    if collection.kind in {"table", "grid"}:
        return False
    columns, ends = collection.node.snapshot.columns, collection.node.snapshot.ends
    kinds: set[str] = set()
    for row in collection.rows:
        inside = range(row.node.index, ends[row.node.index])
        controls = [at for at in inside if columns.role[at] in _CONTROLS]
        texts = [at for at in inside if columns.role[at] == "text" and columns.name[at].strip()]
        if not controls or any(not any(one < at < ends[one] for one in controls) for at in texts):
            return False
        kinds.update(columns.role[at] for at in controls)
    return bool(kinds - {"link"})


def _lays_out_fields(collection: Collection) -> bool:
    """Whether a table only lays out fields with their labels, or buttons: no column has a name, most rows are such."""
    if collection.kind != "table" or not all(map(_NO_NAME.fullmatch, collection.fields)):
        return False
    roles, ends = collection.node.snapshot.columns.role, collection.node.snapshot.ends
    inside = [set(roles[at : ends[at]]) for at in (row.node.index for row in collection.rows)]
    such = [not _FIELDS.isdisjoint(each) or ("button" in each and "text" not in each) for each in inside]
    return sum(such) * 2 > len(such)


def name_place(snapshot: Snapshot, found: Collection) -> str | None:
    """The `within` of a collection: its selector, else that of what is around it; None for the page's main blocks.

    Raises NoMatch: nothing names it alone.
    """
    by_name = container_selectors(found.node, by_place=False)
    around = (one for up in found.node.ancestors for one in container_selectors(up, by_place=False))
    for selector in (*by_name, *around):
        if _names(snapshot, str(selector), found):
            return str(selector)
    if found.node.role == "generic" and _names(snapshot, None, found):
        return None
    for selector in container_selectors(found.node):
        if _names(snapshot, str(selector), found):
            return str(selector)
    raise NoMatch(f"the {found.kind} has no unique name", candidates=[])


def _names(snapshot: Snapshot, within: str | None, found: Collection) -> bool:
    """Whether a place has just one collection of this kind, and it is this one."""
    try:
        nodes = Place(within).nodes(snapshot)
        named = main_collection(snapshot, nodes)
    except SkillbookError:
        return False
    alike = [
        one
        for one in collections_in(snapshot, nodes)
        if (one.kind, list(one.fields)) == (found.kind, list(found.fields))
    ]
    return len(alike) == 1 and [row.node.index for row in named.rows] == [
        row.node.index for row in found.rows
    ]
