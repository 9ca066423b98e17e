"""What must hold after a soak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from benchmarks.soak.drive import Expected, Story
from benchmarks.soak.site import SoakSite
from benchmarks.soak.wire import CountedBridge
from skillbook.journal import JournalStep

RECOVERY_GOAL = 2.0
GROWTH_GOAL = 0.15
"""How much more memory the last third may need than the middle one."""


@dataclass(frozen=True)
class Finding:
    """One figure: what was found, what is wanted, and whether it is so."""

    what: str
    found: str
    wanted: str
    met: bool


def judge(story: Story, site: SoakSite, wire: CountedBridge, journal: Sequence[JournalStep]) -> list[Finding]:
    """Hold a soak against its goals."""
    known = Counter(step.command for step in journal)
    lost = sum((wire.sent - known).values())
    unended = sum(step.outcome_time is None for step in journal)
    twice = sum(count - 1 for count in site.writes.values() if count > 1)
    strange = sum(count for token, count in site.writes.items() if token not in _possible(story.writes))
    over = sum((site.presses - (story.presses.sure + story.presses.unknown)).values())
    missing, under = outstanding(story, site)
    recovery = p95([seconds for _, seconds in story.recoveries])
    findings = [
        _none("commands sent that the journal doesn't know", lost),
        _none("journal records without an outcome", unended),
        _none("writes that arrived twice", twice),
        _none("writes reported done that never arrived", missing),
        _none("writes that nobody made", strange),
        _none("presses on an item beyond those requested (wrong element, or twice)", over),
        _none("presses reported done that never arrived", under),
        Finding(
            "recovery, 95th percentile",
            f"{recovery:.2f} s",
            f"≤ {RECOVERY_GOAL:g} s",
            recovery <= RECOVERY_GOAL,
        ),
    ]
    for name, column in (("kernel's memory", 1), ("browser's memory", 2), ("worker's heap", 3)):
        growth = growth_of([sample[column] for sample in story.memory])
        wanted = f"≤ {GROWTH_GOAL:.0%} growth"
        findings.append(
            Finding(
                f"{name}, last third against the middle one", f"{growth:+.1%}", wanted, growth <= GROWTH_GOAL
            )
        )
    return findings


def outstanding(story: Story, site: SoakSite) -> tuple[int, int]:
    """How many writes and presses that were reported done haven't reached the site."""
    missing = sum(1 for token in story.writes.sure if not site.writes[token])
    return missing, sum((story.presses.sure - site.presses).values())


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[18] if len(values) > 1 else max(values, default=0.0)


def growth_of(samples: Sequence[int]) -> float:
    """How much larger the median of the last third is than that of the middle one."""
    third = len(samples) // 3
    if not third:
        return 0.0
    return median(samples[-third:]) / max(1, median(samples[third : 2 * third])) - 1


def _none(what: str, count: int) -> Finding:
    return Finding(what, str(count), "0", count == 0)


def _possible(expected: Expected) -> set[str]:
    return {*expected.sure, *expected.unknown}
