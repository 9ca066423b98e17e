from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbook.errors import InvalidSkill, InvalidSkillName, SkillError, SkillNotFound, StorageError
from skillbook.skill.files.skill_folder import FRONTMATTER, read_skill, write_skill
from skillbook.skill.files.spec_reading import load_mapping
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput
from skillbook.skill.model.spec_steps import SkillStep, StepTarget
from tests.skill.strategies import skills

HEAD = "---\nname: shop\ndescription: Buys things.\n---\n\nBuy.\n"
SPEC = SkillSpec(
    name="shop",
    description="Search the shop.",
    body="Search for ${input:query}.",
    inputs=[SkillInput(name="query", default="lamp")],
    origins=["https://shop.example"],
    steps=[
        SkillStep(
            command="fill",
            target=StepTarget(selectors=["textbox 'Search'"]),
            params={"value": "${input:query}"},
        )
    ],
    license="MIT",
    metadata={"author": "x", "skillbook-version": "1"},
    allowed_tools=["fill", "click"],
)


def make(folder: Path, head: str = HEAD, replay: str | None = None) -> Path:
    place = folder / "shop"
    place.mkdir()
    (place / "SKILL.md").write_text(head, encoding="utf-8")
    if replay is not None:
        (place / "replay.yaml").write_text(replay, encoding="utf-8")
    return place


@given(skills())
def test_any_skill_reads_back_as_written(spec: SkillSpec) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = write_skill(spec, Path(folder))
        found = read_skill(place)
        assert found == spec
        assert found.digest == spec.digest
        assert sorted(os.listdir(folder)) == [spec.name]


def test_the_frontmatter_has_agent_skills_fields_only(tmp_path: Path) -> None:
    text = (write_skill(SPEC, tmp_path) / "SKILL.md").read_text()
    fields = load_mapping(text.split("---\n")[1], "SKILL.md")
    assert set(fields) <= set(FRONTMATTER)
    assert fields["allowed-tools"] == "fill click"
    assert all(isinstance(value, str) for value in fields["metadata"].values())
    assert "Search for ${input:query}." in text


def test_other_files_of_a_skill_survive_writing(tmp_path: Path) -> None:
    place = write_skill(SPEC, tmp_path)
    (place / "notes.txt").write_text("mine")
    write_skill(SkillSpec(name="shop", description="A prompt only.", body="Look."), tmp_path)
    assert (place / "notes.txt").read_text() == "mine"
    assert not (place / "replay.yaml").exists()
    assert os.listdir(tmp_path) == ["shop"]


def test_a_failed_write_leaves_the_old_skill_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_skill(SPEC, tmp_path)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".new"):
            raise OSError("disk full")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(StorageError, match="disk full"):
        write_skill(SPEC.model_copy(update={"description": "new"}), tmp_path)
    monkeypatch.undo()
    assert read_skill(place) == SPEC
    assert os.listdir(tmp_path) == ["shop"]


def test_overwriting_can_be_refused(tmp_path: Path) -> None:
    write_skill(SPEC, tmp_path)
    with pytest.raises(InvalidSkill, match="exists already"):
        write_skill(SPEC, tmp_path, overwrite=False)


def test_fault_26_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    library = tmp_path / "lib"
    library.mkdir()
    (library / "shop").symlink_to(outside)
    with pytest.raises(InvalidSkillName):
        write_skill(SPEC, library)
    assert os.listdir(outside) == []
    with pytest.raises(InvalidSkill, match="symbolic link"):
        read_skill(library / "shop")


def test_fault_26_a_linked_file_is_not_read(tmp_path: Path) -> None:
    place = make(tmp_path)
    (tmp_path / "secret.yaml").write_text("version: 2\n")
    (place / "replay.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(InvalidSkill, match="symbolic link"):
        read_skill(place)


BROKEN = [
    ("name: shop\n", None, "line 1", "frontmatter is missing"),
    ("---\nname: shop\n", None, "", "no end"),
    ("---\nname: [shop\ndescription: x\n---\n", None, "line 3", ""),
    ("---\nname: shop\n---\n", None, "description", "Field required"),
    ("---\nname: shop\ndescription: x\ncolour: red\n---\n", None, "colour", "no such field"),
    ("---\nname: shop\ndescription: 7\n---\n", None, "line 3, column 1, description", "string"),
    (
        "---\nname: shop\ndescription: x\nmetadata: {a: 1}\n---\n",
        None,
        "line 4, column 12, metadata.a",
        "string",
    ),
    (
        "---\nname: shop\ndescription: x\nmetadata:\n  skillbook-device: iPhone 99\n---\n",
        None,
        "line 4, column 1, metadata",
        "no device is called 'iPhone 99'; perhaps 'iPhone SE'",
    ),
    (
        "---\nname: shop\ndescription: x\nmetadata:\n  skillbook-state: ~/shop.json\n---\n",
        None,
        "line 4, column 1, metadata",
        "skillbook-state is a name such as shop",
    ),
    ("---\nname: shop\ndescription: x\nallowed-tools: [a]\n---\n", None, "allowed-tools", "string is wanted"),
    ("---\nname: other\ndescription: x\n---\n", None, "SKILL.md", "not its folder's"),
    ("---\nname: shop\nname: shop\ndescription: x\n---\n", None, "line 3", "twice"),
    (f"---\nname: shop\ndescription: {'x' * 1025}\n---\n", None, "line 3, column 1, description", "1024"),
    (HEAD, "steps: []\n", "version", "None is not one that this skillbook reads: 1 or 2"),
    (HEAD, "version: 2\nfoo: 1\n", "foo", "no such field"),
    (HEAD, "version: 2\ninputs: [a]\n", "inputs", "mapping"),
    (HEAD, "version: 2\ninputs:\n  n: {type: date}\n", "line 3, column 7, inputs.n.type", "'str'"),
    (HEAD, "version: 2\ninputs:\n  model: {}\n", "line 3, column 3, inputs.model", "skill.run"),
    (HEAD, "version: 2\ninputs:\n  n: {type: int, default: x}\n", "line 3, column 3, inputs.n", "no int"),
    (
        HEAD,
        "version: 2\nsteps:\n- command: explode\n",
        "line 3, column 3, steps[0].command",
        "no command 'explode'",
    ),
    (
        HEAD,
        "version: 2\nsteps:\n- command: click\n  ref: e5\n",
        "line 4, column 3, steps[0].ref",
        "no such field",
    ),
    (
        HEAD,
        "version: 2\nsteps:\n- command: click\n  target: {selectors: ['button [']}\n",
        "line 4",
        "selector",
    ),
    (
        HEAD,
        "version: 2\nsteps:\n- command: fill\n  params: {value: '${input:q}'}\n",
        "replay.yaml",
        "not declared",
    ),
    (
        HEAD,
        "version: 2\nsteps:\n- command: fill\n  params: {value: '${secret:q}'}\n",
        "replay.yaml",
        "not declared",
    ),
    (HEAD, "version: 3\nsteps: []\n", "version", "3 is not one that this skillbook reads: 1 or 2"),
    (HEAD, "version: true\n", "version", "True is not one"),
    (
        HEAD,
        "version: 1\nsteps:\n- command: click\n  target: {rungs: ['button [']}\n",
        "line 4, column 12, steps[0].target.rungs",
        "selector",
    ),
    (HEAD, "version: 2\nsteps:\n- command: click\n  target: {rungs: [button]}\n", "line 4", "Field required"),
    (HEAD, "- 1\n", "replay.yaml", "mapping"),
    (
        HEAD,
        "version: 2\nsteps:\n- command: click\n  expect: [{within: 3}]\n",
        "line 4, column 12, steps[0].expect[0]",
        "one of url",
    ),
]


@pytest.mark.parametrize(("head", "replay", "where", "what"), BROKEN)
def test_broken_files_say_where_and_what(
    head: str, replay: str | None, where: str, what: str, tmp_path: Path
) -> None:
    place = make(tmp_path, head, replay)
    with pytest.raises(InvalidSkill) as caught:
        read_skill(place)
    assert str(place) in caught.value.message
    assert where in caught.value.message
    assert what in caught.value.message
    assert caught.value.hint


def test_a_bad_name_in_a_file_is_refused(tmp_path: Path) -> None:
    place = make(tmp_path, "---\nname: ../shop\ndescription: x\n---\n")
    with pytest.raises(InvalidSkillName, match=r"SKILL\.md"):
        read_skill(place)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"---\nname: \x00\n---\n", b"x" * 1_000_001, b""])
def test_what_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    place = make(tmp_path)
    (place / "SKILL.md").write_bytes(content)
    with pytest.raises(InvalidSkill):
        read_skill(place)


BOMBS = [
    "a: !!python/object/apply:os.system ['touch pwned']\n",
    "a: !!python/name:os.system\n",
    "a: !<tag:yaml.org,2002:python/object/new:os.system> [x]\n",
    "a: !foo 1\n",
    "a: &a [x]\nb: *a\n",
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "a: " + "[" * 1000 + "]" * 1000 + "\n",
    "a: " + "[" * 100_000,
    "a:\n" + "- 1\n" * 6_000,
    "a: 1e\n? {b: c}\n: d\n",
    "a: 0o" + "7" * 10_000 + "_:\n b",
    "\t",
    "a: 9" + "9" * 5000 + "\n",
]


@pytest.mark.parametrize("text", BOMBS, ids=range(len(BOMBS)))
def test_fault_26_hostile_yaml_is_refused_and_runs_nothing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = make(tmp_path, replay="version: 2\n" + text)
    with pytest.raises(InvalidSkill):
        read_skill(place)
    assert sorted(os.listdir(tmp_path)) == ["shop"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "a: !!python/name:os.system x\n",
            "line 3, column 4: the tag tag:yaml.org,2002:python/name:os.system is not allowed",
        ),
        ("a: &a [x]\nb: *a\n", "line 4, column 4: aliases (*name) are not allowed"),
        ("a: " + "[" * 1000 + "]" * 1000 + "\n", "line 3, column 43: nested too deeply"),
        ("a: 1\na: 2\n", "line 4, column 1: the key 'a' is there twice"),
    ],
)
def test_fault_26_yaml_is_refused_with_its_line_and_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidSkill) as caught:
        load_mapping(text, "replay.yaml", first_line=3)
    assert why in caught.value.message


def test_a_date_is_the_text_that_was_written_and_bytes_are_no_parameter(tmp_path: Path) -> None:
    step = "version: 2\nsteps:\n- command: press\n  params: {key: %s}\n"
    assert read_skill(make(tmp_path, replay=step % "2026-01-31")).steps[0].params == {"key": "2026-01-31"}
    (tmp_path / "shop" / "replay.yaml").write_text(step % "!!binary aGk=")
    with pytest.raises(InvalidSkill, match=r"line 4, column 12, steps\[0\]\.params\.key"):
        read_skill(tmp_path / "shop")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=300))
def test_whatever_a_file_holds_only_skill_errors_come(text: str, tmp_path: Path) -> None:
    place = tmp_path / "shop"
    place.mkdir(exist_ok=True)
    for head, replay in ((text, ""), ("---\n" + text + "\n---\n", ""), (HEAD, "version: 2\n" + text)):
        (place / "SKILL.md").write_bytes(head.encode("utf-8", "replace"))
        (place / "replay.yaml").write_bytes(replay.encode("utf-8", "replace"))
        try:
            read_skill(place)
        except SkillError:
            continue
        assert replay or text  # only a complete skill is read without complaint


def test_a_missing_skill_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SkillNotFound):
        read_skill(tmp_path / "none")


VERSION_1 = """version: 1
steps:
- command: drag
  target:
    rungs: [listitem 'Lamp', text 'Lamp']
    looks: {role: listitem, name: Lamp}
  to:
    rungs: [button 'Bin']
- command: press
  params: {key: Enter}
"""


def test_a_file_of_version_1_loads_and_is_saved_as_version_2(tmp_path: Path) -> None:
    place = make(tmp_path, replay=VERSION_1)
    spec = read_skill(place)
    assert spec.steps[0].target == StepTarget(
        selectors=["listitem 'Lamp'", "text 'Lamp'"], fingerprint={"role": "listitem", "name": "Lamp"}
    )
    assert spec.steps[0].to == StepTarget(selectors=["button 'Bin'"])
    assert (place / "replay.yaml").read_text() == VERSION_1, "loading rewrites nothing"
    write_skill(spec, tmp_path)
    written = (place / "replay.yaml").read_text()
    assert written.startswith("version: 2\n")
    assert "rungs" not in written
    assert "looks" not in written
    assert read_skill(place) == spec


def test_the_digest_sees_every_change() -> None:
    other = SPEC.model_copy(update={"origins": ["https://evil.example"]})
    assert SPEC.digest == SkillSpec.model_validate(SPEC.model_dump()).digest
    assert SPEC.digest != other.digest


def test_saved_skills_pass_the_reference_validator_of_agent_skills(tmp_path: Path) -> None:
    from skills_ref import validate

    step = SkillStep(command="click", target={"selectors": ["button 'Close'"]}, when="dialog 'Cookies'")
    spec = SkillSpec(
        name="shop",
        description="Buys things: a lamp, say.",
        body="Buy ${input:thing}.",
        inputs=[SkillInput(name="thing")],
        outputs=["name", SkillOutput(name="stock", type="int")],
        steps=[step],
        compatibility="Needs skillbook",
        metadata={"version": "1"},
        allowed_tools=["click"],
    )
    folder = write_skill(spec, tmp_path)
    assert validate(folder) == []
    assert read_skill(folder) == spec
    assert validate(Path(__file__).parents[3] / "skills" / "search-products") == []


def test_outputs_and_conditions_are_checked_when_a_file_is_read() -> None:
    with pytest.raises(ValueError, match="an output is what a step reads"):
        SkillStep(command="click", output=SkillOutput(name="x"))
    with pytest.raises(ValueError, match="these need one"):
        SkillStep(command="get", params={"what": "url"})
    with pytest.raises(ValueError, match="can't read the selector"):
        SkillStep(command="back", when="dialog [")
