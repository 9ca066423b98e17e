"""Facts that a run read and answered with are outputs of its skill, typed."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel

from skillbook.errors import ReplayFailed
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillOutput
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from skillbook.skill.replay.step_outputs import check_columns, typed
from skillbook.skill.targets.healing import Wanted
from tests.trees import snapshot

PAGE = snapshot(
    'main\n  status "137" html_id=total\n  heading "Orders" level=1\n', url="http://127.0.0.1:8000/"
)


class Total(BaseModel):
    orders: int


def read(text: str, target: str | None = "status", what: str = "text") -> RecordedStep:
    node = PAGE.find(target) if target else None
    return RecordedStep("get", {"what": what}, node, url_before=PAGE.url, before=PAGE, read=text)


def save(answer: Any, *steps: RecordedStep) -> Skill:
    goto = RecordedStep("goto", {"url": PAGE.url}, url_after=PAGE.url)
    extract = RecordedStep("extract", {"within": "list"}, url_before=PAGE.url, before=PAGE)
    return skill_from_recording(Recording("How many?", (goto, extract, *steps), True, answer), "count")


def test_a_fact_in_the_answer_is_a_typed_output() -> None:
    spec = save("There are 137 orders.", read("137"), read("Orders", "heading")).spec
    assert spec.outputs == [SkillOutput(name="total", type="int")]
    assert [one.command for one in spec.steps] == ["extract", "get"]
    target = spec.steps[1].target
    assert target is not None
    assert "137" not in str(target), "the element is found by what stays, not by what is read"


def test_a_schemas_field_names_the_fact() -> None:
    assert save(Total(orders=137), read("137")).spec.outputs == [SkillOutput(name="orders", type="int")]
    assert save({"other": 138}, read("137")).spec.outputs == []


def test_what_wasnt_answered_is_no_output() -> None:
    assert save("Nothing.", read("137")).spec.outputs == []
    assert save("There are 1370.", read("137")).spec.outputs == []


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [(" 42 ", "int", 42), ("4.5", "float", 4.5), (True, "bool", True), ("1,234", "str", "1,234")],
)
def test_a_fact_has_its_type(value: object, kind: Any, expected: object) -> None:
    assert typed(value, SkillOutput(name="x", type=kind)) == expected


@pytest.mark.parametrize(
    ("value", "kind"), [("1,234", "int"), ("n/a", "float"), (None, "str"), ("yes", "bool")]
)
def test_nothing_is_guessed(value: object, kind: Any) -> None:
    with pytest.raises(ReplayFailed, match="x is"):
        typed(value, SkillOutput(name="x", type=kind))


def test_rows_have_the_columns_that_the_skill_says() -> None:
    steps = [SkillStep(command="extract")]
    spec = SkillSpec(
        name="x", description="x", steps=steps, outputs=["name", SkillOutput(name="stock", type="int")]
    )
    check_columns(spec, [pd.DataFrame({"name": ["a"], "stock": [1]})])
    with pytest.raises(ReplayFailed, match="no rows have the column 'stock'"):
        check_columns(spec, [pd.DataFrame({"name": ["a"]})])
    with pytest.raises(ReplayFailed, match="is no int"):
        check_columns(spec, [pd.DataFrame({"name": ["a"], "stock": ["few"]})])


PEOPLE = """
main
  table "People"
    row
      cell
        link "Ann Lee" + href=/p/1
      cell
        "Oslo"
      cell
        button "Edit" +
    row
      cell
        link "Bob Ray" + href=/p/2
      cell
        "Rome"
      cell
        button "Edit" +
"""


@pytest.mark.parametrize(
    ("target", "first"),
    [
        ("link 'Ann Lee'", "link '${input:item}'"),
        ("button 'Edit' in row 'Ann Lee'", "button 'Edit' in row '${input:item}'"),
    ],
)
def test_fault_96_a_selector_by_an_input_says_nothing_of_the_examples_record(target: str, first: str) -> None:
    shown = snapshot(PEOPLE, url="http://127.0.0.1:8000/")
    click = RecordedStep("click", {}, shown.find(target), url_before=shown.url, before=shown)
    [step] = skill_from_recording(Recording('Open "Ann Lee"', (click,)), "open").spec.steps
    assert step.target is not None
    assert step.target.selectors[0] == first
    assert not [one for one in step.target.selectors if "Oslo" in one or "Ann" in one]
    other = snapshot(PEOPLE.replace("Ann Lee", "Cy").replace("Oslo", "Lima"))
    assert len(other.find_all(first.replace("${input:item}", "Cy"))) == 1


def test_fault_96_the_number_of_the_examples_record_is_not_what_another_ones_link_is_called() -> None:
    rows = "".join(
        f'    row\n      cell\n        link "{number}" + href=/item/{number}\n      cell\n        "{name}"\n'
        f'      cell\n        button "Open" +\n        button "{verb}" +\n'
        for number, name, verb in ((1, "lamp", "Close"), (2, "chair", "Close"), (3, "table", "Lock"))
    )
    shown = snapshot(f"main\n  table\n{rows}", url="http://127.0.0.1:8000/")

    def first(selector: str) -> str:
        click = RecordedStep("click", {}, shown.find(selector), url_before=shown.url, before=shown)
        [step] = skill_from_recording(Recording("Delete 'lamp'", (click,)), "delete").spec.steps
        assert step.target is not None
        assert not [text for text in step.target.fingerprint.values() if "/item/1" in text]
        return step.target.selectors[0]

    found = first("link in row ~'lamp'")
    assert "'1'" not in found
    assert shown.find(found.replace("${input:item}", "table")).label == "3"
    assert first("button 'Close' in row ~'lamp'") == "button 'Close' in row '${input:item}'"


BAR = """
main
  list
    listitem
      link "Create" + href=/new
    listitem
      button "With selected" +
    listitem
      search
        textbox "name, city" + value="{value}"
        button "Search" +
"""


def test_what_only_its_place_tells_is_found_where_another_value_stands_beside_it() -> None:
    """Its value was all that the list item said, and is the input."""
    blank, filled = (snapshot(BAR.format(value=value), url="http://127.0.0.1:8000/") for value in ("", "Ulm"))
    fill = RecordedStep("fill", {"value": "Ulm"}, blank.find("textbox"), url_before=blank.url, before=blank)
    click = RecordedStep("click", {}, filled.find("button 'Search'"), url_before=filled.url, before=filled)
    steps = skill_from_recording(Recording("Find the people of 'Ulm'", (fill, click)), "find").spec.steps
    assert steps[1].target is not None
    for value in ("Ulm", "Porto", ""):
        button = snapshot(BAR.format(value=value)).find("button 'Search'")
        assert Wanted.of(steps[1].target, {}).differences(button) == [], value
