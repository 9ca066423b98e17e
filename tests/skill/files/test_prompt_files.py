from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from skillbook.errors import InvalidSkill, InvalidSkillName, MissingInput
from skillbook.skill.facade import Skill
from skillbook.skill.files.stored_skill import prompt_text, read_prompt_file, write_prompt_file
from skillbook.skill.model.spec import SkillSpec
from tests.skill.strategies import skills


def make(folder: Path, text: str, name: str = "find-flights.prompt.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_vs_code_prompt_file_loads(tmp_path: Path) -> None:
    path = make(
        tmp_path,
        "---\nname: Find flights\ndescription: Look for flights.\nargument-hint: a city\nagent: agent\nmodel: GPT-5\n"
        "tools: ['snapshot', 'click']\n---\n\n# Flights\n\nFly to ${input:city:where to go} on ${input:day}.\n",
    )
    spec = read_prompt_file(path)
    assert spec.name == "find-flights"
    assert spec.description == "Look for flights."
    assert [(one.name, one.description, one.required) for one in spec.inputs] == [
        ("city", "where to go", True),
        ("day", "", True),
    ]
    assert spec.allowed_tools == ["snapshot", "click"]
    assert spec.metadata == {
        "argument-hint": "a city",
        "agent": "agent",
        "model": "GPT-5",
        "title": "Find flights",
    }
    assert not spec.replays
    assert Skill(spec).prompt(city="Rome", day="2026-12-01").endswith("Fly to Rome on 2026-12-01.")
    with pytest.raises(MissingInput, match="'day'"):
        Skill(spec).prompt(city="Rome")


@pytest.mark.parametrize("tools", ["[a, b]", "'a b'", "a, b", "'[a, b]'", "\n- a\n- b"])
def test_older_forms_are_accepted(tools: str, tmp_path: Path) -> None:
    spec = read_prompt_file(make(tmp_path, f"---\nmode: edit\ntools: {tools}\n---\nDo it.\n"))
    assert spec.allowed_tools == ["a", "b"]
    assert spec.metadata["agent"] == "edit"
    assert (spec.name, spec.description) == ("find-flights", "Do it.")


def test_frontmatter_is_optional(tmp_path: Path) -> None:
    spec = read_prompt_file(make(tmp_path, "# Say hello\n\nTo ${input:whom}.", "WhatsApp Messages.prompt.md"))
    assert (spec.name, spec.description) == ("whatsapp-messages", "Say hello")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("---\ndescription: x\n---\n", "empty"),
        ("---\ndescription: [x]\n---\nGo.\n", "description: a string"),
        ("---\ntools: {a: 1}\n---\nGo.\n", "tools: a list"),
        ("---\nname: !!python/name:os.system\n---\nGo.\n", "not allowed"),
        ("---\nname: x\nGo.\n", "no end"),
    ],
)
def test_broken_prompt_files_say_what_is_wrong(text: str, what: str, tmp_path: Path) -> None:
    path = make(tmp_path, text)
    with pytest.raises(InvalidSkill, match=what) as caught:
        read_prompt_file(path)
    assert str(path) in caught.value.message


def test_a_name_that_gives_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSkillName):
        read_prompt_file(make(tmp_path, "---\nname: 日本\n---\nGo.\n"))


@given(skills().filter(lambda spec: spec.body.strip() != ""))
def test_exported_prompts_load_again(spec: SkillSpec) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_prompt_file(spec, Path(folder))
        found = read_prompt_file(path)
        assert os.listdir(folder) == [f"{spec.name}.prompt.md"]
    assert found.name == spec.name
    assert {one.name for one in found.inputs} >= {one.name for one in spec.inputs}
    assert found.allowed_tools == spec.allowed_tools


def test_an_exported_prompt_says_what_its_inputs_are(tmp_path: Path) -> None:
    spec = read_prompt_file(make(tmp_path, "Fly to ${input:city:where to go}, $5 or less."))
    assert "${input:city:where to go}, $5 or less." in prompt_text(spec)


def test_an_export_has_a_prompt_files_name(tmp_path: Path) -> None:
    spec = read_prompt_file(make(tmp_path, "Go."))
    with pytest.raises(InvalidSkill, match=r"\.prompt\.md"):
        Skill(spec).export_prompt(tmp_path / "x.txt")
