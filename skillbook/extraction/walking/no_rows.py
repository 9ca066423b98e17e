"""A page that has none of the wanted rows and says so: a table with headers only, a search without results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbook.extraction.frames.validation import is_pandera, kinds_of
from skillbook.extraction.reading.fields import FieldSpec, parse_fields
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Place, best_field
from skillbook.extraction.walking.extract_options import ExtractOptions
from skillbook.extraction.walking.nothing_found import found_nothing
from skillbook.perception.collections import EmptyTable, Row, empty_tables
from skillbook.perception.escape import quote
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot


@dataclass(frozen=True)
class NoRows:
    """The plan of a page without rows.

    columns: those that the rows would have; empty where nothing says which.
    table: has the headers and no rows; None where words say it.
    """

    columns: Sequence[str]
    says: str
    table: EmptyTable | None = None

    def read(self, snapshot: Snapshot) -> list[Row]:
        """None, for a page that shows rows has another plan."""
        return []


def no_rows(snapshot: Snapshot, options: ExtractOptions) -> NoRows | None:
    """The plan of a page that is sure to have none of the rows; None where others may be meant.

    A table without rows is the one that is meant if it has the wanted columns, or if nothing else has rows. Words say
    it only if nothing else has rows.
    """
    if options.example is not None:
        return None
    nodes = Place.of(snapshot, options.within).nodes(snapshot)
    specs = None if options.fields is None else parse_fields(options.fields)
    tables = [table for table in empty_tables(snapshot) if _is_in(snapshot, nodes, table.node.index)]
    others = [each for each in collections_in(snapshot, nodes) if nodes is not None or not each.minor]
    meant = [table for table in tables if _has_columns(table, specs, sure=bool(others))]
    if len(meant) == 1:
        columns = meant[0].fields if specs is None and options.schema is None else _columns(options, specs)
        return NoRows(columns, str(meant[0]), meant[0])
    if tables or others:
        return None
    message = found_nothing(snapshot, [], nodes)
    return NoRows(_columns(options, specs), f"the page says {quote(message, 80)}") if message else None


def _columns(options: ExtractOptions, specs: Sequence[FieldSpec] | None) -> list[str]:
    if specs is not None:
        return [spec.column for spec in specs]
    schema = options.schema
    if schema is None:
        return list(options.columns or [])
    return list(kinds_of(schema) if is_pandera(schema) else schema.model_fields)


def _has_columns(table: EmptyTable, specs: Sequence[FieldSpec] | None, *, sure: bool) -> bool:
    """Whether a table has the wanted columns, or `sure` isn't needed and nothing says that it lacks one."""
    if specs is None:
        return not sure
    if sure and not all(spec.is_only_label for spec in specs):
        return False
    return all(best_field(table.fields, spec.label) is not None for spec in specs if spec.is_only_label)


def _is_in(snapshot: Snapshot, nodes: Sequence[Node] | None, index: int) -> bool:
    return nodes is None or any(node.index <= index < snapshot.ends[node.index] for node in nodes)
