"""What can be done on a page, bounded in size."""

from __future__ import annotations

from skillbook.perception.summary.page_summary import (
    Action,
    Form,
    FormField,
    ListOfItems,
    PageSummary,
    entry_line,
    entry_refs,
    summarize,
)

__all__ = [
    "Action",
    "Form",
    "FormField",
    "ListOfItems",
    "PageSummary",
    "entry_line",
    "entry_refs",
    "summarize",
]
