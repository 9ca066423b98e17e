"""Both engines and Chrome's own tree say the same of whole pages, but for differences that are listed."""

from __future__ import annotations

import pytest

from benchmarks.apps import NotInstalled
from tests.conformance.allowed import explain
from tests.conformance.compare import LISTENERS, Difference, Findings
from tests.conformance.measure import (
    FEW,
    GENERATED,
    MANY,
    Results,
    batches,
    observe_generated,
    observe_place,
    unexplained,
)
from tests.conformance.observe import Lab
from tests.conformance.sites import Place, Server, places
from tests.summaries import summary_problems

PLACES = places()


def _mark(place: Place) -> object:
    marks = [pytest.mark.gym] if place.site not in {"own", "shop"} else []
    return pytest.param(place, id=place.name, marks=[*marks, *([pytest.mark.soak] if place.soak else [])])


@pytest.mark.parametrize("place", [_mark(place) for place in PLACES])
def test_page(lab: Lab, server: Server, results: Results, place: Place) -> None:
    try:
        found = observe_place(lab, server, place)
    except NotInstalled as error:
        pytest.skip(str(error))
    results.add(place.site, found)
    assert found.compared
    assert unexplained(found) == []
    assert found.snapshot is not None
    assert summary_problems(found.snapshot) == []


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(seeds, id=str(seeds.start), marks=[pytest.mark.soak] if seeds.start >= FEW else [])
        for seeds in batches(MANY)
    ],
)
def test_generated_documents(lab: Lab, results: Results, seeds: range) -> None:
    found = observe_generated(lab, seeds)
    results.add(GENERATED, found)
    assert sum(found.compared.values()) > 20 * len(seeds)
    assert unexplained(found) == []
    assert found.snapshot is not None
    assert summary_problems(found.snapshot) == []


def test_every_allowed_difference_is_needed(results: Results) -> None:
    if sum(results.pages.values()) < len(PLACES) + len(list(batches(MANY))):
        pytest.skip("not every page was read in this session")
    assert results.unused == []


def test_at_least_99_percent_in_every_category(results: Results) -> None:
    if not results.tallies:
        pytest.skip("no page was read in this session")
    figures: dict[str, list[int]] = {}
    for (_, category), tally in results.tallies.items():
        counts = figures.setdefault(category, [0, 0])
        counts[0] += tally.agreed + tally.allowed
        counts[1] += tally.compared
    assert {category: count for category, count in figures.items() if count[0] < 0.99 * count[1]} == {}


def test_what_is_not_allowed_is_not_explained() -> None:
    found = Findings(differences=[Difference(LISTENERS, "not found", "", "click", "<div>Buy</div>")])
    assert unexplained(found) == found.differences
    assert explain(Difference(LISTENERS, "not found", "", "keydown", "<div>Panel</div>")) is not None
