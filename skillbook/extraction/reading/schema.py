"""Extraction by schema: a pydantic or pandera schema's fields matched to a collection's, once, whatever the rows.

A field is matched only where its name and type leave no doubt; else its column is blank, and a note says why.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Protocol

from pydantic import AnyUrl, BaseModel

from skillbook import lexicon
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.date_columns import Notation
from skillbook.extraction.frames.number_texts import is_rating, ratings_of
from skillbook.extraction.frames.validation import convert_by, is_pandera, kinds_of
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import (
    Attribute,
    CollectionPlan,
    Place,
    alike_fields,
    best_field,
    known_collections,
    read_attribute,
)
from skillbook.perception.collections import Collection
from skillbook.perception.collections.measures import HALF, SAMPLE
from skillbook.perception.escape import clean, quote
from skillbook.perception.roles import TABLES
from skillbook.perception.snapshot import Snapshot

Schema = Any
"""A pydantic model class, or a pandera `DataFrameSchema` or `DataFrameModel` class."""
_CHECKED = (int, float, Decimal, bool, datetime.date, datetime.datetime)
_ADDRESS = re.compile(r"(?:[a-z][a-z+.-]*:|www\.|\.{0,2}/)\S*\Z", re.IGNORECASE)
_UNNAMED = re.compile(r"(?:link|image|button|text|column)(?: \d+)?\Z")
"""What fields are called where nothing on the page names them."""


class Mapper(Protocol):
    """Picks the collection's field for each field of a schema, where names and types don't decide; mostly a model."""

    async def __call__(
        self, schema: type[BaseModel], collections: Sequence[Collection]
    ) -> tuple[int, dict[str, str]] | None:
        """The place of the collection and, for each field of the schema, a field of it; None where none fits."""


@dataclass(frozen=True)
class _Wanted:
    """A field of a schema: its name, what else it is called, its type, and whether rows must have it."""

    name: str
    names: Sequence[str]
    kind: Any
    required: bool

    @property
    def reads(self) -> Attribute:
        """What is read for it: an address for what is called a link or an image, else what cells say."""
        if self.kind not in {str, None} and not (
            isinstance(self.kind, type) and issubclass(self.kind, AnyUrl)
        ):
            return ""
        parts = _words_of(self.name)
        is_link = parts[-1:] and parts[-1] in lexicon.words("column_link")
        if parts and (parts[0] if is_link else parts[-1]) in lexicon.words("column_image"):
            return "src"
        return "href" if is_link or self.kind not in {str, None} else ""

    @property
    def owner(self) -> str:
        """Whose address it is: "author" of "author_url"; "" for the row's."""
        parts = _words_of(self.name)
        return " ".join(parts[:-1]) if self.reads == "href" and len(parts) > 1 else ""


@dataclass(frozen=True)
class _Match:
    """The fields of a collection that a schema's were matched to, and why others weren't."""

    places: dict[str, int] = field(default_factory=dict)
    reads: dict[str, Attribute] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    def plan(self, wanted: Sequence[_Wanted], collection: Collection, place: Place) -> CollectionPlan:
        """The plan by it, in which columns that weren't matched are blank."""
        lost = [each for each in wanted if each.name not in self.places]
        says = {each.name: f"{each.name!r} is blank: {self.why[each.name]}" for each in lost}
        plan = CollectionPlan.of(
            collection, place, [(each.name, self.places.get(each.name)) for each in wanted]
        )
        reads = [self.reads.get(each.name, "") for each in wanted]
        return replace(
            plan,
            reads=reads if any(reads) else (),
            notes=[says[each.name] for each in lost],
            faults=[says[each.name] for each in lost if each.required],
        )


async def plan_by_schema(
    snapshot: Snapshot, schema: Schema, place: Place, mapper: Mapper | None = None
) -> CollectionPlan:
    """A plan for the collection that fits a schema best.

    Raises ExtractionError: no collection has most of the fields.
    """
    wanted = _wanted(schema)
    required = {each.name for each in wanted if each.required}
    found = collections_in(snapshot, place.nodes(snapshot))
    matches = [_matched(wanted, collection) for collection in found]
    best = max(range(len(found)), key=lambda at: len(matches[at].places), default=None)
    known = _Match() if best is None else matches[best]
    score = len(known.places) / max(len(wanted), 1)
    if best is not None and required <= set(known.places) and score >= HALF:
        return known.plan(wanted, found[best], place)
    if mapper is not None and found and not is_pandera(schema):
        answer = await mapper(schema, found)
        if answer is not None and 0 <= answer[0] < len(found):
            chosen = _as_mapped(wanted, found[answer[0]], answer[1])
            if required <= set(chosen.places):
                return chosen.plan(wanted, found[answer[0]], place)
    if best is not None and score > HALF:
        return known.plan(wanted, found[best], place)
    lost = sorted(required - set(known.places))
    what = "columns of the schema" if is_pandera(schema) else f"fields of {schema.__name__}"
    why = [f"{name} ({known.why[name]})" if name in known.why else name for name in lost]
    raise ExtractionError(
        f"no collection of the page has the {what}: {', '.join(why) or 'too few match'}",
        hint=known_collections(snapshot),
        fields=lost,
    )


def _wanted(schema: Schema) -> list[_Wanted]:
    kinds = kinds_of(schema)
    if is_pandera(schema):
        return [_Wanted(name, [name], kind, True) for name, kind in kinds.items()]
    return [
        _Wanted(
            name,
            [known for known in (name, info.alias, info.title) if known],
            kinds[name],
            info.is_required(),
        )
        for name, info in schema.model_fields.items()
    ]


def _as_mapped(wanted: Sequence[_Wanted], collection: Collection, fields: dict[str, str]) -> _Match:
    """What a mapper says."""
    match = _Match()
    for each in wanted:
        at = best_field(collection.fields, fields[each.name]) if each.name in fields else None
        if at is None:
            match.why[each.name] = "the mapper names no field for it"
            continue
        match.places[each.name] = at
        if each.reads and _texts(collection, at, each.reads):
            match.reads[each.name] = each.reads
    return match


def _matched(wanted: Sequence[_Wanted], collection: Collection) -> _Match:
    """The field of a collection for each of the schema's: those of the very name before those of a like one."""
    match = _Match()
    known = [clean(name).casefold() for name in collection.fields]

    def is_called_so(each: _Wanted) -> bool:
        return any(clean(name).casefold() in known for name in each.names)

    for each in sorted(wanted, key=lambda each: not is_called_so(each)):
        taken = {place for name, place in match.places.items() if not match.reads.get(name)}
        reads = each.reads
        fitting = _with_addresses(each, collection) if reads else _fitting(each, collection, taken)
        if reads and not fitting:
            fitting = [at for at in _called(each, collection) if _are_addresses(_texts(collection, at))]
            reads = ""
        alike = {tuple(_row_texts(collection, at, reads)): at for at in reversed(fitting)}
        if len(alike) == 1:
            match.places[each.name] = fitting[0]
            match.reads[each.name] = reads
        elif alike:
            names = " and ".join(quote(collection.fields[at], 40) for at in fitting)
            match.why[each.name] = f"{names} fit alike"
        else:
            match.why[each.name] = "no field fits its name and type for sure"
    return match


def _called(each: _Wanted, collection: Collection) -> list[int]:
    """The fields that are called as one of a schema's, or alike.

    Two prices of a card that nothing on the page names are "price" and "price 2": the first is no more meant.
    """
    found = (alike_fields(collection.fields, name) for name in each.names)
    places = next((places for places in found if places), [])
    if collection.kind in TABLES or each.kind not in _CHECKED:
        return places
    numbered = [re.compile(rf"{re.escape(collection.fields[at])}(?: \d+)?\Z") for at in places]
    return [at for at, name in enumerate(collection.fields) if any(same.match(name) for same in numbered)]


def _fitting(each: _Wanted, collection: Collection, taken: set[int]) -> list[int]:
    """The fields that one of a schema's can be by name and type."""
    names = {clean(name).casefold() for name in each.names}
    called = [at for at in _called(each, collection) if at not in taken]
    numeric = each.kind in {int, float, Decimal}
    if numeric and is_rating(each.name):
        rated = [
            at
            for at in range(len(collection.fields))
            if at not in taken
            and (at in called or _is_unnamed(collection, at))
            and _are_ratings(collection, at)
        ]
        if rated:
            return rated
    fitting = [at for at in called if _fits(each, _texts(collection, at))]
    # Of a column that the schema names, the report says what isn't of the type.
    return fitting or [at for at in called if clean(collection.fields[at]).casefold() in names]


def _with_addresses(each: _Wanted, collection: Collection) -> list[int]:
    """The fields whose cells have such addresses: of those called so if the page names any, else all."""
    places = [at for at in range(len(collection.fields)) if _texts(collection, at, each.reads)]
    called = [at for at in _called(each, collection) if not _is_unnamed(collection, at)]
    if each.owner:
        called = [*called, *alike_fields(collection.fields, each.owner)]
        return [at for at in places if at in called]
    return [at for at in called if at in places] or places


def _is_unnamed(collection: Collection, place: int) -> bool:
    return collection.kind not in TABLES and _UNNAMED.match(collection.fields[place]) is not None


def _row_texts(collection: Collection, place: int, reads: Attribute = "") -> list[str | None]:
    """What each row has in a field."""
    cells = [row.cells[place] for row in collection.rows]
    if reads:
        cells = [read_attribute(cell.node, reads) if cell and cell.node else None for cell in cells]
    return [cell.text if cell else None for cell in cells]


def _texts(collection: Collection, place: int, reads: Attribute = "") -> list[str]:
    """What the first rows have in a field; none where most lack an address."""
    first = replace(collection, rows=collection.rows[:SAMPLE])
    texts = [text for text in _row_texts(first, place, reads) if text]
    return texts if not reads or len(texts) >= HALF * len(first.rows) else []


def _are_addresses(texts: Sequence[str]) -> bool:
    return bool(texts) and all(map(_ADDRESS.match, texts))


def _are_ratings(collection: Collection, place: int) -> bool:
    """Whether most texts of a field are such as "4.6 out of 5", with the same scale."""
    texts = _texts(collection, place)
    rated = ratings_of(texts)
    return rated is not None and sum(map(str.__ne__, texts, map(str, rated[0]))) > HALF * len(texts)


def _fits(each: _Wanted, texts: Sequence[str]) -> bool:
    """Whether most of a field's values are of the type; dates that can be two days are dates."""
    if each.kind not in _CHECKED:
        return True
    typed, wrong = convert_by(each.kind, each.name, texts, Notation())
    return bool(texts) and (typed.rule.startswith("ambiguous") or len(wrong) < HALF * len(texts))


def _words_of(name: str) -> list[str]:
    return re.sub(r"[\s_-]+|(?<=[a-z])(?=[A-Z])", " ", clean(name)).casefold().split()
