"""Pages to DataFrames: `sb.tables(page)` and `sb.extract(page, ...)`."""

from __future__ import annotations

from skillbook.extraction.extracting import extract, recover, tables

__all__ = ["extract", "recover", "tables"]
