"""A calendar's day is named by its date: the same number is another day in another month."""

from __future__ import annotations

import pytest

from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.skill.targets.element_target import fingerprint_of
from skillbook.skill.targets.surroundings import date_of, differences
from tests.skill.recorded import make, step
from tests.trees import snapshot

DAYS = "".join(f'    button "{day}" +\n' for day in range(1, 31))
SHOWN = [
    ('  "July 2026"\n', "2026-07-09"),
    ('  heading "Juli 2026" level=2\n', "2026-07-09"),
    ('  combobox "Month" + value="Jul"\n  spinbutton "Year" + value="2026"\n', "2026-07-09"),
    ('  "June 2026"\n  button "Next" +\n  "July"\n  "2026"\n', "2026-07-09"),
    ('  "Pick one"\n', ""),
]


def calendar(head: str) -> Snapshot:
    return snapshot(f"main\n{head}  group\n{DAYS}", url="http://127.0.0.1:8000/")


def ninth(page: Snapshot) -> Node:
    return page.find("button '9'")


@pytest.mark.parametrize(("head", "date"), SHOWN)
def test_a_day_has_the_month_over_it(head: str, date: str) -> None:
    assert date_of(ninth(calendar(head))) == date


def test_numbers_of_pages_are_no_days() -> None:
    pages = snapshot('main\n  "July 2026"\n' + "".join(f'  link "{number}" +\n' for number in range(1, 8)))
    assert date_of(pages.find("link '3'")) == ""


def test_the_same_number_in_another_month_is_another_day() -> None:
    july, august = calendar('  "July 2026"\n'), calendar('  "August 2026"\n')
    known = fingerprint_of(ninth(july))
    assert differences(known, ninth(july)) == []
    assert differences(known, ninth(august)) == ["the calendar's month was 2026-07 and is 2026-08"]
    spec = make("Book it", step("click", july, target="button '9'"))
    assert spec.steps[0].note == "Click button '9' (2026-07-09)"
    assert spec.steps[0].target is not None
    assert spec.steps[0].target.fingerprint["date"] == "2026-07-09"
