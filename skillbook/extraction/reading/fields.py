"""Extraction by fields: column name to what to read of each row.

The docstring of `skillbook.extract` says how a field is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from skillbook.errors import ExtractionError, SelectorSyntaxError
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Attribute, Place, best_field, known_collections, read_attribute
from skillbook.perception.collections import Cell, Collection, Row
from skillbook.perception.collections.column_names import rows_with_names
from skillbook.perception.collections.measures import LARGE_SAMPLE, SAMPLE
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.roles import IMAGES, words
from skillbook.perception.selectors import Selector, find_within, parse_selector
from skillbook.perception.snapshot import Snapshot

_SUFFIX = re.compile(r"@(href|src|value|ref|name|text)\s*\Z")
_SYNTAX = r"['\"/\[\]()~=]"
_SYNTAX_OF_ANY = (
    r"['\"\[\]~=]"  # a label may be "Price (incl. tax)" or "Price/kg"; a selector's first word is small
)
_KNOWN_ROLES = words(
    "article button caption card cell checkbox code columnheader combobox definition figure generic gridcell heading "
    "image img link list listitem meter option paragraph progressbar radio row rowheader searchbox slider spinbutton "
    "status strong switch tab term textbox time any"
)


def split_suffix(text: str) -> tuple[str, Attribute]:
    """What a field names, and what is read of it."""
    suffix = _SUFFIX.search(text)
    body = text[: suffix.start()] if suffix else text
    return body.strip(), cast(Attribute, suffix[1] if suffix else "")


@dataclass(frozen=True)
class FieldSpec:
    """One column: its name, a selector or a label of the collection's, and what to read."""

    column: str
    label: str
    selector: Selector | None
    attribute: Attribute

    @classmethod
    def parse(cls, column: str, text: str) -> FieldSpec:
        """From the caller's text.

        Raises SelectorSyntaxError: it can be neither a selector nor a label.
        """
        body, attribute = split_suffix(text)
        try:
            selector: Selector | None = parse_selector(body)
        except SelectorSyntaxError:
            if not body or re.search(_SYNTAX if body[0].islower() else _SYNTAX_OF_ANY, body):
                raise
            selector = None
        return cls(column, body, selector, attribute)

    @property
    def is_bare(self) -> bool:
        """Whether it is a word or words that could be a column's name."""
        selector = self.selector
        return selector is None or (
            selector.kind in {"role", "text"}
            and selector.name is None
            and not selector.tests
            and selector.within is None
        )

    @property
    def is_only_label(self) -> bool:
        """Whether it can be nothing but a column's name."""
        selector = self.selector
        return selector is None or (
            self.is_bare and selector.kind == "role" and selector.role not in _KNOWN_ROLES
        )

    def read(self, node: Node) -> Cell | None:
        """What an element that fits says; an image that was found by its name is that name, whatever it shows."""
        is_named = self.selector is not None and self.selector.name is not None and node.role in IMAGES
        return read_attribute(node, self.attribute, clean(node.name) if is_named else None)


@dataclass(frozen=True)
class FieldsPlan:
    """Rows of the collection that has all the fields, or of what repeats around them."""

    specs: Sequence[FieldSpec]
    place: Place
    _kinds: list[tuple[str, str]] = field(
        default_factory=list
    )  # of items that had all fields on pages before

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns."""
        return [spec.column for spec in self.specs]

    def read(self, snapshot: Snapshot) -> list[Row]:
        """The rows of a page."""
        nodes = self.place.nodes(snapshot)
        best: tuple[float, int, list[Row]] = (0.0, 0, [])
        for rows, collection in self._candidates(snapshot, nodes):
            sample = [self._row(snapshot, row, collection) for row in rows[:: max(len(rows) // SAMPLE, 1)]]
            score = self._score(sample)
            if (score, len(rows)) > best[:2] and score > 0:
                best = (score, len(rows), [self._row(snapshot, row, collection) for row in rows])
                if collection is not None and collection.item_kind not in self._kinds:
                    self._kinds.append(collection.item_kind)
        if best[0] < 0.999 or self._are_exact:
            around = self._around(snapshot, nodes)
            score = self._score(around)
            is_better = score > 0 and (score, len(around)) > best[:2]
            if is_better and (len(around) > best[1] or not _hold(snapshot, best[2], around)):
                best = (score, len(around), around)
        shown = [place for place, spec in enumerate(self.specs) if not spec.attribute]
        return list(rows_with_names(best[2], shown))

    @property
    def _are_exact(self) -> bool:
        """Whether the caller names elements by CSS: what repeats is then what they match, and no bigger group."""
        return all(spec.selector is not None and spec.selector.kind == "css" for spec in self.specs)

    def doubts(self, snapshot: Snapshot, rows: Sequence[Row]) -> list[str]:
        """What says of which fields rows have several, of which the first one is read."""
        notes = []
        for place, spec in enumerate(self.specs):
            if spec.selector is None or spec.is_only_label or spec.selector.nth:
                continue
            several = 0
            for row in rows[:LARGE_SAMPLE]:
                found = find_within(snapshot, spec.selector, row.node.index, runs=True)
                cells = [spec.read(snapshot.nodes[index]) for index in found]
                fitting = [cell for cell in cells if cell]
                # A word that is a column's name stands for that column, whatever else has such a role.
                is_first = (cell := row.cells[place]) is not None and [cell.index] == [
                    each.index for each in fitting[:1]
                ]
                several += is_first and len({each.text for each in fitting}) > 1
            if several:
                count = "a row has" if several == 1 else f"{several:,} rows have"
                notes.append(
                    f"{spec.column!r}: {count} several that fit, and the first is read: say nth, or more"
                )
        return notes

    def blanks(self, rows: Sequence[Row]) -> list[str]:
        """What says in how many rows nothing fits a field that others have."""
        notes = []
        for place, spec in enumerate(self.specs):
            lacking = sum(row.cells[place] is None for row in rows)
            if 0 < lacking < len(rows):
                notes.append(f"{spec.column!r}: {lacking:,} of {len(rows):,} rows have none")
        return notes

    def missing(self, snapshot: Snapshot) -> ExtractionError:
        """The error where no rows were found: which field fits nowhere."""
        nodes = self.place.nodes(snapshot)
        lost = [
            spec.column
            for spec in self.specs
            if not any(
                self._cell(snapshot, row, collection, spec)
                for rows, collection in self._candidates(snapshot, nodes)
                for row in rows[:SAMPLE]
            )
        ]
        message = (
            f"no rows have the field {', '.join(map(repr, lost))}" if lost else "no rows have all the fields"
        )
        return ExtractionError(message, hint=known_collections(snapshot), fields=lost)

    def _candidates(
        self, snapshot: Snapshot, nodes: Sequence[Node] | None
    ) -> list[tuple[Sequence[Row], Collection | None]]:
        found: list[tuple[Sequence[Row], Collection | None]] = []
        if nodes is not None and len(nodes) > 1:
            found.append(([Row(node, []) for node in nodes], None))
        for kind in (None, *self._kinds):
            found += [(collection.rows, collection) for collection in collections_in(snapshot, nodes, kind)]
        return found

    def _score(self, rows: Sequence[Row]) -> float:
        """How many of the fields the rows have; 0 where a field is in none."""
        if not rows:
            return 0.0
        shares = [sum(row.cells[at] is not None for row in rows) / len(rows) for at in range(len(self.specs))]
        return sum(shares) / len(shares) if all(shares) else 0.0

    def _row(self, snapshot: Snapshot, row: Row, collection: Collection | None) -> Row:
        return Row(row.node, [self._cell(snapshot, row, collection, spec) for spec in self.specs])

    def _cell(
        self, snapshot: Snapshot, row: Row, collection: Collection | None, spec: FieldSpec
    ) -> Cell | None:
        if collection is not None and spec.is_bare:
            place = best_field(collection.fields, spec.label)
            if place is not None and (
                spec.is_only_label or clean(collection.fields[place]) == clean(spec.label)
            ):
                cell = row.cells[place]
                return read_attribute(cell.node, spec.attribute, cell.text) if cell and cell.node else cell
        if spec.selector is None or spec.is_only_label:
            return None
        found = find_within(snapshot, spec.selector, row.node.index, runs=True)
        return spec.read(snapshot.nodes[found[0]]) if found else None

    def _around(self, snapshot: Snapshot, nodes: Sequence[Node] | None) -> list[Row]:
        """Rows made of what repeats: around each match of the most frequent field, as far as it stays alone."""
        if any(spec.is_only_label for spec in self.specs):
            return []
        matches = [self._matches(snapshot, spec, nodes) for spec in self.specs]
        if not all(matches):
            return []
        anchors = max(matches, key=len)
        parents, ends = snapshot.parents, snapshot.ends
        holds: Counter[int] = Counter()
        for index in anchors:
            at = index
            while at >= 0:
                holds[at] += 1
                at = parents[at]
        rows = []
        for index in anchors:
            at = index
            while parents[at] >= 0 and (holds[parents[at]] == 1 or len(anchors) == 1):
                at = parents[at]
            inside = [
                next((other for other in found if at <= other < ends[at]), None)
                if found is not anchors
                else index
                for found in matches
            ]
            cells = [
                None if other is None else spec.read(snapshot.nodes[other])
                for other, spec in zip(inside, self.specs, strict=True)
            ]
            rows.append(Row(snapshot.nodes[at], cells))
        return rows

    def _matches(self, snapshot: Snapshot, spec: FieldSpec, nodes: Sequence[Node] | None) -> list[int]:
        assert spec.selector is not None
        roots = [None] if nodes is None else [node.index for node in nodes]
        return sorted(
            {index for root in roots for index in find_within(snapshot, spec.selector, root, runs=True)}
        )


def _hold(snapshot: Snapshot, items: Sequence[Row], others: Sequence[Row]) -> bool:
    """Whether most of other rows are the items, or in them: then items without the fields are rows, and others none."""
    inside = {at for row in items for at in range(row.node.index, snapshot.ends[row.node.index])}
    return bool(items) and sum(row.node.index in inside for row in others) * 2 >= len(others)


def parse_fields(fields: Mapping[str, str] | Sequence[str]) -> list[FieldSpec]:
    """The caller's fields: a mapping, or a list of names that are matched to the collection's.

    Raises ExtractionError: there are none.
    """
    pairs = fields.items() if isinstance(fields, Mapping) else [(name, name) for name in fields]
    specs = [FieldSpec.parse(column, text) for column, text in pairs]
    if not specs:
        raise ExtractionError(
            "no fields given", hint="give fields={'title': 'heading', ...}, or leave them out"
        )
    return specs
