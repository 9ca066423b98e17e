"""Why a figure is missed, found in the other figures of the same run."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.breakdown import Breakdown
from benchmarks.figures import Figure

_SCREENS = (
    "each screen waits until a frame went by in which the grid changed nothing, at least two frames as in the loop, "
    "and is then a snapshot of the whole page; the loop reads a few attributes."
)
_HOPS = "a call goes by the bridge and the extension's worker to the page, two hops more than Playwright's."
_FOUND = (
    " By selector another message finds the element first: the kernel chooses the one, and the journal has the "
    "step with its target before anything is done. That message takes 7 of 31 ms (1,000 elements); to save it would "
    "save 4, since what the page and the kernel do for it stays."
)
_FILL = (
    "the text goes in as from a keyboard, and the call looks whether the field keeps it; Playwright sets the value by "
    "script and doesn't look again. A fill takes four trips to the page: readiness and focus, the text, the check, and "
    "what the page made of it."
)
_TWICE = (
    "the second call waits until what the first one caused is over, so that it acts on the record that it was asked "
    "for; Playwright's doesn't."
)
_WALK = "no event reports a value that a script set, so every snapshot walks its documents; only differences are sent."
_KEYS = (
    "before a key is sent, the field must have the focus and be the judged one; each such look is a trip by the "
    "extension's worker to the page."
)
_COLD = (
    "in a new document the walk runs as code that was never run there, and takes about three times as long as the "
    "same walk again (1,000 elements: 56 ms of 76; again 17). Before it, the page must be at rest: two trips. No "
    "function has more than a twentieth of the walk."
)
_ELSE = {
    "full snapshot": _COLD,
    "full snapshot, median": _COLD,
    "snapshot of an unchanged page": _WALK,
    "click by ref and see what it changed": _WALK,
    "walk in the page": "it also names each element and reads attributes, listeners and records.",
    "terminal: first command after a start": (
        "the page was opened the moment before, and its first snapshot waits until it rests."
    ),
    "press by ref": _KEYS,
    "press by selector": _KEYS + _FOUND,
    "time of the default text": (
        "every mark of an omission counts and names what it stands for, and what is on the screen goes first: all "
        "lines are made before any is left out, so a smaller budget saves next to nothing."
    ),
    "tokens of the full text": "names and texts make up most of it, and cost both the same.",
    "replay of a saved skill": (
        "before rows are read, and after each step, what the step caused must be over: requests, timers and "
        "messages of the page. A script written for this page reads at once. On slow sites it weighs less."
    ),
    "targets found on changed pages": (
        "if a heading or record around the target changed, it may be another place, and an element of the "
        "same name beside it may be the recorded one. Then it refuses."
    ),
    "table to DataFrame": (
        "a quarter of it is the page's: visibility, style, box and ref of every cell, so that each can be shown and "
        "acted on later. The rest is Python's: headers, spans, groups, sums and types. `page.content()` returns markup."
    ),
    "table to DataFrame: memory at the highest": (
        "every cell is an object that knows its text, its snapshot and its place there, so that it can be shown and "
        "acted on later, and each node has its box; markup has neither."
    ),
    "click by the same selector": (
        "what a click requested is reported within 0.1 s; until that is known, the same selector may name the record "
        "before, as on pages that show one after another."
    ),
    "check and uncheck by ref": _TWICE,
    "check and uncheck by selector": _TWICE,
    "get text by ref": _HOPS,
    "get text by selector": _HOPS,
    "is_visible by ref": _HOPS,
    "is_visible by selector": _HOPS,
    "fill by ref": _FILL,
    "fill by selector": _FILL + _FOUND,
    "virtual grid to DataFrame": _SCREENS,
    "virtual grid: named columns": _SCREENS,
    "longest task of a snapshot": (
        "a document's walk is one task, since one that yields would see two states of a page; garbage collection falls "
        "into it. Half of it is spent in the browser's own answers: boxes, styles, visibility, attributes."
    ),
}


def reason(figure: Figure, breakdowns: Sequence[Breakdown]) -> str:
    """One sentence."""
    if figure.measure == "full snapshot":
        parts = next((one for one in breakdowns if one.page == figure.page), None)
        if parts:
            return _largest(parts)
    return _ELSE.get(figure.measure, "no single cause is known.")


def _largest(parts: Breakdown) -> str:
    shares = {
        "the walk in the page": parts.script,
        "the browser's other work": parts.browser,
        "the wire": parts.wire,
        "the join in Python": parts.join,
    }
    first, second = sorted(shares, key=lambda name: -shares[name])[:2]
    return (
        f"{first} takes {shares[first] / parts.total:.0%} of it, {second} {shares[second] / parts.total:.0%}."
    )
