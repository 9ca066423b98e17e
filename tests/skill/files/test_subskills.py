"""`run_skill` steps: what they bring into the skill that has them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from skillbook.errors import InvalidSkill
from skillbook.skill import Skill
from skillbook.skill.files.skill_folder import read_skill, replay_text, write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, SubSkill
from skillbook.skill.model.templates import fill_selector, fill_url, put_in

FIND = """version: 2
inputs:
  site: {from_page: origin, default: http://localhost}
  name: {type: str}
  pages: {type: int, default: 2}
start: ${input:site}/people?q=${input:name}
origins: ['${input:site}']
secrets: [token]
sends:
- {step: 1, method: POST, origin: '${input:site}', path: '/find/${input:name}'}
steps:
- command: click
  note: Open ${input:name}
  when: heading '${input:name}'
  target:
    selectors: ["link '${input:name}'"]
    fingerprint: {name: '${input:name}'}
  expect:
  - url: ${input:site}/people/*
- command: extract
  extract: {within: "table '${input:name}'", max_pages: 3}
- command: type
  params: {text: '${secret:token}'}
"""
OUTER = """version: 2
inputs:
  base: {from_page: origin, default: http://127.0.0.1}
  who: {type: str}
origins: []
sends:
- {step: 2, method: POST, origin: '${input:base}', path: /after}
steps:
- command: run_skill
  skill:
    name: find
    inputs:
      name: Dr. ${input:who} O'Hara
- command: press
  params: {key: Enter}
"""


def write(folder: Path, **replays: str) -> Path:
    for name, replay in replays.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: Does it.\n---\n\nDo it.\n"
        (place / "SKILL.md").write_text(text, encoding="utf-8")
        if replay:
            (place / "replay.yaml").write_text(replay, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "skills", find=FIND, outer=OUTER)


def test_the_steps_are_the_other_skills_with_this_ones_inputs(folder: Path) -> None:
    spec = read_skill(folder / "outer")
    run, click, extract, typed, press = spec.all_steps
    assert run.skill is not None
    assert run.skill.address is not None
    assert [step.command for step in spec.all_steps] == ["run_skill", "click", "extract", "type", "press"]
    assert fill_url(run.skill.address, {"base": "http://a.test", "who": "&"}) == (
        "http://a.test/people?q=Dr.%20%26%20O%27Hara"
    )
    assert click.target is not None
    assert click.when is not None
    assert extract.extract is not None
    assert fill_selector(click.target.selectors[0], {"who": "Ann"}) == r"link 'Dr. Ann O\'Hara'"
    assert click.target.fingerprint == {"name": "Dr. ${input:who} O'Hara"}
    assert click.when == r"heading 'Dr. ${input:who} O\'Hara'"
    assert click.expect[0].url == "${input:base}/people/*"
    assert extract.extract.within == r"table 'Dr. ${input:who} O\'Hara'"
    assert typed.params == {"text": "${secret:token}"}
    assert press.params == {"key": "Enter"}


def test_what_the_other_skill_wants_is_wanted(folder: Path) -> None:
    skill = Skill(read_skill(folder / "outer"))
    assert skill.spec.all_origins == ["${input:base}"]
    assert skill.spec.all_secrets == ["token"]
    assert [(send.step, send.path) for send in skill.spec.all_sends or []] == [
        (5, "/after"),
        (2, "/find/Dr. ${input:who} O'Hara"),
    ]
    wants = str(skill.wants)
    assert "type the secret token" in wants
    assert "run the skill find, which opens" in wants
    assert "/find/" in wants
    assert skill.spec.own_numbers == {1, 5}


def test_a_change_of_the_other_skill_is_another_version_of_this_one(folder: Path) -> None:
    before = read_skill(folder / "outer").digest
    write(folder, find=FIND.replace("Open ${input:name}", "Open them"))
    assert read_skill(folder / "outer").digest != before


def test_the_file_only_names_the_other_skill(folder: Path) -> None:
    spec = read_skill(folder / "outer")
    assert yaml.safe_load(replay_text(spec)) == yaml.safe_load(
        OUTER.replace("origins: []\n", "").replace("  who: {type: str}", "  who: {}")
    )
    write_skill(spec, folder)
    assert read_skill(folder / "outer") == spec


def test_skills_may_run_skills_that_run_skills(folder: Path) -> None:
    top = """version: 2
inputs:
  site: {from_page: origin, default: http://localhost}
sends: []
steps:
- command: for_each
  loop: {items: row, key: cell nth 1, name: person}
  steps:
  - command: run_skill
    skill: {name: outer, inputs: {who: '${input:person}'}, start: here}
"""
    spec = read_skill(write(folder, top=top) / "top")
    assert [step.command for step in spec.all_steps] == [
        "for_each", "run_skill", "run_skill", "click", "extract", "type", "press",
    ]  # fmt: skip
    assert spec.all_steps[3].note == "Open Dr. ${input:person} O'Hara"
    assert [(send.step, send.origin) for send in spec.all_sends or []] == [
        (7, "${input:site}"),
        (4, "${input:site}"),
    ]
    write_skill(spec, folder)
    assert read_skill(folder / "top") == spec


def test_one_that_says_nothing_of_what_it_sends_makes_the_whole_ask(folder: Path) -> None:
    start = FIND.index("sends:")
    silent = FIND[:start] + FIND[FIND.index("steps:") :]
    assert read_skill(write(folder, find=silent) / "outer").all_sends is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("name: find", "name: missing"), "missing"),
        (("name: find", "name: ../find"), "../find"),
        (("name: find", "name: outer"), "outer → outer"),
        (
            ("inputs:\n      name: Dr. ${input:who} O'Hara", "inputs: {}"),
            "line 9, column 3: run_skill find: find needs a value for 'name'",
        ),
        (("O'Hara", "O'Hara\n      nam: x"), "no input 'nam'"),
        (("O'Hara", "O'Hara\n      pages: many"), "'pages' must be int"),
        (("O'Hara", "O'Hara\n      pages: '${input:who}'"), "'pages' of find must be int"),
        (("${input:who} O'Hara", "${secret:token}"), "not declared"),
        (("${input:who} O'Hara", "${input:nobody}"), "nobody"),
        (("- command: press", "- command: run_skill"), "run_skill needs a skill"),
        (("    name: find", "    nam: find"), "line 10, column 3, steps[0].skill.name"),
        (("step: 2", "step: 3"), "line 6, column 1: sends names step 3, and there are 2"),
        (("key: Enter", "key: '${input:x}'"), "line 14, column 3: step 2 (press) uses ${input:x}"),
    ],
)
def test_what_is_refused(folder: Path, change: tuple[str, str], said: str) -> None:
    assert change[0] in OUTER
    write(folder, outer=OUTER.replace(*change))
    with pytest.raises(InvalidSkill) as caught:
        read_skill(folder / "outer")
    assert said in str(caught.value)
    assert "replay.yaml" in str(caught.value)


def test_the_skill_names_the_state_of_those_that_it_runs(folder: Path) -> None:
    def sign_in(name: str) -> None:
        file = folder / name / "SKILL.md"
        head, _, rest = file.read_text().partition("---\n")[2].partition("---\n")
        file.write_text(f"---\n{head}metadata:\n  skillbook-state: shop\n---\n{rest}")

    sign_in("find")
    with pytest.raises(
        InvalidSkill, match="run_skill find: it is signed in by the state 'shop', which outer doesn't"
    ) as refused:
        read_skill(folder / "outer")
    assert "skillbook-state: shop" in refused.value.hint
    sign_in("outer")
    assert read_skill(folder / "outer").state == "shop"


def test_skills_that_run_each_other_are_refused(folder: Path) -> None:
    again = "- command: run_skill\n  skill: {name: outer, inputs: {who: x}}\n"
    write(folder, find=FIND + again)
    with pytest.raises(InvalidSkill, match="outer → find → outer"):
        read_skill(folder / "outer")


def test_it_is_only_saved_beside_the_skill_that_it_runs(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidSkill, match="runs find, which isn't in"):
        write_skill(read_skill(folder / "outer"), tmp_path / "elsewhere")


def test_a_prompt_is_refused(folder: Path) -> None:
    write(folder, plain="", outer=OUTER.replace("name: find", "name: plain"))
    with pytest.raises(InvalidSkill, match="line 9, column 3: run_skill plain: it is a prompt"):
        read_skill(folder / "outer")


def test_a_skill_without_the_other_ones_steps_is_not_exported() -> None:
    spec = SkillSpec(
        name="outer",
        description="x",
        steps=[SkillStep(command="run_skill", skill=SubSkill(name="find"))],
    )
    with pytest.raises(InvalidSkill, match="the steps of find are not there"):
        Skill(spec).to_playwright()


def test_what_is_put_in_keeps_dollars_types_and_the_outer_placeholders() -> None:
    given = {"a": "x ${input:b:shown} ${$}{input:c}", "n": 3}
    assert put_in({"t": ["${input:a}", "${input:n}", "n=${input:n}", "${input:z} ${$}{"]}, given) == {
        "t": ["x ${input:b:shown} ${$}{input:c}", 3, "n=3", "${input:z} ${$}{"]
    }
