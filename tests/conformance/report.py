"""docs/conformance.md: the figures, and every difference that is allowed with its reason."""

from __future__ import annotations

from collections import defaultdict

from tests.conformance.allowed import ALLOWED
from tests.conformance.measure import Results, Tally

_INTRODUCTION = """\
# Conformance

What the two snapshot engines say of a page, compared with the specifications, against each other and against Chrome's
own accessibility tree. `python -m tests.conformance --all --report` writes this page; `make conformance` fails where
something differs that isn't allowed below.

- **Cases** are written rule by rule from accname 1.2, ARIA 1.2 and HTML-AAM 1.0: HTML, and the role, name,
  description and states of each element marked in it, expected of both engines.
- **Pages** are read by both engines at the same moment: *interactive elements* are those that one can act on, *roles*
  and *names* those of every node that both have. *Chrome's tree* are the interactive nodes of
  `Accessibility.getFullAXTree`, which the dom engine's snapshot must have. *Listeners* are the visible elements with
  click, mousedown, pointerdown or keydown listeners by `DOMDebugger.getEventListeners`, and those below a listening
  one where the pointing hand begins: whether the element, or what is around it or in it, can be acted on.
- The **cdp engine** takes Chrome's word for roles, names and states, and shares no naming code with the dom engine:
  where both agree, two independent sources do.
- **Generated documents** come from a grammar of elements, roles, labels, hidden parts and shadow roots.

*exact* is the share that agrees; *with allowed* counts the differences that are listed below.
"""


def _row(name: str, tally: Tally) -> str:
    return f"| {name} | {tally.compared:,} | {tally.exact:.2f} % | {tally.explained:.2f} % |"


def render(results: Results) -> str:
    """The page as Markdown."""
    lines = [_INTRODUCTION, "## By category", ""]
    header = ["compared", "exact", "with allowed"]
    lines += [f"| category | {' | '.join(header)} |", "|---|---:|---:|---:|"]
    totals: dict[str, Tally] = defaultdict(Tally)
    for (group, category), tally in results.tallies.items():
        name = f"{group}: {category}" if category.endswith("engine") and ":" not in category else category
        total = totals[name]
        total.compared += tally.compared
        total.agreed += tally.agreed
        total.allowed += tally.allowed
    lines += [_row(name, tally) for name, tally in totals.items()]
    lines += ["", "Without the allowed differences these stay under 99 %:", ""]
    short = {name: total.exact for name, total in totals.items() if total.exact < 99}
    lines += [f"- {name}: {share:.2f} %" for name, share in short.items()] or ["- none"]
    lines += [
        "",
        "## By pages",
        "",
        f"| pages | category | {' | '.join(header)} |",
        "|---|---|---:|---:|---:|",
    ]
    for (group, category), tally in results.tallies.items():
        lines.append(_row(f"{group} ({results.pages[group]}) | {category}", tally))
    lines += ["", "## Allowed differences between descriptions of a page", ""]
    lines += ["| what differs | where | times | reason |", "|---|---|---:|---|"]
    for one in ALLOWED:
        where = "; ".join(sorted(one.categories))
        lines.append(f"| {one.title} | {where} | {results.used[one.title]} | {one.reason} |")
    lines += ["", "## Allowed differences of cases", "", "| engine | reason | cases |", "|---|---|---|"]
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for engine, reason, place in results.case_reasons:
        reasons[engine, reason].append(place)
    lines += [f"| {engine} | {reason} | {', '.join(cases)} |" for (engine, reason), cases in reasons.items()]
    if results.unexplained:
        lines += ["", "## Unexplained", "", *(f"- `{one}`" for one in results.unexplained)]
    if results.skipped:
        lines += ["", "## Not read", "", *(f"- {one}" for one in results.skipped)]
    return "\n".join(lines) + "\n"
