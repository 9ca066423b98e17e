"""SKILL.md says in words what a skill does; an edit of it that changes nothing is named when it is loaded."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from skillbook.policy.request_facts import RequestFact
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.library import load_skill
from skillbook.skill.model.spec import SkillSpec
from tests.skill.recorded import SHOP, make, page, step

FORM = """
main
  textbox "Name" + value="{name}"
  checkbox "In print" +
  combobox "Kind" +
    option "Novel"
    option "Poem"
  button "Add" +
"""


def added() -> SkillSpec:
    form, filled = page(FORM.format(name="")), page(FORM.format(name="Emma"))
    done = step(
        "click",
        filled,
        page(FORM.format(name="") + '  status\n    "Emma was added"\n'),
        target="button 'Add'",
    )
    done.extra["sent"], done.extra["sent_known"] = [RequestFact("POST", SHOP, "/books")], True
    return make(
        'Add the book "Emma" of kind Novel',
        step("fill", form, filled, target="textbox 'Name'", value="Emma"),
        step("check", filled, target="checkbox 'In print'"),
        step("select", filled, target="combobox 'Kind'", values=["Novel"]),
        done,
    )


def test_the_text_says_what_it_takes_does_changes_and_how_it_is_known() -> None:
    body = added().body
    assert "- name: Name (text; for example Emma, which it is if left out)" in body
    assert "- kind: Kind (one of Novel, Poem; for example Novel, which it is if left out)" in body
    assert "## Start\n\n- ${input:site}/, loaded anew" in body
    assert "2. Tick checkbox 'In print'." in body
    assert "## What it changes\n\n- " in body
    assert "step 4: the page shows status, the page says ${input:name} was added" in body


def test_an_edit_that_changes_no_step_is_named_when_the_skill_is_loaded(tmp_path: Path) -> None:
    place = write_skill(added(), tmp_path) / "SKILL.md"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_skill(place.parent, approve=True)
    place.write_text(place.read_text().replace("Tick checkbox 'In print'", "Untick checkbox 'In print'"))
    with pytest.warns(UserWarning, match=r"says .Untick .*, and the skill does .Tick"):
        load_skill(place.parent)
    place.write_text(place.read_text().replace("## Steps", "## What to do"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_skill(place.parent)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (
            "2. Tick checkbox 'In print'.\n",
            "",
            "doesn't say \"Tick checkbox 'In print'.\", which the skill does",
        ),
        ("4. Click", "4. Wait a day.\n5. Click", "says 'Wait a day.', which the skill doesn't do"),
        ("1. Fill", "2. Fill", ""),
    ],
)
def test_a_line_that_was_taken_out_or_added_is_named_and_a_number_is_not(
    tmp_path: Path, old: str, new: str, named: str
) -> None:
    place = write_skill(added(), tmp_path) / "SKILL.md"
    assert old in place.read_text()
    place.write_text(place.read_text().replace(old, new))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        load_skill(place.parent, approve=True)
    assert (named in str(warned[0].message)) if named else not warned
