"""From cells to skill.py: inputs in place of literals, lines that hold, and what a skill's code must be."""

from __future__ import annotations

import ast

import pytest

from skillbook.cells.foresight import foresee
from skillbook.skill.authoring.code_skill import cells_that_count, skill_from_cells, write_code
from skillbook.skill.model.spec import calls_of, check_code, program_of
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from tests.trees import snapshot

SEARCH = """
page.fill("searchbox", "lamp")  # the field
page.click(f"link 'lamp'")
page.fill("spinbutton", "3")
text = '''lamp
  two'''
page.click("button 'Go on with \\"lamp\\"'")
"""


@pytest.fixture
def literals() -> Literals:
    made = Literals("Find a lamp")
    made.inputs += [
        SkillInput(name="query", default="lamp"),
        SkillInput(name="count", type="int", default=3),
    ]
    made.texts |= {"lamp": "query", "3": "count"}
    return made


def test_inputs_stand_in_place_of_literals_and_lines_hold(literals: Literals) -> None:
    written = write_code({2: SEARCH, 4: "[1, 2]"}, 'Find a "lamp"', literals)
    ast.parse(written.text)
    lines = written.text.split("\n")
    assert lines[5] == "def run(page, *, query: str = 'lamp', count: int = 3):"
    assert lines[7] == '    page.fill("searchbox", query)  # the field'
    assert 'page.fill("spinbutton", str(count))' in written.text
    assert "text = '''lamp\n  two'''" in written.text
    assert "{query}" in lines[12]
    assert lines[-2] == "    return [1, 2]"
    assert written.inputs == {"query", "count"}
    for call in foresee(SEARCH).calls:  # the line of a call in a cell is that in the file
        assert call.method.name in lines[written.lines[2] + call.line - 2]


def test_cells_that_only_look_are_left_out_unless_one_needs_them() -> None:
    cells = {1: "a = page.title", 2: "print(page.url)", 3: "b = a + '!'", 4: "page.fill('textbox', b)"}
    assert cells_that_count(cells) == [1, 3, 4]


def steps(*places: tuple[int, str]) -> list[SkillStep]:
    return [SkillStep(command=command, line=line) for line, command in places]


CODE = "def run(page, *, query: str):\n    for n in page.find('row'):\n        page.click(n)\n"


def test_a_call_is_a_step_by_its_line() -> None:
    assert [(call.line, call.method.tool) for call in calls_of(CODE)] == [(3, "click")]
    check_code(CODE, steps((3, "click")), ["query", "site"])
    assert program_of(CODE, {"query": "it's"}).endswith('run(page, query="it\'s")\n')


@pytest.mark.parametrize(
    ("code", "places", "why"),
    [
        (CODE, [], "one step"),
        (CODE, [(3, "click"), (9, "click")], "one step"),
        ("", [(3, "click")], "no code"),
        ("page.click('x')", [(1, "click")], "one function"),
        (CODE.replace("query", "other"), [(3, "click")], "takes the inputs"),
        (CODE + "import os\n", [(3, "click")], "one function"),
        ("def run(page:\n", [], "skill.py"),
    ],
)
def test_other_code_is_refused(code: str, places: list[tuple[int, str]], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_code(code, steps(*places), ["query", "site"])


ITEMS = """
main
  table
    row
      cell
        link "lamp" + href=/item/1
    row
      cell
        link "table" + href=/item/3
"""
ITEM = 'main\n  heading "lamp" level=1\n  link "Delete" + href=/item/1/delete\n'
DELETE = "page.click(\"link 'lamp'\")\npage.click(\"link 'Delete'\")\n"


def test_an_address_that_follows_from_an_input_is_another_records_own() -> None:
    site = "http://127.0.0.1:8000"
    pages = [snapshot(ITEMS, url=f"{site}/"), snapshot(ITEM, url=f"{site}/item/1")]
    pages.append(snapshot('main\n  heading "Sure?" level=1\n', url=f"{site}/item/1/delete"))
    done = [
        RecordedStep(
            "click", {}, before.find(named), named=named, url_before=before.url, before=before, after=after, cell=1,
            line=line,
        )
        for line, named, before, after in zip((1, 2), ("link 'lamp'", "link 'Delete'"), pages, pages[1:], strict=False)
    ]  # fmt: skip
    made = skill_from_cells(Recording("Delete the item 'lamp'", tuple(done), True), {1: DELETE}, "delete")
    assert [step.expect[0].url for step in made.spec.steps] == [
        "${input:site}/item/*",
        "${input:site}/item/*/delete",
    ]
