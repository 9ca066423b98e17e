from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.errors import InvalidSkillName
from skillbook.skill.model.spec_base import check_name, skill_folder, slug
from tests.skill.strategies import names

BAD = [
    "", "../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "C:\\x", "a\0b", "con", "nul", "com1", "lpt9", "Upper", "a b",
    "-a", "a-", "a--b", "ä", "a.b", "a" * 65, "a\n", "~", "skill.", "ｎｕｌ",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_fault_26_bad_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSkillName):
        check_name(name)
    with pytest.raises(InvalidSkillName):
        skill_folder(tmp_path, name)


@pytest.mark.parametrize("name", [None, 3, ["a"], Path("a")])
def test_what_is_no_string_is_refused(name: object) -> None:
    with pytest.raises(InvalidSkillName):
        check_name(name)


@given(st.text(max_size=80))
def test_whatever_passes_stays_inside_the_folder(text: str) -> None:
    root = Path("/library")
    try:
        place = skill_folder(root, text)
    except InvalidSkillName:
        return
    assert place.parent == root
    assert Path(str(place)).resolve().parent == root


@given(names)
def test_valid_names_pass(name: str) -> None:
    assert check_name(name) == name


@given(st.text(max_size=100))
def test_slugs_are_names_or_empty(text: str) -> None:
    found = slug(text)
    assert not found or check_name(found) == found


def test_a_link_in_the_skills_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "shop").symlink_to(tmp_path / "outside")
    with pytest.raises(InvalidSkillName, match="symbolic link"):
        skill_folder(tmp_path / "lib", "shop")


def test_case_clashes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "Shop").mkdir()
    with pytest.raises(InvalidSkillName, match="case"):
        skill_folder(tmp_path, "shop")
