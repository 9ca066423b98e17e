"""A value that was typed and is shown in another way is no fixed text of a skill."""

from __future__ import annotations

import pytest

from skillbook.errors import InvalidSkill
from skillbook.skill.recording.literals import shows_otherwise
from tests.skill.recorded import SHOP, make, page, step


@pytest.mark.parametrize(
    ("value", "text", "language", "shown"),
    [
        ("1985-07-09", "Born July 9, 1985", "", True),
        ("1985-07-09", "geboren am 9. Juli 1985", "de", True),
        ("1985-07-09", "09/07/1985", "", True),
        ("1985-07-09", "July 19, 1985", "", False),
        ("1985-07-09", "1985-07-09", "", False),
        ("1234.5", "$1,234.50", "", True),
        ("1234.5", "1.234,50 €", "de-AT", True),
        ("1234.5", "21,234.50", "", False),
        ("5", "5 items", "", False),
        ("lamp", "Lamp", "", False),
    ],
)
def test_dates_and_numbers_are_recognised_as_babel_writes_them(
    value: str, text: str, language: str, shown: bool
) -> None:
    assert shows_otherwise(text, value, language) is shown


PEOPLE = """
main
  textbox "Born" + value="{born}"
  table "People"
    row
      cell "{name}"
      cell "July 9, 1985"
      cell
        button "Edit" +
    row
      cell "{other}"
      cell "May 2, 1990"
      cell
        button "Edit" +
"""


def test_a_record_that_shows_an_input_otherwise_is_no_target_of_it() -> None:
    """Another date would edit the recorded person, and call that right."""

    def edit(name: str, other: str) -> list[str]:
        people = page(PEOPLE.format(born="", name=name, other=other))
        row = "row 'July 9, 1985'" if not name else f"row '{name}'"
        spec = make(
            "Edit who was born 1985-07-09",
            step("fill", people, target="textbox 'Born'", value="1985-07-09"),
            step("click", people, target=f"button 'Edit' in {row}"),
        )
        assert spec.steps[1].target is not None
        return [spec.steps[1].target.selectors[0], spec.steps[1].target.fingerprint["names"]]

    assert edit("Ann Lee", "Bob Ray") == ["button 'Edit' in row 'Ann Lee'", "Ann Lee | ${any}"]
    with pytest.raises(InvalidSkill, match="by the input born"):
        edit("", "")


@pytest.mark.parametrize(
    ("goal", "url", "start"),
    [
        ("Read the prices of lamps", "/search?q=lamps", "${input:site}/search?q=${input:query}"),
        ("List the orders of Oslo", "/orders#/by?town=Oslo", "${input:site}/orders#/by?town=${input:town}"),
        ("Read page 3 of the list", "/list?page=3", "${input:site}/list?page=3"),
        ("Read the list", "/list?q=lamps", "${input:site}/list?q=lamps"),
    ],
)
def test_fault_96_a_word_of_the_goal_that_went_in_by_an_address_is_an_input(
    goal: str, url: str, start: str
) -> None:
    shown = page('main\n  list "Found"\n    listitem\n      "Lamp"\n', url)
    spec = make(goal, step("goto", None, shown, url=SHOP + url), step("extract", shown))
    assert spec.start == start
