from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from skillbook.errors import ProfileInUse, StorageError
from skillbook.launcher.process import switches
from skillbook.launcher.profile import (
    PAIRED_FILE,
    Profile,
    extension_path,
    find_holder,
    make_profile,
    require_free,
)


def make(base: Path, **options: object) -> Profile:
    known = {"port": 4711, "token": "s3cret", "kernel_id": "k1", "kernel_name": "a notebook"}
    return make_profile(extension_path(), base=base, **{**known, **options})  # type: ignore[arg-type]


def test_the_extension_learns_whom_to_dial(tmp_path: Path) -> None:
    profile = make(tmp_path)
    said = json.loads((profile.extension_dir / PAIRED_FILE).read_text(encoding="utf-8"))
    assert said == {"port": 4711, "token": "s3cret", "kernel": {"id": "k1", "name": "a notebook"}}
    assert (profile.extension_dir / "manifest.json").is_file()
    assert not (extension_path() / PAIRED_FILE).exists()


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    profile = make(tmp_path)
    modes = {
        path: path.stat().st_mode & 0o777
        for path in (profile.root, profile.extension_dir, profile.user_data_dir)
    }
    assert set(modes.values()) == {0o700}
    assert (profile.extension_dir / PAIRED_FILE).stat().st_mode & 0o777 == 0o600


def test_the_token_is_in_no_argument(tmp_path: Path) -> None:
    line = switches(make(tmp_path), headless=True, window=(800, 600))
    assert not [switch for switch in line if "s3cret" in switch or "4711" in switch]
    assert "--window-size=800,600" in line


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    make(tmp_path).remove()
    assert list(tmp_path.iterdir()) == []


def test_a_named_profile_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    profile = make(tmp_path, user_data_dir=mine)
    profile.remove()
    assert profile.user_data_dir == mine
    assert list(tmp_path.iterdir()) == [mine]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match=r"file/profile \(user_data_dir\) can't be written") as caught:
        make(tmp_path, user_data_dir=tmp_path / "file" / "profile")
    assert caught.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_note_that_a_killed_browser_left_is_no_holder(tmp_path: Path) -> None:
    """The number of its process may be another one's by now, which listens on no such socket."""
    (tmp_path / "SingletonLock").symlink_to(f"{socket.gethostname()}-{os.getpid()}")
    assert find_holder(tmp_path) is None
    (tmp_path / "SingletonSocket").symlink_to(tmp_path / "gone")
    assert find_holder(tmp_path) is None


def test_a_note_of_another_host_is_believed_and_the_error_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "SingletonLock").symlink_to("elsewhere-17")
    with pytest.raises(ProfileInUse, match="is open already, in process 17 on elsewhere") as caught:
        require_free(tmp_path)
    assert str(tmp_path / "SingletonLock") in caught.value.hint
