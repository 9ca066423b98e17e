"""Skills of every earlier form load for ever, and find what they were made for, or are refused with the new spelling.

The folders of `golden` were written by the versions of their time, but for `2-css`, whose steps a person wrote.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.perception.snapshot import Snapshot
from skillbook.skill.files.skill_folder import read_skill, write_skill
from skillbook.skill.model.skill_prose import edits_without_effect
from skillbook.skill.model.spec import calls_of
from skillbook.skill.model.spec_steps import Loop
from skillbook.skill.targets.healing import Wanted, find_now
from tests.trees import snapshot

GOLDEN = Path(__file__).parent.parent / "golden"
ROWS = """
main
  heading "Products" level=1
  table "Stock"
    row
      columnheader "Name"
      columnheader "Price"
      columnheader "Do"
{rows}"""
ROW = """    row
      cell "{name}"
      cell "{price}"
      cell
        button "Delete" +
"""
CARDS = """
main
  heading "People" level=1
{cards}"""
CARD = """  generic
    text "{name}"
    button "Invite" +
"""
FIND = """
main
  heading "Find" level=1
  searchbox "Search" + value=""
  button "Go" +
"""
FOLDERS = sorted(GOLDEN.glob("*/*"))


def rows(*names: str) -> Snapshot:
    return snapshot(ROWS.format(rows="".join(ROW.format(name=name, price=f"${len(name)}") for name in names)))


def cards(*names: str) -> Snapshot:
    return snapshot(CARDS.format(cards="".join(CARD.format(name=name) for name in names)))


def wanted(form: str, name: str, number: int = 0) -> Wanted:
    spec = read_skill(GOLDEN / form / name)
    target = spec.steps[number].target
    assert target is not None
    return Wanted.of(target, {one.name: one.default or "" for one in spec.inputs})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_folder_of_every_form_loads_and_is_written_in_the_present_one(folder: Path, tmp_path: Path) -> None:
    spec = read_skill(folder)
    assert spec.steps
    write_skill(spec, tmp_path)
    assert (tmp_path / spec.name / "replay.yaml").read_text().startswith("version: 2\n")
    assert read_skill(tmp_path / spec.name) == spec


@pytest.mark.parametrize("form", ["1-rungs", "2-record", "2-beside"])
def test_a_search_of_every_form_finds_its_fields_and_waits_for_rest(form: str) -> None:
    page = snapshot(FIND)
    assert [find_now(page, wanted(form, "find", number)).node.label for number in (0, 1)] == ["Search", "Go"]  # type: ignore[union-attr]
    assert read_skill(GOLDEN / form / "find").steps[2].params == {"idle": True}


@pytest.mark.parametrize("form", ["2-record", "2-beside"])
@pytest.mark.parametrize("name", ["delete-row", "delete-fixed"])
def test_a_row_of_every_form_is_found_where_it_moved_and_refused_where_it_is_gone(
    form: str, name: str
) -> None:
    target = wanted(form, name)
    page = rows("New", "Glass", "Wood")
    found = find_now(page, target)
    assert found is not None
    assert "Wood" in page.nodes[page.parents[page.parents[found.node.index]]].text
    assert find_now(rows("New", "Glass"), target) is None
    assert find_now(rows("Glass", "Oak"), target) is None, "the second row is another one"


@pytest.mark.parametrize(
    ("form", "name"), [("1-rungs", "delete-row"), ("1-rungs", "delete-fixed"), ("2-css", "delete-fixed")]
)
def test_a_number_alone_is_refused_in_a_record_with_the_new_spelling(form: str, name: str) -> None:
    target, page = wanted(form, name), rows("Glass", "Wood")
    assert find_now(page, target) is None
    pressed = [node for node in page.elements if node.name == "Delete"][1]
    assert any("button 'Delete' in row 'Wood'" in why for why in target.differences(pressed)), (
        target.differences(pressed)
    )


def test_a_loop_of_every_form_goes_over_its_rows_and_finds_each_by_its_own_text() -> None:
    spec = read_skill(GOLDEN / "2-loop" / "delete-each")
    (loop,) = spec.steps
    assert loop.loop == Loop(items="row", key="cell nth 1", name="item", max_items=50)
    (inner,) = loop.steps
    assert inner.target is not None
    page = rows("Glass", "Wood")
    found = find_now(page, Wanted.of(inner.target, {"item": "Wood"}))
    assert found is not None
    assert "Wood" in page.nodes[page.parents[page.parents[found.node.index]]].text
    assert find_now(page, Wanted.of(inner.target, {"item": "Oak"})) is None


def test_code_of_every_form_keeps_its_text_and_what_its_lines_act_on() -> None:
    folder = GOLDEN / "2-code" / "find-in-code"
    spec = read_skill(folder)
    assert spec.code == (folder / "skill.py").read_text(encoding="utf-8")
    assert [(call.line, call.method.tool) for call in calls_of(spec.code)] == [(8, "fill"), (9, "click")]
    assert [(step.line, step.command, step.named) for step in spec.steps] == [
        (8, "fill", "searchbox 'Search'"),
        (9, "click", "button 'Go'"),
    ]
    page = snapshot(FIND)
    labels = [find_now(page, wanted("2-code", "find-in-code", number)).node.label for number in (0, 1)]  # type: ignore[union-attr]
    assert labels == ["Search", "Go"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_folder_of_every_form_is_not_called_edited(folder: Path) -> None:
    assert edits_without_effect(read_skill(folder)) == []


def test_what_is_beside_a_card_finds_it_where_it_moved() -> None:
    target = wanted("2-beside", "invite")
    page = cards("New", "Ann", "Bob")
    found = find_now(page, target)
    assert found is not None
    assert found.node.index == [node for node in page.elements if node.name == "Invite"][2].index
    assert find_now(cards("Ann", "Cy"), target) is None
