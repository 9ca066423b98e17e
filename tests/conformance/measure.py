"""The whole suite's figures: how many things were compared, by category, and how many agreed."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.apps import NotInstalled
from skillbook.testing.site import serve_folder
from tests.conformance.allowed import ALLOWED, Allowed, explain
from tests.conformance.cases import ENGINES, FOLDERS, Case, read_cases
from tests.conformance.compare import Difference, Findings
from tests.conformance.generate import page_of
from tests.conformance.observe import Lab, observe, open_lab
from tests.conformance.read import opened, problems_of
from tests.conformance.sites import Place, Server, places

TITLES = {"accname": "accname 1.2 cases", "htmlaam": "ARIA 1.2 and HTML-AAM 1.0 cases"}
GENERATED = "generated documents"
PER_PAGE = 10
FEW, MANY = 60, 600


@dataclass
class Tally:
    """One category's figures."""

    compared: int = 0
    agreed: int = 0
    allowed: int = 0

    @property
    def exact(self) -> float:
        """The share that agrees, in percent."""
        return 100 * self.agreed / self.compared if self.compared else 100.0

    @property
    def explained(self) -> float:
        """The share that agrees or differs as allowed, in percent."""
        return 100 * (self.agreed + self.allowed) / self.compared if self.compared else 100.0


@dataclass
class Results:
    """Everything that was measured.

    Attributes
    ----------
    tallies : by group of pages and category.
    pages : how many pages a group has.
    used : how often each allowed difference was met, and one example.
    case_reasons : the differences that the cases themselves allow: engine, reason, place.
    unexplained : what is neither right nor allowed.
    skipped : pages that couldn't be read, and why.
    """

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    pages: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    case_reasons: list[tuple[str, str, str]] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def tally(self, group: str, category: str) -> Tally:
        """The figures of a category in a group."""
        return self.tallies.setdefault((group, category), Tally())

    def add(self, group: str, found: Findings) -> None:
        """Take over what a page showed."""
        self.pages[group] += 1
        for category, count in found.compared.items():
            tally = self.tally(group, category)
            tally.compared += count
            tally.agreed += count
        for difference in found.differences:
            tally = self.tally(group, difference.category)
            tally.agreed -= 1
            why = explain(difference)
            if why is None:
                self.unexplained.append(str(difference))
            else:
                tally.allowed += 1
                self.used[why.title] += 1

    @property
    def unused(self) -> list[Allowed]:
        """Allowed differences that nothing showed."""
        return [one for one in ALLOWED if not self.used[one.title]]


def unexplained(found: Findings) -> list[Difference]:
    """The differences that nothing allows."""
    return [one for one in found.differences if explain(one) is None]


def measure_cases(lab: Lab, cases: list[Case], results: Results) -> None:
    """Check every case by both engines."""
    with tempfile.TemporaryDirectory() as name, serve_folder(Path(name)) as site:
        found = problems_of(lab.browser, Path(name), site.url, cases)
    for case in cases:
        for engine in ENGINES:
            tally = results.tally(TITLES[case.group], f"{engine} engine")
            tally.compared += 1
            problems = found[case.place][engine]
            if problems:
                results.unexplained += [f"[{case.place}] {engine}: {problem}" for problem in problems]
            elif engine in case.allowed:
                tally.allowed += 1
                results.case_reasons.append((engine, case.allowed[engine][0], case.place))
            else:
                tally.agreed += 1
    for group in FOLDERS:
        results.pages[TITLES[group]] = sum(case.group == group for case in cases)


def observe_place(lab: Lab, server: Server, place: Place) -> Findings:
    """What a page shows.

    Raises
    ------
    NotInstalled : what it needs isn't there.
    """
    with opened(lab.browser, server.url(place)) as page:
        place.begin(page)
        return observe(lab, page, place.name)


def observe_generated(lab: Lab, seeds: range) -> Findings:
    """What a page of generated documents shows."""
    with tempfile.TemporaryDirectory() as name, serve_folder(Path(name)) as site:
        (Path(name) / "page.html").write_text(page_of(seeds), encoding="utf-8")
        with opened(lab.browser, f"{site.url}/page.html") as page:
            return observe(lab, page, f"generated/{seeds.start}", listeners=False)


def batches(count: int) -> Iterator[range]:
    """Seeds of so many generated documents, a page's at a time."""
    for start in range(0, count, PER_PAGE):
        yield range(start, min(start + PER_PAGE, count))


def measure(*, everything: bool, say: Callable[[str], object]) -> Results:
    """Run the whole suite, or the part that `make test` runs."""
    results = Results()
    with tempfile.TemporaryDirectory() as name, Server(Path(name)) as server, open_lab() as lab:
        say("cases")
        measure_cases(lab, read_cases(), results)
        for place in places():
            if place.soak and not everything:
                continue
            say(place.name)
            try:
                results.add(place.site, observe_place(lab, server, place))
            except NotInstalled as error:
                results.skipped.append(f"{place.name}: {error}")
        for seeds in batches(MANY if everything else FEW):
            say(f"generated documents {seeds.start} to {seeds.stop - 1}")
            results.add(GENERATED, observe_generated(lab, seeds))
        results.pages[GENERATED] = MANY if everything else FEW
    return results
