"""Repeated structures of a page — tables, grids, lists, cards, definitions — as rows of named fields."""

from __future__ import annotations

from skillbook.perception.collections.between import GROUP
from skillbook.perception.collections.cells import cell_text, check_in, has_unnamed_icon, text_with_values
from skillbook.perception.collections.collection import Cell, Collection, Row, unique_names
from skillbook.perception.collections.collection_search import empty_tables, find_collections
from skillbook.perception.collections.groups import headings_over, without_heading_items
from skillbook.perception.collections.repeats import read_items
from skillbook.perception.collections.row_kinds import is_sum
from skillbook.perception.collections.tables import EmptyTable, has_blank_rows_only

__all__ = [
    "GROUP",
    "Cell",
    "Collection",
    "EmptyTable",
    "Row",
    "cell_text",
    "check_in",
    "empty_tables",
    "find_collections",
    "has_blank_rows_only",
    "has_unnamed_icon",
    "headings_over",
    "is_sum",
    "read_items",
    "text_with_values",
    "unique_names",
    "without_heading_items",
]
