from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbook.errors import InvalidInput, InvalidSkill, InvalidSkillName, ModelNotConfigured, SkillNotFound
from skillbook.skill.facade import Skill
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.library import Library, load_skill
from skillbook.skill.model.spec import SkillSpec
from tests.skill.files.test_skill_folder import SPEC


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_skill(SPEC, tmp_path)
    (tmp_path / "hello.prompt.md").write_text("Say hello to ${input:whom}.")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text(
        "---\nname: broken\ndescription: <script>alert(1)</script>\nbad: 1\n---\n"
    )
    (tmp_path / "README.md").write_text("no skill")
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_it_lists_what_is_there_and_what_is_broken(folder: Path) -> None:
    library = Library(folder)
    assert list(library) == ["broken", "hello", "shop"]
    assert [entry.kind for entry in library.entries] == ["broken", "prompt", "replay"]
    assert library._ipython_key_completions_() == ["broken", "hello", "shop"]
    assert "shop" in library
    assert "no such field" in str(library.entries[0].error)


def test_its_table_is_escaped(tmp_path: Path) -> None:
    write_skill(
        SkillSpec(name="evil", description="<script>alert(1)</script>\n\x1b[31mred", body="x"), tmp_path
    )
    library = Library(tmp_path)
    html = library._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "\x1b" not in repr(library)
    assert len(repr(library).splitlines()) == 2


def test_a_skill_loads_by_name_and_by_path(folder: Path) -> None:
    library = Library(folder)
    assert library["shop"].spec == SPEC
    for path in (folder / "shop", folder / "shop" / "SKILL.md", str(folder / "shop")):
        assert load_skill(path).spec == SPEC
    assert load_skill(folder / "hello.prompt.md").inputs[0].name == "whom"
    assert repr(library["shop"]) == "<Skill shop(query: str = 'lamp'): 1 steps>"


def test_a_broken_skill_says_what_is_wrong_when_loaded(folder: Path) -> None:
    with pytest.raises(InvalidSkill, match="no such field"):
        Library(folder)["broken"]


def test_an_unknown_name_lists_the_known_ones(folder: Path) -> None:
    with pytest.raises(SkillNotFound) as caught:
        Library(folder)["nope"]
    assert "hello" in caught.value.hint


@pytest.mark.parametrize("name", ["a\0b", "CON", "x y"])
def test_what_is_neither_name_nor_path_is_refused(name: str, folder: Path) -> None:
    with pytest.raises(InvalidSkillName):
        load_skill(name, folder)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd-none", "missing.prompt.md"])
def test_a_path_to_nothing_is_named(path: str, folder: Path) -> None:
    with pytest.raises(SkillNotFound, match=re.escape(f"there is no {path}")):
        load_skill(path, folder)


def test_earlier_folders_win(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    write_skill(SPEC.model_copy(update={"description": "Mine."}), other)
    with pytest.warns(UserWarning, match="another skill shop"):
        assert Library([other, folder])["shop"].description == "Mine."
    assert list(Library([other / "missing", folder])) == ["broken", "hello", "shop"]


def test_a_change_on_disk_is_noticed(folder: Path) -> None:
    skill = Library(folder)["shop"]
    assert not skill.changed_on_disk
    file = folder / "shop" / "replay.yaml"
    file.write_text(file.read_text().replace("https://shop.example", "https://evil.example"))
    assert skill.changed_on_disk
    assert Library(folder)["shop"].digest != skill.digest


def test_a_prompt_without_an_agent_says_so(folder: Path) -> None:
    class Page:
        url = "about:blank"

        def snapshot(self) -> None: ...

    with pytest.raises(ModelNotConfigured):
        Library(folder)["hello"].approve().run(Page(), whom="Ann")


def test_no_page_is_refused(folder: Path) -> None:
    skill: Skill = Library(folder)["shop"].approve()
    with pytest.raises(InvalidInput, match="`page` must be a page"):
        skill.run("http://site.test")
