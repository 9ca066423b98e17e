"""Folders that skillbook makes are for their user alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbook.storage import private_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture(autouse=True)
def usual_umask() -> None:
    os.umask(0o022)


def test_a_new_folder_and_all_that_is_missing_above_it_are_private(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "share" / "home" / "journals")
    assert [mode(each) for each in (made, *made.parents[:2])] == [0o700] * 3


def test_a_home_that_an_earlier_version_made_for_all_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "journals").mkdir(parents=True)
    assert mode(home) == 0o755
    private_folder(home / "journals")
    assert mode(home) == 0o700


def test_a_folder_that_is_not_ours_is_left_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    private_folder(shared / "home")
    assert (mode(shared), mode(shared / "home")) == (0o755, 0o700)
