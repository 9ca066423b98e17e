from __future__ import annotations

from pathlib import Path

from skillbook.skill.approvals import is_remembered, remember


def test_an_approval_holds_for_one_version(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert not is_remembered(home, "one")
    remember(home, "one")
    remember(home, "two")
    assert is_remembered(home, "one")
    assert is_remembered(home, "two")
    assert not is_remembered(home, "three")
    assert (home / "approved-skills.json").stat().st_mode & 0o077 == 0


def test_a_broken_file_approves_nothing(tmp_path: Path) -> None:
    (tmp_path / "approved-skills.json").write_text('{"one": true}')
    assert not is_remembered(tmp_path, "one")
    remember(tmp_path, "one")
    assert is_remembered(tmp_path, "one")
