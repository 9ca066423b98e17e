"""Extraction by example: rows like those that were pointed at, or like one with values that the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.dtypes import parse_number
from skillbook.extraction.frames.number_texts import ratings_of, read_number
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import CollectionPlan, Place, Plan, known_collections
from skillbook.perception.collections import Cell, Collection, Row, cell_text
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import is_ref


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


Values = Mapping[str, Any]


def plan_by_values(snapshot: Snapshot, example: Any, place: Place) -> CollectionPlan | None:
    """A plan for the one collection whose rows say an example's values; None where the example gives refs.

    example: a DataFrame, a dict of a row, a list of dicts, or the values of one row, whose columns are called as on the
        page.
    Raises ExtractionError: no collection says all of them, or they stand in several fields or collections.
    """
    found = _example_rows(example)
    if found is None:
        return None
    rows, named = found
    collection, fields = _chosen(snapshot, rows, place)
    doubtful = next((name for name, at in fields.items() if len(at) > 1), None)
    if doubtful is not None:
        at = " and ".join(quote(collection.fields[each], 40) for each in fields[doubtful])
        raise ExtractionError(
            f"the example's {quote(str(rows[0][doubtful]), 40)} is in several fields: {at}",
            hint="give a second row, in which they differ",
        )
    pairs = [(name if named else collection.fields[at[0]], at[0]) for name, at in fields.items()]
    return CollectionPlan.of(collection, place, list(dict.fromkeys(pairs)))


def _example_rows(example: Any) -> tuple[list[Values], bool] | None:
    """The rows of an example of values, and whether it names their columns; None for refs."""
    named = True
    if hasattr(example, "to_dict"):
        rows: list[Values] = example.to_dict("records")
    elif isinstance(example, Mapping):
        rows = [example]
    else:
        given: list[Any] = [example] if isinstance(example, str) else list(example)
        if all(isinstance(each, str) and is_ref(each) for each in given):
            return None
        named = all(isinstance(each, Mapping) for each in given)
        rows = list(given) if named else [{str(place): each for place, each in enumerate(given)}]
    if not rows or not rows[0] or any(set(row) != set(rows[0]) for row in rows):
        raise ExtractionError("an example needs rows with the same columns", hint="give one row as a dict")
    return [{str(name): value for name, value in row.items()} for row in rows], named


def _chosen(
    snapshot: Snapshot, rows: Sequence[Values], place: Place
) -> tuple[Collection, dict[str, list[int]]]:
    """The one collection that says the rows' values, and where each column of theirs stands in it."""
    found = [
        (collection, fields)
        for collection in collections_in(snapshot, place.nodes(snapshot))
        if (fields := _fields_of(collection, rows)) is not None
    ]
    found = [pair for pair in found if not pair[0].minor] or found
    if not found:
        given = [value for row in rows for value in row.values()]
        cell_texts = [
            cell.text
            for each in collections_in(snapshot, place.nodes(snapshot))
            for row in each.rows
            for cell in row.cells
            if cell is not None
        ]
        lost = [value for value in given if not any(_says(text, value) for text in cell_texts)]
        quoted = ", ".join(dict.fromkeys(quote(str(value), 40) for value in lost or rows[0].values()))
        raise ExtractionError(f"no row of the page says {quoted}", hint=known_collections(snapshot))
    first = found[0][0]
    known = {row.node.index for row in first.rows}
    # Lists in groups are joined to one, which has the rows of each.
    others = [each for each, _ in found[1:] if not {row.node.index for row in each.rows} <= known]
    if others:
        names = ", ".join(f"{each.kind} {quote(each.name, 40)}" for each in [first, *others])
        raise ExtractionError(f"the example is in several lists: {names}", hint="name one with within=")
    return found[0]


def _fields_of(collection: Collection, rows: Sequence[Values]) -> dict[str, list[int]] | None:
    """For each column the fields that say its values: the same ones in all rows; None where a row isn't there."""
    possible: dict[str, set[int]] = {}
    for values in rows:
        here: dict[str, set[int]] = {}
        for row in collection.rows:
            places_of = {name: _places(row.cells, value) for name, value in values.items()}
            if all(places_of.values()):
                for name, places in places_of.items():
                    here.setdefault(name, set()).update(places)
        if not here:
            return None
        for name, places in here.items():
            possible[name] = possible.get(name, places) & places
    return {name: sorted(places) for name, places in possible.items()} if all(possible.values()) else None


def _places(cells: Sequence[Cell | None], value: Any) -> set[int]:
    return {at for at, cell in enumerate(cells) if cell is not None and _says(cell.text, value)}


def _says(text: str, value: Any) -> bool:
    if isinstance(value, str):
        if clean(text).casefold() == clean(value).casefold():
            return True
        number = read_number(clean(value))
        if number is None or number.unit or (value := parse_number(value)) is None:
            return False
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return clean(text) == str(value)
    rated = ratings_of([text])
    return parse_number((rated[0][0] if rated else None) or text) == float(value)
