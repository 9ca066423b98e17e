"""Whether a page's summary, or a query with the task's words, has the control that the task needs next."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.apps import NotInstalled
from benchmarks.skills.sites import Sites
from benchmarks.skills.wanted import WANTED, Wanted
from skillbook.errors import CommandTimeout
from skillbook.perception.summary import Action, Form, PageSummary
from skillbook.session.sync import Browser

_TOP = 5


@dataclass(frozen=True)
class Recall:
    """One triple's outcome: where the control was found, "" where it was not; why it could not be tried."""

    wanted: Wanted
    found: str
    skipped: str = ""


def measure_recall(browser: Browser, sites: Sites) -> list[Recall]:
    """Try every triple."""
    results, page, last, summary = [], None, "", None
    for wanted in WANTED:
        try:
            url = sites.url(wanted.app, wanted.path)
        except NotInstalled as error:
            results.append(Recall(wanted, "", str(error)))
            continue
        if url != last:
            page = page or browser.open(url)
            page.goto(url)
            try:
                page.wait_for(idle=True, timeout=8)
            except CommandTimeout:
                pass
            last, summary = url, page.summary()
        assert summary is not None
        results.append(Recall(wanted, where_found(summary, wanted.words, wanted.control)))
    if page is not None:
        page.close()
    return results


def where_found(summary: PageSummary, words: str, control: str) -> str:
    """`summary` or `query` where a control that the selector matches is among what they name; else ""."""
    targets = {node.ref for node in summary.snapshot.find_all(control)}  # type: ignore[attr-defined]
    if not targets:
        return "no such control"
    shown = summary.text()
    if any(f"[ref={ref}]" in shown for ref in targets):
        return "summary"
    for _, entry in summary.query(words, top_k=_TOP):
        named = {entry.id}
        if isinstance(entry, Form):
            named |= {field.ref for field in entry.fields} | {str(entry.submit)}
        if isinstance(entry, Action) and entry.items > 1:
            named |= {one.ref for one in summary.snapshot.elements if one.label == entry.label}
        if named & targets:
            return "query"
    return ""
