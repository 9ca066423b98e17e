"""Roles, names, descriptions and states by the specifications, rule by rule, in both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.testing.site import serve_folder
from tests.conformance.cases import ENGINES, Case, read_cases
from tests.conformance.observe import Lab
from tests.conformance.read import problems_of

CASES = read_cases()


@pytest.fixture(scope="module")
def problems(
    request: pytest.FixtureRequest, lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, list[str]]]:
    """What is wrong with each case that is tried, all of them read at once."""
    folder = tmp_path_factory.mktemp("cases")
    mine = [item for item in request.session.items if item.path == request.path]
    tried = {item.callspec.params["case"].place for item in mine if hasattr(item, "callspec")}
    with serve_folder(folder) as site:
        return problems_of(lab.browser, folder, site.url, [case for case in CASES if case.place in tried])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.place)
def test_case(problems: dict[str, dict[str, list[str]]], case: Case, engine: str) -> None:
    assert problems[case.place][engine] == [], f"{case.title}: {case.html}"


def test_every_rule_has_a_case_for_both_engines() -> None:
    assert len(CASES) >= 400
    assert len({case.place for case in CASES}) == len(CASES)


def test_a_wrong_expectation_is_noticed(lab: Lab, tmp_path: Path) -> None:
    """The checker itself: a case that can't hold must not pass."""
    (tmp_path / "accname").mkdir()
    (tmp_path / "accname" / "wrong.txt").write_text(
        '<button id=$x disabled>Right</button>\n= x link "Right"\n\n'
        '<button id=$x disabled>Right</button>\n= x button "Wrong" disabled\n\n'
        '<button id=$x disabled>Right</button>\n= x button "Right"\n\n'
        '<button id=$x disabled>Right</button>\n= x button "Right" disabled desc="More"\n\n'
        '<button id=$x disabled>Right</button>\n= x button "Right" disabled level=2\n\n'
        "<button id=$x hidden>Right</button>\n= x button\n\n"
        "<button id=$x>Right</button>\n= x -\n\n"
        '<button id=$x>Right</button>\n= x button "Right"\n~ cdp It was so once\n= x link\n',
        encoding="utf-8",
    )
    cases = read_cases(tmp_path)
    with serve_folder(tmp_path) as site:
        found = problems_of(lab.browser, tmp_path, site.url, cases)
    assert [len(found[case.place]["dom"]) for case in cases] == [1, 1, 1, 1, 1, 1, 1, 0]
    assert [len(found[case.place]["cdp"]) for case in cases] == [1] * 8
