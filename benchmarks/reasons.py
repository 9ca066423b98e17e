"""Why a figure is missed, in words; by measure, since the cause is the same on every page."""

from __future__ import annotations

from benchmarks.figures import Figure

_REASONS = {
    "full snapshot": "the walk in the page takes most of the time; on small pages what every call costs (frames asked"
    " for, journal, messages) weighs more. See the table below.",
    "snapshot after a text changed": "the walk is not yet incremental: the page is walked, sent and joined in full.",
    "snapshot after a click": "the walk is not yet incremental: the page is walked, sent and joined in full.",
    "tokens of the full text": "text dominates the page, and text costs both the same.",
    "click by ref": "the call includes the snapshot after the click and its diff, which Playwright's click doesn't.",
    "fill by ref": "the call includes the snapshot afterwards and its diff, which Playwright's fill doesn't.",
    "hover by ref": "the call includes the snapshot afterwards and its diff, which Playwright's hover doesn't.",
    "diff after a click": "the page is small, or the click changes most of it: what is new has to be told in full.",
    "replay of a saved skill": "every step takes snapshots around it and checks its post-condition.",
}


def reason(figure: Figure) -> str:
    """One sentence."""
    return _REASONS.get(figure.measure, "the two differ on this page.")
