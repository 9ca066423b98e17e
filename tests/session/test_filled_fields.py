"""What a field shows is what it was given, in another form, or it isn't: the extension's tests have the same cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbook.policy import Call
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.page.filled_fields import FilledFields, says_the_same, shows
from tests.trees import snapshot

CASES = json.loads((Path(__file__).parents[1] / "contract/same_values.json").read_text("utf-8"))


@pytest.mark.parametrize(("held", "value"), CASES["same"])
def test_another_form_is_the_same(held: str, value: str) -> None:
    assert shows(held, value)
    assert says_the_same(value, held)


@pytest.mark.parametrize(("held", "value"), CASES["other"])
def test_another_value_is_not(held: str, value: str) -> None:
    assert not shows(held, value)


@pytest.mark.parametrize(
    ("earlier", "later"), [("$1,234.00", "1234"), ("1,234.50", "1234.5"), ("12 / 30", "1230"), ("007", "7")]
)
def test_a_page_may_take_the_form_off_again(earlier: str, later: str) -> None:
    assert says_the_same(earlier, later)


@pytest.mark.parametrize(("earlier", "later"), [("$12.50", "1250"), ("1,234.50", "1234"), ("12.5", "125")])
def test_a_page_may_not_take_the_decimals_off(earlier: str, later: str) -> None:
    assert not says_the_same(earlier, later)


@pytest.mark.parametrize(
    ("tag", "notes"),
    [
        ("div", ()),  # a list of options, which a form that was sent sets back to its first one
        ("input", ("combobox 'Level' held 'High' when it was filled; the page has changed that to 'Low'",)),
    ],
)
def test_a_choice_that_a_sent_form_sets_back_is_no_change_of_what_was_typed(
    tag: str, notes: tuple[str, ...]
) -> None:
    now = snapshot(f'form\n  combobox "Level" + tag={tag} value="Low"\n  button "Save" +\n')
    level, save = (next(node for node in now.elements if node.name == name) for name in ("Level", "Save"))
    press = PreparedAction(
        Call("click", actor="replay", url="http://a.test/"), target=Resolved(save.ref, save)
    )
    assert FilledFields({level.ref: "High"}).changed_by_page(press, now) == notes
