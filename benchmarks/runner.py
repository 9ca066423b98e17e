"""Runs measures on pages and reports how it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Error
from rich.console import Console
from rich.markup import escape

from benchmarks.apps import APPS, NotInstalled, serve_app
from benchmarks.breakdown import Breakdown, bare_loop, break_down
from benchmarks.figures import Figure
from benchmarks.measures import ALONE, NOT_BY_DEFAULT, PER_PAGE
from benchmarks.pages import write_page
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites
from skillbook.errors import SkillbookError


@dataclass
class Results:
    """What a run measured.

    Attributes
    ----------
    figures, breakdowns : what was measured.
    skipped : pages and measures that could not be, and why.
    """

    figures: list[Figure] = field(default_factory=list)
    breakdowns: list[Breakdown] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes
    ----------
    only : names of measures and applications; empty for all.
    sizes : of the synthetic pages.
    rounds : how often each is timed.
    """

    only: Sequence[str]
    sizes: Sequence[int]
    rounds: int

    def wants_measure(self, name: str) -> bool:
        """Whether to take it."""
        named = [one for one in self.only if one in PER_PAGE or one in ALONE or one == "breakdown"]
        return name in named if named else name not in NOT_BY_DEFAULT

    def wants_app(self, name: str) -> bool:
        """Whether to measure on it."""
        named = [one for one in self.only if one in {app.name for app in APPS} or one == "synthetic"]
        return not named or name in named


def run(plan: Plan, peers: Peers, sites: Sites, console: Console, save: Callable[[Results], None]) -> Results:
    """Measure everything that the plan wants; `save` gets what there is after each page."""
    results = Results()
    if any(map(plan.wants_measure, [*PER_PAGE, "breakdown"])):
        for tab in _tabs(plan, peers, sites, console, results):
            _measure_page(plan, tab, console, results)
            save(results)
    for name, alone in ALONE.items():
        if plan.wants_measure(name):
            console.print(f"[bold]{name}[/]")
            with _noting(name, console, results):
                _add(alone(peers, sites, plan.rounds), console, results)
    return results


def _tabs(plan: Plan, peers: Peers, sites: Sites, console: Console, results: Results) -> Iterator[Tab]:
    for size in plan.sizes if plan.wants_app("synthetic") else ():
        label = f"{size:,} elements"
        with peers.open(
            sites.page(write_page(sites.folder, size)), label, "#probe", "#probe", plan.rounds
        ) as tab:
            yield tab
    for app in APPS:
        if not plan.wants_app(app.name):
            continue
        with _noting(app.name, console, results), serve_app(app, sites.folder) as url:
            with peers.open(url, app.name, app.ready, app.act, plan.rounds) as tab:
                yield tab


def _measure_page(plan: Plan, tab: Tab, console: Console, results: Results) -> None:
    console.print(f"[bold]{tab.label}[/]")
    for name, measure in PER_PAGE.items():
        if plan.wants_measure(name):
            with _noting(f"{name} on {tab.label}", console, results):
                _add(measure(tab), console, results)
    if plan.wants_measure("breakdown"):
        with _noting(f"breakdown on {tab.label}", console, results):
            results.breakdowns.append(parts := break_down(tab))
            walk = Figure(
                "walk in the page",
                tab.label,
                parts.script,
                bare_loop(tab),
                "ms",
                "share",
                2.0,
                "",
                "a bare loop",
            )
            _add(iter([walk]), console, results)


def _add(figures: Iterator[Figure], console: Console, results: Results) -> None:
    for figure in figures:
        results.figures.append(figure)
        mark = "[green]✓[/]" if figure.met else "[red]✗[/]"
        console.print(
            f"  {mark} {figure.measure}: {figure.show(figure.ours)} against {figure.show(figure.theirs)},"
            f" {figure.shown_ratio} (goal {figure.shown_goal})",
            highlight=False,
        )
        if figure.note and not figure.met:
            console.print(f"      {escape(figure.note)}", highlight=False)


@contextmanager
def _noting(what: str, console: Console, results: Results) -> Iterator[None]:
    """One failed measure doesn't end the run; the report says that it is missing."""
    try:
        yield
    except (NotInstalled, AssertionError, SkillbookError, Error, TimeoutError) as error:
        reason = " ".join(str(error).split())[:300]
        results.skipped[what] = f"{type(error).__name__}: {reason}"
        console.print(f"  [yellow]–[/] {what}: {escape(results.skipped[what])}", highlight=False)
