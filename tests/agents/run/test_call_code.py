"""Steps as lines of code for a cell."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.agents.run.run_code import code_for, code_of
from skillbook.agents.state.step_records import StepRecord
from skillbook.policy.secrets import Secret
from tests.trees import snapshot

PAGE = snapshot("""
main
  heading "Shop" level=1
  link "Stores"
  textbox "City"
  button "Buy"
  button "Buy"
""")


def step(tool: str, at: str = "", **args: Any) -> StepRecord:
    extra = {"node": PAGE.find(at)} if at else {}
    given = {"target": PAGE.find(at).ref, **args} if at else args
    return StepRecord(1, tool, given, "c1", extra=extra)


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (step("click", "link 'Stores'"), "page.click(\"link 'Stores'\")"),
        (step("fill", "textbox 'City'", value="Bonn"), "page.fill(\"textbox 'City'\", 'Bonn')"),
        (
            step("fill", "textbox 'City'", value=Secret("pin")),
            "page.fill(\"textbox 'City'\", sb.secret('pin'))",
        ),
        (step("goto", url="https://shop.test/"), "page.goto('https://shop.test/')"),
        (step("click", target="button 'Buy' nth 2"), "page.click(\"button 'Buy' nth 2\")"),
        (
            step("extract", within="list 'Items'", next=True),
            "df = sb.extract(page, within=\"list 'Items'\", next=True)",
        ),
        (step("click", target="e99"), ""),
        (step("request_assistance", message="help"), ""),
    ],
)
def test_a_call_names_its_target_by_a_selector(made: StepRecord, code: str) -> None:
    assert code_of(made) == code


def test_an_element_is_filled_or_clicked() -> None:
    assert code_for(PAGE.find("textbox 'City'")) == 'page.fill("textbox \'City\'", "")'
    assert code_for(PAGE.find("link 'Stores'")) == "page.click(\"link 'Stores'\")"
