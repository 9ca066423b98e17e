"""Extraction by schema: a pydantic model's fields matched to a collection's, once, whatever the number of rows."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.dtypes import parse_number
from skillbook.extraction.frames.validation import is_pandera, kinds_of, plain_type
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import CollectionPlan, Place, best_field, known_collections
from skillbook.perception.collections import Collection
from skillbook.perception.collections.measures import HALF, SAMPLE
from skillbook.perception.escape import clean
from skillbook.perception.snapshot import Snapshot

Schema = Any
"""A pydantic model class, or a pandera `DataFrameSchema` or `DataFrameModel` class."""


class Mapper(Protocol):
    """Picks the collection's field for each field of a schema, where names and types don't decide; mostly a model."""

    async def __call__(
        self, schema: type[BaseModel], collections: Sequence[Collection]
    ) -> tuple[int, dict[str, str]] | None:
        """The place of the collection and, for each field of the schema, a field of it; None where none fits."""


async def plan_by_schema(
    snapshot: Snapshot, schema: Schema, place: Place, mapper: Mapper | None = None
) -> CollectionPlan:
    """A plan for the collection that fits a schema best.

    Raises ExtractionError: none has the required fields.
    """
    found = collections_in(snapshot, place.nodes(snapshot))
    if is_pandera(schema):
        return _plan_by_pandera(snapshot, schema, found, place)
    scored = [(*_match(schema, collection), collection) for collection in found]
    score, columns, collection = max(scored, key=lambda entry: entry[0], default=(0.0, {}, None))
    required = {name for name, info in schema.model_fields.items() if info.is_required()}
    if collection is not None and required <= set(columns) and score >= HALF:
        return _plan(schema, collection, columns, place)
    if mapper is not None and found:
        answer = await mapper(schema, found)
        if answer is not None and 0 <= answer[0] < len(found):
            chosen = found[answer[0]]
            places = {
                name: at
                for name, field in answer[1].items()
                if name in schema.model_fields and (at := best_field(chosen.fields, field)) is not None
            }
            if required <= set(places):
                return _plan(schema, chosen, places, place)
    lost = sorted(required - set(columns))
    raise ExtractionError(
        f"no collection of the page has the fields of {schema.__name__}: {', '.join(lost) or 'too few match'}",
        hint=known_collections(snapshot),
        fields=lost,
    )


def _plan_by_pandera(
    snapshot: Snapshot, schema: Any, found: Sequence[Collection], place: Place
) -> CollectionPlan:
    names = list(kinds_of(schema))
    matched = [
        {name: at for name in names if (at := best_field(collection.fields, name)) is not None}
        for collection in found
    ]
    best = max(range(len(found)), key=lambda at: len(set(matched[at].values())), default=None)
    columns = {} if best is None else matched[best]
    lost = [name for name in names if name not in columns]
    if best is None or lost or len(set(columns.values())) < len(names):
        raise ExtractionError(
            f"no collection of the page has the columns of the schema: {', '.join(lost) or 'too few match'}",
            hint=known_collections(snapshot),
            fields=lost,
        )
    return CollectionPlan.of(found[best], place, list(columns.items()))


def _plan(
    schema: type[BaseModel], collection: Collection, columns: dict[str, int], place: Place
) -> CollectionPlan:
    pairs = [(name, columns[name]) for name in schema.model_fields if name in columns]
    return CollectionPlan.of(collection, place, pairs)


def _match(schema: type[BaseModel], collection: Collection) -> tuple[float, dict[str, int]]:
    """How well a collection fits, and the field for each of the schema's."""
    columns: dict[str, int] = {}
    left = list(schema.model_fields.items())
    for name, info in left:
        for known in (name, info.alias, info.title):
            at = best_field(collection.fields, known) if known else None
            same = at is not None and clean(collection.fields[at]).casefold() == clean(known or "").casefold()
            if at is not None and at not in columns.values() and (same or _fits(collection, at, info)):
                columns[name] = at
                break
    for name, info in left:
        if name not in columns and plain_type(info) is not str:
            free = [
                at
                for at in range(len(collection.fields))
                if at not in columns.values() and _fits(collection, at, info)
            ]
            if len(free) == 1:
                columns[name] = free[0]
    return len(columns) / max(len(left), 1), columns


def _fits(collection: Collection, place: int, info: FieldInfo) -> bool:
    """Whether a field's values can be of the type."""
    kind = plain_type(info)
    values = [cell.text for row in collection.rows[:SAMPLE] if (cell := row.cells[place]) and cell.text]
    if kind in {int, float}:
        return bool(values) and all(parse_number(value) is not None for value in values)
    if kind in {datetime.date, datetime.datetime, bool}:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        try:
            for value in values:
                adapter.validate_python(value)
        except ValidationError:
            return False
        return bool(values)
    return True
