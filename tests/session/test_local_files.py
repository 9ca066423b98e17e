"""Which files a program may upload without a question."""

from __future__ import annotations

import os
from pathlib import Path

from skillbook.session.actions.local_files import absolute_files, files_to_ask_about


def asked(path: Path, folder: Path, *given: str) -> bool:
    return files_to_ask_about(absolute_files([str(path)]), folder, given) != ""


def test_a_link_in_the_folder_counts_as_what_it_is(tmp_path: Path) -> None:
    folder, secret = tmp_path / "uploads", tmp_path / "id_rsa"
    folder.mkdir()
    secret.write_text("key")
    plain, hard, soft = folder / "plain.txt", folder / "hard.txt", folder / "soft.txt"
    plain.write_text("x")
    os.link(secret, hard)
    soft.symlink_to(secret)
    assert not asked(plain, folder)
    assert asked(hard, folder), "the same file lies elsewhere"
    assert asked(soft, folder)
    assert not asked(hard, folder, str(hard)), "the person gave it"
