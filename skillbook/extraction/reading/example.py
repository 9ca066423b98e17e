"""Extraction by example: rows like the one or two that were pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbook.errors import ExtractionError
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import CollectionPlan, Place, Plan, known_collections
from skillbook.perception.collections import Cell, Collection, Row, cell_text
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.cards import kind_of
from skillbook.perception.snapshot import Snapshot


def plan_by_example(snapshot: Snapshot, refs: Sequence[str], place: Place) -> Plan:
    """A plan for rows like these elements.

    Elements of one row give its columns; a whole row, or elements of several rows, give every field of the collection
    they are in. Elements in no collection give one column of what has the same place in the page.

    Raises UnknownRef: a ref isn't in the snapshot. ExtractionError : nothing is like the examples.
    """
    if not refs:
        raise ExtractionError("no example given", hint="give refs such as example=['e12', 'e30']")
    nodes = [snapshot[ref] for ref in refs]
    found = [
        (collection, rows)
        for collection in collections_in(snapshot, place.nodes(snapshot))
        if all(rows := [_row_of(collection, node) for node in nodes])
    ]
    if found:
        collection, rows = min(found, key=lambda pair: _size(pair[1][0]))
        same_row = all(row is rows[0] for row in rows)
        is_row = any(
            row is not None and row.node.index == node.index for row, node in zip(rows, nodes, strict=True)
        )
        if same_row and not is_row:
            columns = [
                (collection.fields[at], at) for node in nodes if (at := _field_of(rows[0], node)) is not None
            ]
            if len(columns) == len(nodes):
                return CollectionPlan.of(collection, place, list(dict.fromkeys(columns)))
        return CollectionPlan.of(collection, place)
    plan = AlikePlan(tuple(dict.fromkeys(_signature(node) for node in nodes)))
    if len(plan.read(snapshot)) < 2:
        raise ExtractionError("nothing on the page is like the example", hint=known_collections(snapshot))
    return plan


def _size(row: Row | None) -> int:
    return row.node.snapshot.ends[row.node.index] - row.node.index if row else 0


def _row_of(collection: Collection, node: Node) -> Row | None:
    ends = node.snapshot.ends
    return next((row for row in collection.rows if row.node.index <= node.index < ends[row.node.index]), None)


def _field_of(row: Row | None, node: Node) -> int | None:
    """The field of a row that a node is, is in, or has in it."""
    if row is None:
        return None
    ends = node.snapshot.ends
    for place, cell in enumerate(row.cells):
        if cell and cell.node and cell.node.index <= node.index < ends[cell.node.index]:
            return place
    for place, cell in enumerate(row.cells):
        if cell and cell.node and node.index <= cell.node.index < ends[node.index]:
            return place
    return None


@dataclass(frozen=True)
class AlikePlan:
    """Everything with one of these places in the page's structure, as one column."""

    signatures: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> Sequence[str]:
        """The one column."""
        return ["value"]

    def read(self, snapshot: Snapshot) -> list[Row]:
        """The elements with such a place."""
        last = {signature[-1] for signature in self.signatures}
        return [
            Row(node, [Cell.of(cell_text(snapshot, node.index), node)])
            for node in snapshot.nodes
            if _step(node) in last and _signature(node) in self.signatures
        ]


def _signature(node: Node) -> tuple[str, ...]:
    return tuple(reversed([_step(node), *map(_step, node.ancestors)]))


def _step(node: Node) -> str:
    return f"{node.role} {kind_of(node.snapshot.columns.tag[node.index])}"
