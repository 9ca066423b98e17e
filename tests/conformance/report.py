"""docs/conformance.md: the figures, and every difference that is allowed with its reason."""

from __future__ import annotations

from collections import defaultdict

from tests.conformance.allowed import ALLOWED
from tests.conformance.measure import Results, Tally

_INTRODUCTION = """\
# Conformance

This page compares the two snapshot engines with the specifications, with each other and with Chrome's own accessibility
tree. `python -m tests.conformance --all --report` writes it. `make conformance` fails if a difference isn't allowed
below.

- **Cases** are written rule by rule from accname 1.2, ARIA 1.2 and HTML-AAM 1.0. Each is a piece of HTML with the role,
  name, description and states that both engines must report for the marked elements.
- **Pages** are read by both engines at the same moment. *Interactive elements* are those that a person can act on.
  *Roles* and *names* are compared for every node that both engines have.
- *Chrome's tree* has the interactive nodes of `Accessibility.getFullAXTree`. The dom engine's snapshot must have them,
  too.
- *Listeners* are the visible elements with click, mousedown, pointerdown or keydown listeners, found by
  `DOMDebugger.getEventListeners`, and elements inside of those at which the hand cursor begins. The comparison is
  whether such an element, or one around or inside it, is interactive in the snapshot.
- The **cdp engine** takes roles, names and states from Chrome and shares no naming code with the dom engine. If both
  agree, two independent sources agree.
- **Generated documents** come from a grammar of elements, roles, labels, hidden parts and shadow roots.

*exact* is the share that agrees; *with allowed* also counts the differences that are listed below.
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
