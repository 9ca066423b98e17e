"""What holds for every page's summary, whatever the page."""

from __future__ import annotations

from functools import cache
from typing import Any

from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary.page_summary import (
    BUDGET,
    MOST_ACTIONS,
    MOST_COLLECTIONS,
    MOST_FORMS,
    PageSummary,
    summarize,
)

_QUERIES = ("save", "search|find", "next page", "download report", "e", "delete 12")


@cache
def _encoding() -> Any:
    from bpe_openai import get_encoding

    return get_encoding("o200k_base")


def summary_problems(snapshot: Snapshot) -> list[str]:
    """What a page's summary says too much of, or otherwise the second time; empty where it is right."""
    summary = summarize(snapshot)
    problems = []
    size = len(_encoding().encode(summary.text()))
    if size > BUDGET:
        problems.append(f"{size} tokens: {summary.text()[:300]!r}")
    for what, count, most in (
        ("actions", len(summary.actions), MOST_ACTIONS),
        ("forms", len(summary.forms), MOST_FORMS),
        ("collections", len(summary.collections), MOST_COLLECTIONS),
    ):
        if count > most:
            problems.append(f"{count} {what}")
    again = summarize(Snapshot(snapshot.columns, snapshot.missing))
    if again.text() != summary.text():
        problems.append("another summary the second time")
    for query in _QUERIES:
        found = summary.query(query, top_k=20)
        if found != again.query(query, top_k=20):
            problems.append(f"{query!r} is ranked otherwise the second time")
        if [score for score, _ in found] != sorted((score for score, _ in found), reverse=True):
            problems.append(f"{query!r} isn't ranked best first")
    problems += _unknown_refs(summary)
    return problems


def _unknown_refs(summary: PageSummary) -> list[str]:
    """Refs of the summary that aren't in the snapshot."""
    named = [action.id for action in summary.actions]
    named += [
        ref for form in summary.forms for ref in (form.id, form.submit, *(f.ref for f in form.fields)) if ref
    ]
    named += [listed.id for listed in summary.collections if listed.id]
    return [f"{ref} isn't in the snapshot" for ref in named if ref not in summary.snapshot]
