from __future__ import annotations

from pathlib import Path

from skillbook.skill.consent.consent_summary import may_run, remember


def test_an_approval_holds_for_one_version(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert not may_run(home, "one")
    remember(home, "one")
    assert may_run(home, "one")
    assert not may_run(home, "two")
    assert (home / "approved-skills.json").stat().st_mode & 0o077 == 0


def test_a_broken_file_approves_nothing(tmp_path: Path) -> None:
    for text in ('{"one": true}', '"one"', "{"):
        (tmp_path / "approved-skills.json").write_text(text)
        assert not may_run(tmp_path, "one")
    remember(tmp_path, "one")
    assert may_run(tmp_path, "one")


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    for text in ('["one"]', '{"one": "irreversible"}'):
        (tmp_path / "approved-skills.json").write_text(text)
        assert may_run(tmp_path, "one")
