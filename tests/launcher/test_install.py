from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from skillbook.errors import BrowserNotFound
from skillbook.launcher.install import ensure_chromium, main
from tests.launcher.conftest import MakeProgram


@pytest.fixture
def no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright's download fails at once, as on a machine without a network."""
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", "http://127.0.0.1:9")


@pytest.fixture
def no_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright isn't installed."""
    monkeypatch.setitem(sys.modules, "playwright", None)


def apt_that(does: str, folder: Path) -> None:
    """Put an `apt-get` on PATH that writes down its arguments, and does something."""
    path = folder / "apt-get"
    path.write_text(f'#!/bin/sh\necho "$@" >>{folder}/called\n{does}\n', encoding="utf-8")
    path.chmod(0o755)


def test_an_installed_one_is_left_alone(program: MakeProgram, tmp_path: Path) -> None:
    path = program("chromium", "Chromium 150.0.0.1")
    apt_that("exit 1", tmp_path)
    said: list[str] = []
    assert ensure_chromium(said.append).path == path
    assert said == []
    assert not (tmp_path / "called").exists()


@pytest.mark.usefixtures("program")
def test_root_on_debian_gets_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    made = tmp_path / "chromium"
    apt_that(
        f'case "$1" in install) printf "#!/bin/sh\\necho Chromium 150.0.0.1\\n" >{made};'
        f" /bin/chmod 755 {made};; esac",
        tmp_path,
    )
    said: list[str] = []
    assert ensure_chromium(said.append).path == made
    assert (tmp_path / "called").read_text().splitlines() == ["update -q", "install -y -q chromium"]
    assert said == ["No usable Chromium found; trying apt-get …"]


@pytest.mark.usefixtures("program", "no_playwright")
@pytest.mark.parametrize(
    ("user", "does", "says"),
    [
        (0, "exit 100", "apt-get: `apt-get update -q` failed"),
        (0, "exit 0", "apt-get: installed, but not usable"),
        (1000, "exit 0", "apt-get: needs root (run: sudo apt-get install chromium)"),
    ],
)
def test_when_nothing_helps_it_says_what_was_tried(
    user: int, does: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    apt_that(does, tmp_path)
    with pytest.raises(BrowserNotFound) as caught:
        ensure_chromium(lambda text: None)
    assert says in caught.value.message
    assert "playwright: not installed (run: pip install playwright)" in caught.value.message
    assert "sb.connect()" in caught.value.hint


@pytest.mark.usefixtures("no_download")
def test_the_command_fails_with_a_message(program: MakeProgram, capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 1
    error = capsys.readouterr().err
    assert "SKILLBOOK_CHROMIUM" in error
    assert "playwright: `playwright install chromium` failed" in error
    program("chromium", "Chromium 150.0.0.1")
    assert main() == 0
    assert "Browser: Chromium 150.0.0.1" in capsys.readouterr().out
